# What a person or CI runs. Everything that a target needs, it installs.

GO      ?= go
PYTHON  ?= python3
STYLE   := ruff==0.17.6 mypy==2.4.1
BIN     := bin
VENVS   := .venv
TOOLS   := $(abspath $(BIN)/tools)

GOLANGCI_VERSION := v2.15.0
GOLANGCI         := $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION)

# Tests, lint and builds share these settings, so that a package is compiled once.
export CGO_ENABLED ?= 0
export GOFLAGS := $(filter-out -trimpath,$(shell $(GO) env GOFLAGS)) -trimpath

SIDECARS := $(patsubst sidecar/%/requirements.txt,%,$(wildcard sidecar/*/requirements.txt))
SUITES   := $(wildcard evals/*.yaml) $(wildcard worlds/*/evals.yaml)

DEADCODE_VERSION := v0.48.0
DEADCODE         := $(TOOLS)/deadcode-$(DEADCODE_VERSION)

GOVULNCHECK_VERSION := v1.8.0
GOVULNCHECK         := $(TOOLS)/govulncheck-$(GOVULNCHECK_VERSION)

.PHONY: all calibration openai-clients chromium axe licences vulnerabilities security build lab fitting promtool test test-go k8s-checks test-python test-python-nli-train sidecar-nli-test generate vet fmt lint race evals ablation honesty chaos chaos-mutants ci clean

all: build

## build: the one binary, static and without symbols, and its size
build:
	$(GO) build -ldflags='-s -w' -o $(BIN)/forsooth ./cmd/forsooth
	@wc -c <$(BIN)/forsooth | awk '{printf "$(BIN)/forsooth: %.1f MB\n", $$1 / 1e6}'

## lab: the laboratory, a module and a binary of its own
lab:
	cd lab && $(GO) build -o ../$(BIN)/lab ./cmd/lab

## fitting: the tools that fit calibration, review and retrieval to new weights
fitting:
	cd lab && $(GO) build -o ../$(BIN)/ ./ablation ./calibrate ./calibrate/page ./deedfit ./fitting ./gatefit

## calibration: the verifier's calibration to new weights; it wants FORSOOTH_TEST_DATA
calibration:
	$(PYTHON) sidecar/nli/train/pairs.py sidecar/nli/train/held | (cd lab && $(GO) run ./calibrate \
		-pairs "$(FORSOOTH_TEST_DATA)/npc/pairs.jsonl" -also /dev/stdin -out ../internal/entail/nli/calibration.json)

## test: install what the tests need and run all of them; what go vet says is the business of lint
test: test-python test-go

test-go: qdrant-edge promtool openai-clients chromium axe
	FORSOOTH_TEST_ALL=1 $(GO) test -vet=off -tags failpoint ./...
	cd lab && FORSOOTH_TEST_ALL=1 $(GO) test -vet=off ./...

test-python: $(addprefix test-python-,$(SIDECARS)) test-python-nli-train

test-python-%: $(VENVS)/%/ready
	cd sidecar/$* && ../../$(VENVS)/$*/bin/python -m pytest -q || [ $$? -eq 5 ] # 5: this sidecar has no test

# The training's tests run where the sidecar's do; those that need torch skip themselves there.
test-python-nli-train: $(VENVS)/nli/ready
	cd sidecar/nli/train && ../../../$(VENVS)/nli/bin/python -m pytest -q

# A sidecar's own tests need no framework that its requirements do not name.
.PRECIOUS: $(VENVS)/%/ready
$(VENVS)/%/ready: sidecar/%/requirements.txt
	$(PYTHON) -m venv $(VENVS)/$*
	$(VENVS)/$*/bin/pip install -q --disable-pip-version-check -r $< pytest
	touch $@

## qdrant-edge: Qdrant's engine in Python, which the tests of the Qdrant store run against
qdrant-edge: $(VENVS)/qdrant-edge/ready

$(VENVS)/qdrant-edge/ready: internal/store/qdrant/edgetest/requirements.txt
	$(PYTHON) -m venv $(VENVS)/qdrant-edge
	$(VENVS)/qdrant-edge/bin/pip install -q --disable-pip-version-check -r $<
	touch $@

## openai-clients: OpenAI's official clients, which the tests of the gateway run against it; without Python or node, that test is left out
openai-clients: $(VENVS)/openai/ready

$(VENVS)/openai/ready: examples/openai/go/go.mod examples/openai/go/main.go examples/openai/python/requirements.txt examples/openai/js/package.json examples/openai/js/talk.mjs
	mkdir -p $(VENVS)/openai/js
	cd examples/openai/go && $(GO) build -o $(abspath $(VENVS))/openai/talk-go .
	if command -v $(PYTHON) >/dev/null; then $(PYTHON) -m venv $(VENVS)/openai/python && \
		$(VENVS)/openai/python/bin/pip install -q --disable-pip-version-check -r examples/openai/python/requirements.txt; fi
	if command -v npm >/dev/null; then cp examples/openai/js/package.json examples/openai/js/talk.mjs $(VENVS)/openai/js/ && npm install --silent --no-audit --no-fund --prefix $(VENVS)/openai/js; fi
	touch $@

## engine-clients: what the tests of clients/ run: Godot 3 and mono from Debian, and Python's packages; a client whose runtime is missing is left out
.PHONY: engine-clients
test-go engine-clients: $(VENVS)/engines/ready

ENGINES := godot3-server mono-mcs mono-runtime libmono-system-net-http4.0-cil

$(VENVS)/engines/ready: clients/python/pyproject.toml
	mkdir -p $(VENVS)/engines
	if command -v godot3-server >/dev/null && command -v mcs >/dev/null && command -v mono >/dev/null; then :; \
	elif command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get -qq update && apt-get -qq install -y --no-install-recommends $(ENGINES) >/dev/null || echo "Debian's $(ENGINES) cannot be installed: the tests of those clients are left out" >&2; \
	else echo "godot3-server, mcs or mono is missing, and this user cannot install it: the tests of those clients are left out" >&2; fi
	if command -v $(PYTHON) >/dev/null; then $(PYTHON) -m venv $(VENVS)/engines/python && \
		$(VENVS)/engines/python/bin/pip install -q --disable-pip-version-check './clients/python[socket]' 'gdtoolkit==4.*' 'mypy==2.4.1'; fi
	touch $@

## chromium: the machine's, else Debian's, which the tests of the inspector drive; without one they are left out
chromium:
	@for name in chromium chromium-browser google-chrome chrome; do command -v $$name >/dev/null && exit 0; done; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then apt-get -qq update && apt-get -qq install -y chromium >/dev/null; \
	else echo "Chromium is not installed; the tests of the inspector in a browser are left out"; fi

## axe: axe-core (MPL-2.0), which looks for what keeps people from using the inspector; without npm that test is left out
axe: $(VENVS)/axe/ready

$(VENVS)/axe/ready: services/gateway/testdata/axe/package.json
	mkdir -p $(VENVS)/axe
	if command -v npm >/dev/null; then cp $< $(VENVS)/axe/ && npm install --silent --no-audit --no-fund --prefix $(VENVS)/axe; fi
	touch $@

## promtool: the machine's, else Debian's, which the tests of the alert rules run
promtool: $(TOOLS)/promtool

$(TOOLS)/promtool:
	@mkdir -p $(TOOLS) && dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && cd "$$dir" && \
	if command -v promtool >/dev/null; then ln -s "$$(command -v promtool)" $@; \
	elif command -v apt-get >/dev/null; then \
		{ apt-get -qq download prometheus 2>/dev/null || { apt-get -qq update && apt-get -qq download prometheus; }; } && \
		dpkg-deb -x prometheus_*.deb . && mv usr/bin/promtool $@; \
	else echo "promtool is not installed, and there is no apt-get to fetch Debian's; install Prometheus" >&2; exit 1; fi

## sidecar-nli-test: tests, style and types of the entailment sidecar; of these, `test` runs the tests
sidecar-nli-test: test-python-nli
	$(VENVS)/nli/bin/pip install -q --disable-pip-version-check $(STYLE)
	cd sidecar/nli && export PATH=$(abspath $(VENVS)/nli/bin):$$PATH && \
	ruff check forsooth_nli tests && ruff format --check forsooth_nli tests && mypy forsooth_nli tests

## k8s-checks: docker-compose.yml and the manifests, as compose, kustomize and Kubernetes read them
k8s-checks:
	cd k8s/checks && $(GO) test ./...

## generate: the JSON Schemas of the wire contract, and the pages of settings and metrics
generate:
	$(GO) generate ./internal/schemagen ./internal/config ./internal/telemetry

vet:
	$(GO) vet ./...
	$(GO) vet -tags failpoint ./internal/mesh/...
	cd lab && $(GO) vet ./...

fmt:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted; run gofmt -w on:"; echo "$$unformatted"; exit 1; fi

$(GOLANGCI):
	mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) GOFLAGS= $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	mv $(TOOLS)/golangci-lint $@

