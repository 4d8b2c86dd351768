# Two commands matter to a newcomer: `make demo` and `make test`. Everything sets itself up in .venv.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
BENCH  := .venv-bench
BRIDGES := .venv-bridges
RELEASE := .venv-release
REPORT ?=

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-wheel test-bridges test-redis test-crash test-bombs fuzz conformance bazel corpus test-all test-ranges check format lint lock generate wheel bench bench-compare soak coverage release clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | column -t -s '|'

# An environment, what is locked for it, and more options of pip.
define environment
@test -n "$(PYTHON)" || { echo "toolgen needs Python 3.11 or newer; none was found on PATH (set PYTHON=…)" >&2; exit 2; }
	@test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	@echo "setting up $(1) ($$($(1)/bin/python --version))"
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check $(3) --require-hashes -r $(2)
endef

# A lock that changed, or another interpreter, makes the environment stale.
$(READY): requirements/dev.txt pyproject.toml
	$(call environment,$(VENV),requirements/dev.txt)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY) ## the five systems that toolgen unites, walked with the gallery's tools, checked as told
	@$(BIN)/python -m examples.demo

test: $(READY) ## all tests but those that have a target of their own
	@$(BIN)/python -m pytest -n auto --dist worksteal $(REPORT)

test-slow: $(READY) ## more of what `make test` shows: every provider and era of the long tests
	@$(BIN)/python -m pytest -n auto --dist worksteal -m "slow and not redis" $(REPORT)

check: $(READY) ## everything static: format, lint, types, import contracts, generated code
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/pyright --project pyproject.toml --pythonpath $(BIN)/python
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/toolgen check

format: $(READY) ## lay out the sources
	@$(BIN)/ruff check --fix --exit-zero --quiet .
	@$(BIN)/ruff format .

generate: $(READY) ## write generated/ from specs/
	@$(BIN)/toolgen generate

test-wheel: $(READY) ## build the wheel, install it in clean environments, try each extra
	@$(BIN)/python -m pytest -m wheel tests/packaging

# The frameworks' pins must not disturb ours, nor ours be taken for what they need.
$(BRIDGES)/.ready: requirements/bridges.txt
	$(call environment,$(BRIDGES),requirements/bridges.txt)
	@touch $@

test-bridges: $(BRIDGES)/.ready ## the bridges to LangChain, pydantic-ai, the OpenAI Agents SDK and FastMCP, with the real ones
	@$(BRIDGES)/bin/mypy generator/toolgen/runtime/bridges
	@PYTHONPATH=generator $(BRIDGES)/bin/python -m pytest -m bridges tests/bridges

corpus: $(READY) ## other people's tools through all of toolgen (CORPUS="--mcp FILE --openai FILE --openapi FILE" for yours)
	@$(BIN)/python -m tools.corpus $(CORPUS)

test-redis: $(READY) ## replicas that share confirmations by Redis (Debian: redis-server)
	@command -v redis-server > /dev/null || { echo "install Redis first: apt-get install redis-server" >&2; exit 2; }
	@$(BIN)/python -m pytest -m redis tests/end_to_end -v

test-crash: $(READY) ## kill `generate` at 200 moments over 1,000 specs, and interrupt it at 30
	@$(BIN)/python -m pytest -m crash tests/cli/test_crash.py tests/end_to_end/commands/test_interrupt.py -s

test-bombs: $(READY) ## every expensive schema through every verb, under limits of time and memory
	@$(BIN)/python -m pytest -m bombs tests/bombs

# SEED=7 repeats one run; PART="text server" for some of it; REPLAY=file tries a finding again; PLANTED=1 tries the fuzzer.
fuzz: $(READY) ## look for texts that run, schemas that explode, sources and requests that hang (SECONDS=600)
	@$(BIN)/python -m tools.fuzz $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) \
		$(if $(PART),--part $(PART)) $(if $(REPLAY),--replay $(REPLAY)) $(if $(PLANTED),--planted)

conformance: $(READY) ## other people's protocol suites: the MCP Inspector and the conformance suite (needs npm)
	@$(BIN)/python -m pytest -m conformance tests/conformance -v

