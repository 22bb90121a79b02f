# The tasks of a developer. `make help` lists them.

GOFUMPT     = go run mvdan.cc/gofumpt@v0.12.0
STATICCHECK = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2
TEMPL       = go run github.com/a-h/templ/cmd/templ@v0.3.977
GOLANGCI    = go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
# vet also checks the tests, so it runs for one platform of each system and one with 32 bits.
VETTED = linux/386 darwin/arm64 windows/amd64

# The race detector needs a C compiler.
RACE := $(shell command -v cc >/dev/null 2>&1 && echo -race)

GOVULNCHECK = go run golang.org/x/vuln/cmd/govulncheck@v1.9.0
APIDIFF     = go run golang.org/x/exp/cmd/apidiff@v0.0.0-20261014143641-f0251eb4aa3e

# How long each fuzz target runs.
FUZZTIME = 10s

.PHONY: help install generate test test-386 test-arm64 test-wine peers models bench bench-peers fuzz lint vulnerabilities fmt cross cover conformance release release-test api rename site

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile

# Without cgo, symbols and paths the command is a third smaller and starts faster. On Linux it
# then asks DNS itself, and not the C library, for names: build it with "go install" if names
# come from LDAP or mDNS.
install: ## install the command, small and quick to start
	CGO_ENABLED=0 go install -trimpath -ldflags='-s -w -funcalign=16' ./cmd/locus

generate: ## write the Go code of the pages (*_templ.go) from their templates (*.templ)
	$(TEMPL) generate -include-version=false -log-level error

# vet gets -trimpath because the tests that build the command use it. With the same flags each
# package is compiled only once.
test: ## run every test that this machine can run, and list the skipped tests (CI=true: fail if one could have run)
	@if [ "$$CI" = true ]; then $(MAKE) --no-print-directory peers; fi
	go vet -trimpath ./...
	go run ./internal/tests -timeout 30m $(RACE) ./...

# It takes a minute of processor time.
test-386: ## run the tests of the parsers, built for a processor of 32 bits
	GOARCH=386 CGO_ENABLED=0 go test -short ./url/... ./scheme/... ./compare ./extract

# It needs the Debian package qemu-user-static. The emulator has no AVX2 and no cgo.
test-arm64: ## run the tests of the parsers, built for arm64, in an emulator
	GOARCH=arm64 CGO_ENABLED=0 go test -short -timeout 10m -exec qemu-aarch64-static ./internal/ascii ./internal/avx2 ./internal/facts ./url/... ./scheme/... ./compare ./extract

# It needs the Debian packages wine and gcc-mingw-w64-x86-64.
test-wine: ## run the tests, built for Windows, in Wine
	internal/wine/test.sh

peers: ## fetch the real servers that tests talk to, and test suites, into a cache folder (Debian, Ubuntu)
	go run ./internal/peers/fetch

# It needs apt, with the keyring of Debian, and npm. Without `make models` the tests compare the
# models with the recorded answers in compare/testdata.
models: ## fetch the programs that compare models, and record and compare their answers
	go run ./internal/models/fetch
	go test -count=1 -run '^Test(Live|Recorded)$$' ./compare -record

bench-peers: ## fetch the newest programs that benchmarks run beside locus (Debian)
	go run ./internal/models/fetch bench

bench: ## run every benchmark, and those beside other projects
	go test -run '^$$' -bench . -benchmem ./...
	cd bench && go test -run '^$$' -bench . -benchmem ./...

# With FUZZDONE=FILE a run may be interrupted and continued: FILE lists the targets that have run.
fuzz: ## run every fuzz target for FUZZTIME (10s); FUZZDONE=FILE skips and lists those that have run
	go run ./internal/fuzzing -time $(FUZZTIME) -done "$(FUZZDONE)" ./...

lint: vulnerabilities ## gofumpt, go vet, staticcheck, golangci-lint and govulncheck, at the versions named here
	@test -z "$$($(GOFUMPT) -l . | tee /dev/stderr)"
	go vet ./...
	$(STATICCHECK) ./...
	$(GOLANGCI) run ./...

# The database is at vuln.go.dev, or at the address in GOVULNDB. If it cannot be reached, lint
# fails only with LINT_ONLINE=true.
vulnerabilities: ## list known vulnerabilities that locus can reach, by govulncheck
	@if curl --fail --silent --location --max-time 20 --output /dev/null "$${GOVULNDB:-https://vuln.go.dev}/index/modules.json"; then \
		$(GOVULNCHECK) ./...; \
	else \
		echo "govulncheck: NOT RUN: the database of vulnerabilities cannot be reached (GOVULNDB names another)" >&2; \
		[ "$$LINT_ONLINE" != true ]; \
	fi

fmt: ## format the sources with gofumpt
	$(GOFUMPT) -w .

cross: ## build for linux, darwin and windows, on amd64 and arm64, and vet one of each
	@for p in $(PLATFORMS); do \
		echo "build $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 go build -o /dev/null ./... || exit 1; \
	done
	@for p in $(VETTED); do \
		echo "vet $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 go vet ./... || exit 1; \
	done

cover: ## test coverage by package, and as a page in cover.html
	go test -coverprofile=cover.out -coverpkg=./... ./...
	go tool cover -html=cover.out -o cover.html

conformance: ## write the tables of doc/conformance.md and doc/threats.md from the tests
	go test -run '^Test(Attacks|Conformance|Divergences|RealInput)$$' ./internal/house -update

release: ## build all files of a release from the last commit, into dist/
	cd release && go run . -out ../dist

# As root on Debian, with mmdebstrap and buildah. It takes ten minutes.
release-test: release ## install the deb in a clean Debian and run it, build the container image and run it
	cd release && go test -count=1 ./...
	release/try-deb.sh dist/locus_*_linux_amd64.deb
	release/try-image.sh

api: ## compare the stable packages with the last tag: an incompatible change fails
	@APIDIFF="$(APIDIFF)" release/api.sh

# The first time takes some minutes, because Hugo is built from its source.
site: ## build the documentation as pages, into site/public/ (needs the Go module proxy once)
	cd site && go run . -out public

rename: ## give the module the name MODULE, such as example.org/locus
	cd release && go run ./rename .. "$(MODULE)"
