# `make` lists the targets. They require only Go, make and the programs that `make setup` installs.

GO ?= go

# Programs and tests are built as releases are, without C, and thus share compiled packages. The race detector needs C.
export CGO_ENABLED = 0

PACKAGES ?= ./...
ADDR ?= 127.0.0.1:8080

# The maximum time for the tests of one package: those of the whole program start many servers.
TESTTIMEOUT ?= 20m

# How long each fuzz target and each benchmark runs.
FUZZTIME ?= 20s
BENCHTIME ?= 1s

# The size, in MB, of the log whose backup is measured.
MEASURE_MB ?= 3072

# The largest log whose growth is measured: 100000000 takes hours and 30 GB.
MEASURE_EVENTS ?= 10000000

# The size of the catalogue that is searched over HTTP: a million videos take 2 GB of disk.
MEASURE_VIDEOS ?= 1000000

# How long servers are killed and restarted.
CRASHTIME ?= 5m

# The linter is built once, at an exact version, with the installed Go; it is not part of go.mod.
LINTER_VERSION = v2.10.1
LINTER = .tools/golangci-lint-$(LINTER_VERSION)-$(shell $(GO) env GOVERSION)

# The linter spends most of its time collecting garbage unless it may use 6 GB.
LINTERGC ?= 400

# Our own Go files: gofmt would also walk into node_modules.
SOURCES = git ls-files -z --cached --others --exclude-standard '*.go'

# Only the race detector requires a C compiler.
RACE = $(shell command -v $${CC:-gcc} >/dev/null && echo CGO_ENABLED=1)

# The packages with the longest tests start first, so that the others run beside them.
SLOWEST = ./search/typesense ./store/postgres ./internal/app ./internal/apptest/... ./cmd/filmstrip

# make lint vets the code, and no test needs symbols or debug information: without these, tests build faster.
TESTFLAGS = -vet=off -ldflags=-s -timeout $(TESTTIMEOUT)

# How many packages are tested at once: tests that wait for servers leave processors idle. System tests wait, too, but
# browsers and fleets must not starve.
PARALLEL ?= 4
SYSTEM_PARALLEL ?= 3

# Tests create and delete many small files, and start servers on new folders. That takes half of the time in memory. The
# size of /dev/shm decides, not its free space: go test repeats its tests if TMPDIR changes. make test IN_MEMORY= uses the disk.
IN_MEMORY := $(shell [ -w /dev/shm ] && ! grep -q '/dev/shm .*noexec' /proc/mounts && \
	[ "$$(df -k --output=size /dev/shm | tail -n 1)" -ge 16000000 ] && echo TMPDIR=/dev/shm)

# Compilers and tests collect garbage as rarely as the program does by default (app.GCPercent): this takes a seventh of the
# time from compiling and a tenth from tests.
build setup generate generate-check test test-system: export GOGC = 200

# The race detector runs on our concurrent code. make test runs it where many goroutines share memory of ours and little
# must be compiled again: none of these tests may link SQLite, Redis or bleve while it is on (//go:build !race). make
# test-system also runs it over packages with goroutines whose dependencies take long to build with it, and over the named
# tests of packages that link SQLite. SQLite, which is translated to Go, would become fourteen times as slow, and its memory
# is not ours: the compiler leaves its instructions as they are.
RACEFLAGS = -race -gcflags=modernc.org/...=-race=false
RACED = ./cache/memory ./event ./event/intake ./event/live ./internal/guard
RACED_LATER = ./auth/federation ./auth/password ./cache/redis ./internal/clock ./internal/limit ./internal/media ./internal/searchlog ./search ./search/embedded
RACED_IN_PART = ./auth ./cache ./graph/endpoint ./internal/projection ./resolvers/events ./rest ./store/sqlite ./usage/counting
RACED_TESTS = TestCatalogue/concurrency|Test(Accounts|Collections|Deprecations|Events|PersonIndex|SearchLog|Usage)/(at_once|race|skip_no_entry|beside|no_change|among)|TestTwoHandles|TestOpenTogether|Race$$|TestConcurrent|Watch|WhileOthersWrite|AtATime|Stops|AtOnce|Beside|Shared|SharesOf|Flight|Together|Meanwhile|VerifyWhile

