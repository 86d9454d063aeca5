# gotestbed. `make help` lists the targets.

REPS       ?= 3
FUZZTIME   ?= 30s
RECORDINGS ?= testdata/recordings
GOTESTSUM = go tool gotestsum

.DEFAULT_GOAL := help
.PHONY: help demo test test-all live rxe rxe-test bench-rc bench-deploy watch rxe-shell record record-diff replay-check lint vet fuzz golden sanity paper memcached qemu ibverbs clean

EXPERIMENTS = TestStep6|TestA1Tuner|TestDrift|TestRDMADispatch|TestScaleOut

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

# What local nodes cannot measure, RDMA, comes from the recordings on soft-RoCE guests, and says so.
demo: memcached ## the whole pipeline, live: five local nodes, every cell, the tables; report in out/demo/report (REPS=3)
	@rm -rf out/demo out/demo-rdma && mkdir -p out/demo
	@$(GOTESTSUM) --format testname --hide-summary skipped --jsonfile out/demo/events.json -- \
		-tags local -timeout 0 ./e2e -run 'TestSanity|$(EXPERIMENTS)' -reps $(REPS) -out out/demo; status=$$?; \
	echo; go run ./reportgen out/demo && go test -count 1 ./e2e -run '^$$' -bench . -out out/demo-rdma >/dev/null && \
	go run ./reportgen -o out/demo/report out/demo out/demo-rdma >/dev/null 2>&1 && \
	echo && echo "Report: out/demo/report/report.html; benchstat: go tool benchstat -col /cell out/demo/results.txt" && exit $$status

test: ## offline, under a minute: units, goldens, every experiment on recordings; loopback only, no root, no cluster
	$(GOTESTSUM) --format pkgname --hide-summary skipped -- -short ./...

test-all: memcached ## everything that needs no cluster, with the race detector; runs live cells and kills them
	$(GOTESTSUM) --format pkgname --hide-summary skipped -- -race -count 1 ./...

live: memcached ## every test of the experiments on five local nodes, one rep
	$(GOTESTSUM) --format testname --hide-summary skipped -- -tags local -timeout 0 ./e2e/... -reps 1

# What needs an RDMA device is recorded on soft-RoCE guests: the most real cluster that anyone has here.
NEED_RDMA = TestSanity|TestIOMMUPassthrough|TestOFED|TestPortActive|TestActiveMTU|TestGIDIndex|TestControlNetworkNotUsed|TestMemlock|TestReadSeesWrittenBytes|TestSetupKeys

record: memcached qemu ibverbs ## record every test on five local nodes, and what needs RDMA on guests, into testdata/recordings; wants a quiet machine
	@rm -rf out/record out/record-rxe out/record-bench
	$(GOTESTSUM) --format testname --hide-summary skipped -- -tags local -timeout 0 ./e2e -skip '$(NEED_RDMA)' -reps 3 -duration 2s -record $(RECORDINGS) -out out/record
	$(GOTESTSUM) --format testname -- -tags rxe -timeout 0 ./e2e -run '$(NEED_RDMA)' -record $(RECORDINGS) -out out/record-rxe
	go test -tags rxe -timeout 0 ./e2e -run '^$$' -bench . -reps 3 -record $(RECORDINGS) -out out/record-bench

# Benchmarks are run by go test itself: gotestsum takes a benchmark that has no end event for a failure.
rxe: qemu ibverbs ## every test, one rep of each cell, every benchmark, on QEMU guests with soft-RoCE (docs/rxe.md)
	@rm -rf out/rxe out/rxe-bench
	$(GOTESTSUM) --format testname -- -tags rxe -timeout 0 ./e2e/... -reps 1 -duration 1s -out out/rxe $(RXE_FLAGS)
	go test -tags rxe -timeout 0 ./e2e -run '^$$' -bench . -reps 1 -out out/rxe-bench
	go run ./reportgen out/rxe out/rxe-bench

rxe-test: qemu ibverbs ## the tests of what runs on RDMA devices and guests, on guests
	$(GOTESTSUM) --format testname -- -tags rxe -timeout 30m ./fixtures/rxe
	$(GOTESTSUM) --format testname -- -tags rxe -timeout 30m -run OnGuests ./fixtures

bench-deploy: ## a tree of 5 000 files to five sshd of this machine beside parallel rsync -a (needs rsync, openssh-server)
	@d=$$(mktemp -d /dev/shm/gotestbed.XXXXXX 2>/dev/null || mktemp -d); TMPDIR=$$d go test -count 1 -timeout 20m -run '^$$' -bench DeployRsync -benchtime 1x ./clusterenv; s=$$?; rm -rf $$d; exit $$s

watch: ## follow a run while it goes on (RUN=out/demo)
	@go run ./reportgen watch $(or $(RUN),out/demo)

bench-rc: qemu ibverbs ## verbs/rc beside perftest, on guests: ratios of FETCH_ADD rate and READ bandwidth
	go test -tags rxe -timeout 0 ./e2e -run '^$$' -bench BenchmarkVerbsFromGo -reps 7