$(DEADCODE):
	mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) GOFLAGS= $(GO) install golang.org/x/tools/cmd/deadcode@$(DEADCODE_VERSION)
	mv $(TOOLS)/deadcode $@

## lint: vet, format, golangci-lint, and code that nothing calls
lint: vet fmt $(GOLANGCI) $(DEADCODE)
	$(GOLANGCI) run --build-tags failpoint ./...
	cd lab && $(GOLANGCI) run --config ../.golangci.yml ./...
	.ci/deadcode $(DEADCODE)

## race: the race detector where goroutines meet
race:
	CGO_ENABLED=1 $(GO) test -vet=off -tags failpoint -race -short ./internal/mesh/... ./services/...

## evals: the suites of evals/ and worlds/ and recorded speech, with their thresholds
evals: lab
	@rm -rf $(BIN)/evals
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target $(SUITES)
	$(BIN)/lab sayings evals/memory-sayings.jsonl --pairs evals/memory-sayings-pairs.jsonl --json >$(BIN)/evals/sayings.json
	FORSOOTH_EVALS=$(abspath $(BIN))/evals $(GO) test -count=1 -run '^TestThePapersPage' ./cmd/forsooth
	cd lab && FORSOOTH_EVALS=$(abspath $(BIN))/evals $(GO) test -count=1 -run '^TestTheMemoryPage' ./cmd/lab
	@if [ -n "$$FORSOOTH_TEST_DATA" ]; then echo "bench speech"; FORSOOTH_EVALS=$(abspath $(BIN))/evals $(GO) test -count=1 -timeout 30m -v -run '^TestRecordedSpeechMeetsItsBars$$' ./internal/bench; \
	else echo "bench speech: skipped, FORSOOTH_TEST_DATA does not name the folder of the recorded speeches"; fi