bazel: $(READY) ## build examples/bazel with the real Bazel and count its actions (Debian: bazel-bootstrap)
	@$(BIN)/python -m examples.bazel.show

test-all: ## the suite on every supported Python
	@for v in 3.11 3.12 3.13; do \
		p=$$(for c in python$$v $$HOME/.pyenv/versions/$$v.*/bin/python; do \
			$$c -c 'pass' 2>/dev/null && { echo $$c; break; }; done); \
		test -n "$$p" || { echo "python$$v was not found" >&2; exit 2; }; \
		echo "== Python $$v"; $(MAKE) --no-print-directory test VENV=.venv-$$v PYTHON=$$p || exit 1; \
	done

test-ranges: $(READY) ## the suite on the lowest and on the newest versions of every dependency
	@for r in lowest-direct highest; do \
		echo "== $$r"; $(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-$$r; \
		$(BIN)/uv pip compile --quiet --resolution $$r --all-extras --group dev pyproject.toml -o .venv-$$r/requirements.txt && \
		$(BIN)/uv pip install --quiet --python .venv-$$r -r .venv-$$r/requirements.txt && \
		$(BIN)/uv pip install --quiet --python .venv-$$r --no-deps --no-build-isolation -e . && \
		.venv-$$r/bin/python -m pytest -n auto --dist worksteal || exit 1; \
	done

lock: $(READY) ## refresh requirements/dev.txt, bench.txt after it, and bridges.txt and release.txt by themselves
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --all-extras --group dev pyproject.toml -o requirements/dev.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --constraints requirements/dev.txt --extra all \
		pyproject.toml requirements/bench.in -o requirements/bench.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --extra mcp --extra redis \
		pyproject.toml requirements/bridges.in -o requirements/bridges.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --group release -o requirements/release.txt

# The peers' pins must not disturb ours: they live in an environment of their own, byte-code compiled for all.
$(BENCH)/.ready: requirements/bench.txt
	$(call environment,$(BENCH),requirements/bench.txt,--compile)
	@touch $@

# A part: ROWS=help,check SIZES=10,100 ROUNDS=5. More: ALL=1. On a busy machine: CLOCK=cpu. All figures: JSON=file.
bench: $(BENCH)/.ready ## how fast, beside the peers: tables, docs/performance.md and its plot
	@$(BENCH)/bin/python -m benchmarks $(if $(ROWS),--rows $(ROWS)) $(if $(SIZES),--sizes $(SIZES)) \
		$(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(CLOCK),--clock $(CLOCK)) $(if $(ALL),--all) $(if $(JSON),--json $(JSON))

bench-compare: $(BENCH)/.ready ## this checkout beside another commit, BASE=main
	@$(BENCH)/bin/python -m benchmarks --compare "$${BASE:-main}" $(if $(SIZES),--sizes $(SIZES)) \
		$(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(CLOCK),--clock $(CLOCK))

# CALLS=10000 for a shorter one.
soak: $(READY) ## 100,000 calls over HTTP with misbehaving tools beside them
	@$(BIN)/python -m benchmarks.soak $(if $(CALLS),--calls $(CALLS))

wheel: $(READY) ## build the wheel and the source distribution into dist/
	@$(BIN)/python -m build --no-isolation --outdir dist .

coverage: $(READY) ## the suite, with the lines of the generator and the runtime that it runs
	@$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term:skip-covered --cov-report=xml

# DRAFT=1 before the changelog has a section for the version. Nothing is uploaded.
$(RELEASE)/.ready: requirements/release.txt
	$(call environment,$(RELEASE),requirements/release.txt)
	@touch $@

release: $(READY) $(RELEASE)/.ready ## build and check what a release publishes, with its notes, into dist/
	@$(RELEASE)/bin/python -m tools.release $(if $(DRAFT),--draft)
	@TOOLGEN_DIST=dist $(BIN)/python -m pytest -m wheel tests/packaging

clean: ## remove what these commands made
	@rm -rf .venv .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
