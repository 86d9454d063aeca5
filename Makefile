# gotestbed. `make help` lists the targets.

REPS       ?= 3
FUZZTIME   ?= 30s
RECORDINGS ?= testdata/recordings
GOTESTSUM = go tool gotestsum

.DEFAULT_GOAL := help
.PHONY: help demo test test-all live record record-diff replay-check lint vet fuzz golden sanity paper memcached clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: memcached ## the whole pipeline, live: five local nodes, every cell, the table; report in out/demo/report (REPS=3)
	@rm -rf out/demo && mkdir -p out/demo
	@$(GOTESTSUM) --format testname --jsonfile out/demo/events.json -- \
		-tags local -timeout 0 ./e2e -run 'TestSanity|TestStep6' -reps $(REPS) -out out/demo; status=$$?; \
	echo; go run ./reportgen -o out/demo/report out/demo && echo && echo "Report: out/demo/report; benchstat: go tool benchstat -col /cell out/demo/results.txt" && exit $$status

test: ## offline, under a minute: units, goldens, every experiment on recordings; loopback only, no root, no cluster
	$(GOTESTSUM) --format pkgname -- -short ./...

test-all: memcached ## everything that needs no cluster, with the race detector; runs live cells and kills them
	$(GOTESTSUM) --format pkgname -- -race -count 1 ./...

live: memcached ## every test of the experiments on five local nodes, one rep
	$(GOTESTSUM) --format testname -- -tags local -timeout 0 ./e2e/... -reps 1

record: memcached ## record every test on five local nodes into testdata/recordings (RECORDINGS=dir)
	@rm -rf out/record
	$(GOTESTSUM) --format testname -- -tags local -timeout 0 ./e2e -reps 3 -duration 1s -record $(RECORDINGS) -out out/record

replay-check: ## what the present code asks otherwise than the recordings hold (RECORDINGS=dir)
	@cd e2e && go test -count 1 -replay $(RECORDINGS) -changes

# What differs between two recordings of the same behaviour: loopback networks, seeds, process ids, lengths of inputs.
SAME = sed -E 's/127\.[0-9]+\.[0-9]+\./127.x.y./g; s/"seed": [0-9]+/"seed": n/; s/^argument ([0-9]+): [0-9]+$$/argument \1: n/; s/^input: [0-9]+ bytes/input/' | sort

record-diff: memcached ## record anew into out/recordings and show which requests differ from the shipped ones
	@rm -rf out/record out/recordings
	@$(GOTESTSUM) --format dots --hide-summary skipped -- -tags local -timeout 0 ./e2e -reps 3 -duration 1s -record out/recordings -out out/record
	@go build -o out/show ./clusterenv/recording/show
	@find testdata/recordings -type f ! -name cluster.yaml | sort | while read -r file; do \
		now=out/recordings/$${file#testdata/recordings/}; \
		out/show -asked $$file | $(SAME) >out/asked.shipped; out/show -asked $$now | $(SAME) >out/asked.now; \
		diff -u --label $$file --label $$now out/asked.shipped out/asked.now; \
	done; echo "requests that differ stand above"

lint: vet ## gofmt, vet for every tag and for macOS, staticcheck
	@test -z "$$(gofmt -l . | tee /dev/stderr)" || { echo "gofmt -w the files above" >&2; exit 1; }
	go tool staticcheck ./...
	go tool staticcheck -tags local ./...
	go mod verify
	go mod tidy -diff

vet:
	go vet ./...
	go vet -tags local ./...
	go vet -tags cloudlab ./...
	GOOS=darwin go vet ./...

fuzz: ## every fuzz target for FUZZTIME (30s) each
	@set -e; for pkg in $$(grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u); do \
		for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$pkg/*_test.go | sed 's/func //'); do \
			echo "== $$pkg $$target"; go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg; \
		done; done

golden: ## write the golden files anew, from what the code prints now; review the diff
	@set -e; for pkg in $$(grep -rlE 'flag.Bool\("update"' --include='*_test.go' . | xargs -n1 dirname | sort -u); do \
		go test $$pkg -update; done
	git diff --stat

sanity: ## the checks before a run, on the cluster that CLUSTER names
	go test -tags cloudlab -timeout 0 ./e2e -run Sanity -v

paper: ## everything, on the cluster that CLUSTER names
	@mkdir -p out
	go test -tags cloudlab -timeout 0 -bench . -json ./e2e/... >out/paper.json; status=$$?; go run ./reportgen out/paper.json; exit $$status

memcached:
	@command -v memcached >/dev/null && exit 0; \
	if ! command -v apt-get >/dev/null; then echo "memcached is missing: install it with the package manager of this system" >&2; exit 1; \
	elif [ "$$(id -u)" = 0 ]; then apt-get install -y -q memcached || { apt-get update -q && apt-get install -y -q memcached; }; \
	elif sudo -n true 2>/dev/null; then sudo -n apt-get install -y -q memcached || { sudo -n apt-get update -q && sudo -n apt-get install -y -q memcached; }; \
	else echo "memcached is missing: sudo apt-get install memcached" >&2; exit 1; fi

clean: ## remove what the targets made
	rm -rf out .gotestbed
