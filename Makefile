# gotestbed. `make help` lists the targets.

REPS     ?= 3
FUZZTIME ?= 30s
GOTESTSUM = go tool gotestsum

.DEFAULT_GOAL := help
.PHONY: help demo test live lint vet fuzz golden sanity paper memcached clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

demo: memcached ## the whole pipeline, live: five local nodes, every cell, the table; report in out/demo/report (REPS=3)
	@rm -rf out/demo && mkdir -p out/demo
	@$(GOTESTSUM) --format testname --jsonfile out/demo/events.json -- \
		-tags local -timeout 0 ./e2e -run 'TestSanity|TestStep6' -reps $(REPS) -out out/demo; status=$$?; \
	echo; go run ./reportgen -o out/demo/report out/demo && echo && echo "Report: out/demo/report; benchstat: go tool benchstat -col /cell out/demo/results.txt" && exit $$status

test: ## units and goldens, offline: loopback only, no root, no cluster
	$(GOTESTSUM) --format pkgname -- -race ./...

live: memcached ## every test of the experiments on five local nodes, one rep
	$(GOTESTSUM) --format testname -- -tags local -timeout 0 ./e2e/... -reps 1

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

sanity: ## the checks before a run, on the cluster of $$CLUSTER
	go test -tags cloudlab -timeout 0 ./e2e -run Sanity -v

paper: ## everything, on the cluster of $$CLUSTER
	go test -tags cloudlab -timeout 0 -bench . -json ./e2e/... > out/paper.json; go run ./reportgen out/paper.json

memcached:
	@command -v memcached >/dev/null && exit 0; \
	if ! command -v apt-get >/dev/null; then echo "memcached is missing: install it with the package manager of this system" >&2; exit 1; \
	elif [ "$$(id -u)" = 0 ]; then apt-get install -y -q memcached || { apt-get update -q && apt-get install -y -q memcached; }; \
	elif sudo -n true 2>/dev/null; then sudo -n apt-get install -y -q memcached || { sudo -n apt-get update -q && sudo -n apt-get install -y -q memcached; }; \
	else echo "memcached is missing: sudo apt-get install memcached" >&2; exit 1; fi

clean: ## remove what the targets made
	rm -rf out .gotestbed