rxe-shell: qemu ## a shell on a fresh guest (NODE=cn0)
	go run ./fixtures/rxe/shell -node $(or $(NODE),cn0)

replay-check: ## what the present code asks otherwise than the recordings hold (RECORDINGS=dir)
	@cd e2e && go test -count 1 -replay $(RECORDINGS) -changes

# What differs between two recordings of the same behaviour: loopback networks, seeds, process ids, lengths of inputs.
SAME = sed -E 's/127\.[0-9]+\.[0-9]+\./127.x.y./g; s/"seed": [0-9]+/"seed": n/; s/^argument ([0-9]+): [0-9]+$$/argument \1: n/; s/^input: [0-9]+ bytes/input/' | sort

record-diff: memcached ## record anew into out/recordings and show which requests differ from the shipped ones
	@rm -rf out/record out/recordings
	@$(GOTESTSUM) --format dots --hide-summary skipped -- -tags local -timeout 0 ./e2e -skip '$(NEED_RDMA)' -reps 3 -duration 2s -record out/recordings -out out/record
	@go build -o out/show ./clusterenv/recording/show
	@(cd out/recordings && find . -type f ! -name cluster.yaml) | sed "s,^./,testdata/recordings/," | sort | while read -r file; do \
		now=out/recordings/$${file#testdata/recordings/}; \
		out/show -asked $$file | $(SAME) >out/asked.shipped; out/show -asked $$now | $(SAME) >out/asked.now; \
		diff -u --label $$file --label $$now out/asked.shipped out/asked.now; \
	done; echo "requests that differ stand above"

lint: ibverbs vet ## gofmt, vet for every tag and for macOS, staticcheck
	@test -z "$$(gofmt -l . | tee /dev/stderr)" || { echo "gofmt -w the files above" >&2; exit 1; }
	go tool staticcheck ./...
	go tool staticcheck -tags local ./...
	go tool staticcheck -tags rxe ./...
	go tool staticcheck -tags ibverbs ./verbs/...
	go mod verify
	go mod tidy -diff

vet:
	go vet ./...
	go vet -tags local ./...
	go vet -tags cloudlab ./...
	go vet -tags rxe ./...
	go vet -tags ibverbs ./verbs/...
	GOOS=darwin go vet ./...

# go test can end a fuzz run that found nothing with "context deadline exceeded"; a finding names the file it was written to.
fuzz: ## every fuzz target for FUZZTIME (30s) each
	@mkdir -p out; for pkg in $$(grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u); do \
		for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$pkg/*_test.go | sed 's/func //'); do \
			echo "== $$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg >out/fuzz.log 2>&1 && tail -n 1 out/fuzz.log && continue; \
			if grep -q 'context deadline exceeded' out/fuzz.log && ! grep -q 'Failing input' out/fuzz.log; then echo "nothing found"; continue; fi; \
			cat out/fuzz.log; exit 1; \
		done || exit 1; done

golden: ## write the golden files anew, from what the code prints now; review the diff
	@set -e; for pkg in $$(grep -rlE 'flag.Bool\("update"' --include='*_test.go' . | xargs -n1 dirname | sort -u); do \
		go test $$pkg -update; done
	git diff --stat

sanity: ## the checks before a run, on the cluster that CLUSTER names
	go test -tags cloudlab -timeout 0 ./e2e -run Sanity -v

paper: ## everything, on the cluster that CLUSTER names
	@mkdir -p out
	go test -tags cloudlab -timeout 0 -bench . -json ./e2e/... >out/paper.json; status=$$?; go run ./reportgen out/paper.json; exit $$status

# $(call need,TEST,PACKAGES) installs the packages if TEST fails, where it may, or prints the line that does.
need = @{ $(1); } >/dev/null 2>&1 && exit 0; \
	install="apt-get install -y -q --no-install-recommends $(2)"; \
	if ! command -v apt-get >/dev/null; then echo "missing here: $(2): install with the package manager of this system" >&2; exit 1; \
	elif [ "$$(id -u)" = 0 ]; then $$install || { apt-get update -q && $$install; }; \
	elif sudo -n true 2>/dev/null; then sudo -n $$install || { sudo -n apt-get update -q && sudo -n $$install; }; \
	else echo "missing here: sudo apt-get install $(2)" >&2; exit 1; fi

memcached:
	$(call need,command -v memcached,memcached)

qemu:
	$(call need,command -v qemu-system-x86_64,qemu-system-x86)

ibverbs: # headers and static libraries of what the programs for RDMA nodes are linked with
	$(call need,command -v gcc && ls /usr/include/infiniband/verbs.h /usr/lib/*/libibverbs.a /usr/lib/*/libnl-route-3.a,gcc libc6-dev libibverbs-dev libnl-3-dev libnl-route-3-dev)

clean: ## remove what the targets made
	rm -rf out .gotestbed