# The tests with the build tag "system": fleets, upgrades, failovers, outages, crashes, browsers, API fuzzing.
SYSTEM_FILES = $(shell git grep -l '^//go:build system' -- '*_test.go')
SYSTEM_PACKAGES = $(sort $(patsubst %/,./%,$(dir $(filter-out tools/%,$(SYSTEM_FILES)))))
SYSTEM_TOOLS = $(sort $(patsubst tools/%/,./%,$(dir $(filter tools/%,$(SYSTEM_FILES)))))
SYSTEM_TESTS = $(shell grep -hoE '^func Test[A-Z][A-Za-z0-9_]*' $(SYSTEM_FILES) | grep -v 'TestMain$$' | sed 's/^func //' | paste -sd '|' -)

BENCHMARKS = ./store/sqlite ./cache/... ./internal/importer ./internal/media ./internal/app

# A catalogue of real videos, measured if it exists beside the checkout.
KHAN ?= ../shared/data/khan-videos.jsonl

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 18

##
## Running

.PHONY: run
run: build ## serve a demo catalogue on this machine (ADDR=127.0.0.1:8080)
	bin/filmstrip serve --demo --addr $(ADDR)

.PHONY: build
build: ## build bin/filmstrip, one file that needs no C library
	$(GO) build -o bin/filmstrip ./cmd/filmstrip

.PHONY: contract-diff
contract-diff: ## list the changes between two releases that break clients (FROM=v1.0.0 TO=HEAD, or files)
	$(GO) run -C tools ./contractdiff $(or $(realpath $(FROM)),$(FROM)) $(or $(realpath $(TO)),$(TO),HEAD)

.PHONY: release
release: ## build dist/ from the current commit: binaries, bills of materials, checksums
	tools/release.sh

.PHONY: release-check
release-check: ## build dist/ again in a fresh clone and compare the checksums
	tools/release.sh --check

##
## Checking

.PHONY: check
check: generate-check format-check lint test test-system ## everything that CI runs

.PHONY: setup
setup: ## install the programs that tests need and this machine lacks (browser, ffmpeg, servers, npm packages)
	@tools/setup.sh

.PHONY: test
test: setup ## test every package of the product on real servers, and concurrent code with the race detector; results are cached
	@status=0; set -x; \
	$(IN_MEMORY) $(GO) test -p $(PARALLEL) $(TESTFLAGS) $(SLOWEST) $(PACKAGES) || status=$$?; \
	$(if $(RACE),$(IN_MEMORY) $(RACE) $(GO) test $(RACEFLAGS) -p $(PARALLEL) $(TESTFLAGS) $(RACED) || status=$$?;) \
	exit $$status
ifeq ($(RACE),)
	@echo '*** NO C COMPILER: no test ran with the race detector ***' >&2
endif

.PHONY: test-system
test-system: setup ## test whole systems: fleets, upgrades, failovers, outages, crashes, browsers, API fuzzing; tools, and more races
	@status=0; set -x; \
	$(if $(RACE),$(IN_MEMORY) $(RACE) $(GO) test $(RACEFLAGS) -p $(PARALLEL) $(TESTFLAGS) $(RACED_LATER) || status=$$?;) \
	$(if $(RACE),$(IN_MEMORY) $(RACE) $(GO) test $(RACEFLAGS) -p $(PARALLEL) $(TESTFLAGS) -run '$(RACED_TESTS)' $(RACED_IN_PART) || status=$$?;) \
	$(IN_MEMORY) $(GO) test -tags system -p $(SYSTEM_PARALLEL) $(TESTFLAGS) -run '^($(SYSTEM_TESTS))$$' $(SYSTEM_PACKAGES) || status=$$?; \
	$(IN_MEMORY) $(GO) test -C tools -p $(PARALLEL) $(TESTFLAGS) ./... || status=$$?; \
	$(IN_MEMORY) $(GO) test -C tools -tags system $(TESTFLAGS) -run '^($(SYSTEM_TESTS))$$' $(SYSTEM_TOOLS) || status=$$?; \
	exit $$status

.PHONY: test-short
test-short: ## run only quick tests, without the race detector
	$(GO) test -short $(PACKAGES)
	$(GO) test -C tools -short ./...