# Two suites go side by side: a turn waits for the disk now and then.
.PHONY: $(SUITES)
$(SUITES): build
	@mkdir -p $(BIN)/evals; echo "eval $@"; name=$$(basename $@ .yaml); [ $$name != evals ] || name=$$(basename $$(dirname $@)); \
	$(BIN)/forsooth eval $@ --report $(BIN)/evals/$$name.json

## ablation: what each rule of entailment is worth, on pairs of FORSOOTH_TEST_DATA and on held speech
ablation:
	@mkdir -p $(BIN)/ablation && cd sidecar/nli/train && $(PYTHON) pairs.py held > $(abspath $(BIN))/ablation/held.jsonl && \
	$(PYTHON) spoken.py speech --held tenth > $(abspath $(BIN))/ablation/tenth.jsonl
	cd lab && $(GO) run ./ablation -pairs $(FORSOOTH_TEST_DATA)/npc/pairs.jsonl,../$(BIN)/ablation/held.jsonl \
		-speech $(FORSOOTH_TEST_DATA)/npc/speech.jsonl,../$(BIN)/ablation/tenth.jsonl -page ../docs/grounding.md

## honesty: scripted models lie in both worlds; nothing unsupported may be released
honesty: lab
	$(BIN)/lab honesty --world hollowmere --world shadowwatch --turns 5

## licences: what every module that is built in may be used under
licences:
	$(GO) test -count=1 -run 'Licen[cs]e' ./cmd/forsooth

$(GOVULNCHECK):
	mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) GOFLAGS= $(GO) install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)
	mv $(TOOLS)/govulncheck $@

## vulnerabilities: known holes in what is built in, where their database can be reached
vulnerabilities: $(GOVULNCHECK)
	.ci/vulnerabilities $(GOVULNCHECK)

## security: hidden orders against a model that obeys, and, where FORSOOTH_TEST_DATA has them, prompts of
## which 1 % at most may be held back
security: lab
	$(BIN)/lab security --every 5

## chaos: a mesh broken on purpose for three minutes; SEED repeats a run
chaos: lab
	$(BIN)/lab chaos --minutes $(or $(MINUTES),3) --turns $(or $(TURNS),600) --seed $(or $(SEED),0)

## chaos-mutants: builds in which one guard is broken; the invariant that watches it must see each. ONLY names some
chaos-mutants:
	GO=$(GO) lab/mutants $(ONLY)

## ci: what CI runs
ci:
	bash .ci/run

clean:
	rm -rf $(BIN) $(VENVS)