.PHONY: golden
golden: ## rewrite the golden files; review the diff before you commit it
	$(GO) test $$(git grep -l 'flag.Bool("update"' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,') -update

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME (20s)
	@git grep -oE '^func Fuzz[A-Za-z0-9_]*' -- '*_test.go' | sed -E 's,^(.*)/[^/]*:func ,./\1 ,' | \
	while read -r package target; do \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package" || exit 1; \
	done

.PHONY: crash
crash: ## kill servers that take events, about CRASHTIME (5m) for each engine, and count lost events
	FILMSTRIP_TEST_SOAK=$(CRASHTIME) $(GO) test -C tools -tags system -count=1 -v -timeout 2h -run Killed ./crash

.PHONY: bench
bench: build ## measure packages, the service against its floor, and the quality of search
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) -timeout 60m $(BENCHMARKS)
	$(GO) test -run '^$$' -bench . -benchtime 10000x ./auth
	GOMAXPROCS=1 $(GO) test -run '^$$' -bench 'Search|Writes|Open|Phrases' -benchtime 1x -timeout 60m ./search/embedded
	folder=$$(mktemp -d) && bin/filmstrip generate --videos 100000 >$$folder/lines.jsonl && \
	bin/filmstrip import --data $$folder/data $$folder/lines.jsonl; rm -rf $$folder
	$(GO) run -C tools ./floor --filmstrip $(CURDIR)/bin/filmstrip
	$(GO) run -C tools ./floor --filmstrip $(CURDIR)/bin/filmstrip --gzip
	$(GO) test -C tools -run '^$$' -bench . -benchtime 1x ./wire
	$(GO) run -C tools ./quality --generate 5000
	$(if $(wildcard $(KHAN)),$(GO) run -C tools ./quality --jq $(CURDIR)/examples/khan.jq $(abspath $(KHAN)),@echo '*** NOT MEASURED: $(KHAN) does not exist ***')

.PHONY: measure
measure: build ## long measurements: a backup of MEASURE_MB (3072) beside 20 writes a second, the most expensive request, the console, growth up to MEASURE_EVENTS (10,000,000) events, searches of MEASURE_VIDEOS (1,000,000) videos, an hour of mixed load
	FILMSTRIP_TEST_MEASURE=$(MEASURE_MB) $(GO) test -count=1 -v -run BesideWriters -timeout 60m ./internal/backup
	$(GO) run -C tools ./expensive --filmstrip $(CURDIR)/bin/filmstrip
	FILMSTRIP_TEST_MEASURE_VIDEOS=100000 $(GO) test -count=1 -v -tags system -run Paint -timeout 20m ./internal/apptest/console
	$(GO) run -C tools ./growth --filmstrip $(CURDIR)/bin/filmstrip --events $(MEASURE_EVENTS)
	$(GO) run -C tools ./searches --filmstrip $(CURDIR)/bin/filmstrip --videos $(MEASURE_VIDEOS)
	$(GO) run -C tools ./soak --filmstrip $(CURDIR)/bin/filmstrip

.PHONY: lint
lint: $(LINTER) ## find mistakes and imports in the wrong direction
	GOGC=$(LINTERGC) $(LINTER) run $(PACKAGES)
	$(if $(filter ./...,$(PACKAGES)),cd tools && GOGC=$(LINTERGC) $(CURDIR)/$(LINTER) run ./...)

$(LINTER):
	@echo 'building the linter, once ...'
	@mkdir -p .tools/build
	GOGC=$(LINTERGC) GOBIN=$(CURDIR)/.tools/build $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINTER_VERSION)
	@mv .tools/build/golangci-lint $@

.PHONY: format
format: ## format the Go files
	@$(SOURCES) | xargs -0 gofmt -w

.PHONY: format-check
format-check: ## fail if a Go file is not formatted
	@unformatted=$$($(SOURCES) | xargs -0 gofmt -l) && \
	if [ -n "$$unformatted" ]; then echo "not formatted (make format):" >&2; echo "$$unformatted" >&2; exit 1; fi

##
## Generated files in the repository

.PHONY: generate
generate: ## generate graph/ from schema.graphqls
	$(GO) tool -C tools gqlgen generate

.PHONY: generate-check
generate-check: ## fail if graph/ is out of date; the tree stays unchanged
	@tools/generate-check.sh

.PHONY: demo-media
demo-media: ## regenerate the demo streams (requires ffmpeg)
	tools/demomedia/make.sh

.PHONY: pages
pages: ## rebuild the pages that have a build: explorer, GraphiQL, API reference, player (requires node)
	for page in app graphiql docs player; do \
		(cd web/$$page && npm ci --no-audit --no-fund && npm run build) || exit 1; \
	done

.PHONY: clean
clean: ## remove built files
	rm -rf bin dist .tools "$${XDG_CACHE_HOME:-$$HOME/.cache}/filmstrip-apptest"
