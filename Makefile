# Start with `make demo` and `make test`. Every command sets up its environment.

PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
BRIDGES := .venv-bridges
RELEASE := .venv-release
DEPLOY := .venv-deploy
REPORT ?=

.DEFAULT_GOAL := help
.PHONY: help adversary demo test test-slow test-wheel test-bridges test-browser test-all check generate adopt clients corpus conformance journeys fuzz mutants breaking-proof bench soak docs explorer lock release clean

help: ## show this list
	@sed -n 's/^\([a-z%-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | column -t -s '|'

# Arguments: an environment, its lock file.
define environment
@test -n "$(PYTHON)" || { echo "toolgen needs Python 3.11 or newer; none was found on PATH (set PYTHON=…)" >&2; exit 2; }
	@test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	@echo "setting up $(1) ($$($(1)/bin/python --version))"
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/pip.txt
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(2)
endef

# The environment is updated when a lock file has changed.
$(READY): requirements/dev.txt pyproject.toml
	$(call environment,$(VENV),requirements/dev.txt)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY) ## show the five designs that toolgen brings together, with real calls of the gallery's tools
	@$(BIN)/python -m examples.demo

# REPORT="--cov --cov-report=term:skip-covered" reports coverage.
test: $(READY) ## run the tests, except those with their own target
	@$(BIN)/python -m pytest -n auto --dist worksteal $(REPORT)

test-slow: $(READY) ## run slow tests: further cases, providers, protocol eras and sizes, and all generated examples
	@$(BIN)/python -m pytest -n auto --dist worksteal -m "slow and not redis" $(REPORT)

test-wheel: $(READY) ## build the wheel, install it in clean environments, test each extra
	@$(BIN)/python -m pytest -m wheel tests/packaging

# The frameworks have their own environment, so that neither their versions nor ours affect each other.
$(BRIDGES)/.ready: requirements/bridges.txt
	$(call environment,$(BRIDGES),requirements/bridges.txt)
	@$(BRIDGES)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

test-bridges: $(BRIDGES)/.ready ## test the bridges with LangChain, pydantic-ai, the OpenAI Agents SDK and FastMCP
	@$(BRIDGES)/bin/mypy --follow-imports=silent generator/toolgen/serving/bridges generator/toolgen/serving/adopted generator/toolgen/sources/loading/server_child.py
	@PYTHONPATH=$(CURDIR)/generator $(BRIDGES)/bin/python -m pytest -m bridges tests/bridges tests/adopt

# PICTURES=docs/pictures writes those of the documentation.
test-browser: $(READY) ## test the page of `toolgen docs`, the documentation and the MCP Inspector in Chromium (needs npm; Debian: chromium)
	@TOOLGEN_PICTURES=$(PICTURES) $(BIN)/python -m pytest -m browser tests/approval tests/conformance tests/explorer tests/site -v -rP

# hadolint and kubernetes-validate have their own environment.
$(DEPLOY)/.ready: requirements/deploy.txt
	$(call environment,$(DEPLOY),requirements/deploy.txt)
	@touch $@

# The Python of Debian's unstable, which is newer than those we have, in a root of its own: it needs root's rights.
NEXT ?= /var/tmp/toolgen-next
test-next:
	@test -x $(NEXT)/usr/bin/python3 || debootstrap --variant=minbase --include=ca-certificates,git,make,python3,python3-venv \
		unstable $(NEXT) $$(apt-get indextargets --format '$$(SITE)' | sort -u | head -1)
	@cp /etc/resolv.conf $(NEXT)/etc/; for f in /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do test ! -f $$f || cp $$f $(NEXT)$$f; done
	@mountpoint -q $(NEXT)/proc || mount -t proc proc $(NEXT)/proc
	@mountpoint -q $(NEXT)/dev/pts || mount -t devpts -o ptmxmode=0666 devpts $(NEXT)/dev/pts
	@rm -rf $(NEXT)/root/toolgen && git clone -q . $(NEXT)/root/toolgen
	@env -u PIP_FIND_LINKS HOME=/root chroot $(NEXT) make -C /root/toolgen test PYTHON=python3 REPORT=$(REPORT)

# What a further part of the tests is in, and the programs of Debian that it needs.
IN_bombs := tests/bombs
IN_ci := tests/ci
IN_crash := tests/cli/test_crash.py tests/end_to_end/commands/test_interrupt.py
IN_deploy := tests/deploy
IN_editors := tests/editors
IN_promptfoo := tests/promptfoo
IN_redis := tests/end_to_end
IN_replicas := tests/replicas
IN_tokens := tests/measuring
# tests of processor time want a machine that does nothing else
AFTER_bombs = TOOLGEN_TIMED=1 $(BIN)/python -m pytest $$(grep -rlE "processor_(limit|time)\(" tests --include="test_*.py")
NEEDS_deploy := nginx promtool systemd-analyze
NEEDS_editors := nvim npm
NEEDS_redis := redis-server
NEEDS_replicas := nginx redis-server

test-deploy: $(DEPLOY)/.ready

# test-bombs includes tests with limits of processor time. `make test-redis KILLS=500` kills workers so often; `make test-editors PICTURES=docs/pictures` writes the picture of the documentation.
test-%: $(READY) ## run further tests: test-bombs -ci -crash -deploy -editors -next -promptfoo -redis -replicas -tokens
	@test -n "$(IN_$*)" || { echo "there is no target test-$*: see make help" >&2; exit 2; }
	@for p in $(NEEDS_$*); do PATH="$$PATH:/usr/sbin" command -v $$p > /dev/null || { echo "$$p is not installed; CONTRIBUTING.md names the packages of Debian" >&2; exit 2; }; done
	@PATH="$(if $(filter deploy,$*),$(CURDIR)/$(DEPLOY)/bin:)$$PATH" TOOLGEN_PICTURES=$(PICTURES) $(BIN)/python -m pytest -m $* $(IN_$*) -v
	@$(AFTER_$*)

test-all: $(READY) ## run the tests on every supported Python, and with the lowest and the newest versions of dependencies
	@for v in 3.11 3.12 3.13; do \
		p=$$(for c in python$$v $$HOME/.pyenv/versions/$$v.*/bin/python; do \
			$$c -c 'pass' 2>/dev/null && { echo $$c; break; }; done); \
		test -n "$$p" || { echo "python$$v was not found" >&2; exit 2; }; \
		echo "== Python $$v"; $(MAKE) --no-print-directory test VENV=.venv-$$v PYTHON=$$p || exit 1; \
	done
	@for r in lowest-direct highest; do \
		echo "== $$r"; $(BIN)/uv venv --quiet --clear --seed --python $(BIN)/python .venv-$$r; \
		$(BIN)/uv pip compile --quiet --resolution $$r --all-extras --group dev pyproject.toml -o .venv-$$r/requirements.txt && \
		$(BIN)/uv pip install --quiet --python .venv-$$r -r .venv-$$r/requirements.txt && \
		$(BIN)/uv pip install --quiet --python .venv-$$r --no-deps --no-build-isolation -e . && \
		.venv-$$r/bin/python -m pytest -n auto --dist worksteal || exit 1; \
	done

# FIX=1 formats the sources first.
check: $(READY) ## check format, lint, types, import contracts and generated code
	@$(if $(FIX),$(BIN)/ruff check --fix --exit-zero --quiet . && $(BIN)/ruff format --quiet .)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/pyright --project pyproject.toml --pythonpath $(BIN)/python
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/toolgen check

generate: $(READY) ## generate generated/ from specs/
	@$(BIN)/toolgen generate

adopt: $(BRIDGES)/.ready ## adopt example servers of FastMCP and the MCP SDK, and compare them before and after
	@$(BRIDGES)/bin/python -m tests.adopt.examples

# RESULTS=5 makes it shorter.
clients: $(READY) ## generate typed clients of servers from npm and of the corpora; run, compare and type-check them (needs npm)
	@$(BIN)/python -m tools.clients $(if $(RESULTS),--results $(RESULTS))

corpus: $(READY) ## run published tools through all of toolgen (CORPUS="--mcp FILE --openai FILE --openapi FILE" for yours)
	@$(BIN)/python -m tools.corpus $(CORPUS)

conformance: $(READY) ## run the MCP Inspector and the MCP conformance suite (needs npm)
	@$(BIN)/python -m pytest -m conformance tests/conformance -v

journeys: $(READY) $(BRIDGES)/.ready ## run and time user journeys, from the first command to a tool that answers in an MCP client (ONLY=empty_folder; needs npm)
	@$(BIN)/python -m tools.journeys $(if $(ONLY),--only $(ONLY))

# SEED=7 repeats a run; PART="text terminal" selects parts; REPLAY=file repeats a finding; PLANTED=1 tests the fuzzer.
fuzz: $(READY) ## search for texts that run as code or control the terminal (SECONDS=600)
	@$(BIN)/python -m tools.fuzz $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) \
		$(if $(PART),--part $(PART)) $(if $(REPLAY),--replay $(REPLAY)) $(if $(PLANTED),--planted)

# TRIES=100 makes it shorter; SEED=7 repeats a run.
adversary: $(READY) ## try 2,000 times to act without the approval of a person, and 1,000 scripts without that of a user
	@$(BIN)/python -m tests.approval.adversary $(if $(TRIES),--tries $(TRIES)) $(if $(SEED),--seed $(SEED))
	@$(BIN)/python -m tests.code_mode.adversary --scripts 1000

# PROJECT=lending uses another project; CLEAN=20 counts false alarms on the correct one.
mutants: $(READY) ## put semantic faults into the gallery's implementations, count how many toolgen test finds
	@$(BIN)/python -m tools.mutants $(if $(PROJECT),--project $(PROJECT)) $(if $(CLEAN),--clean $(CLEAN))

# SEED=7 repeats a run; CELLS="minimum items" selects keywords, PART="edits corpora suite" parts; PAIRS=200 of each cell.
breaking-proof: $(READY) ## compare schemas for every edit, and try to refute the verdicts (SECONDS=600)
	@$(BIN)/python -m tools.breaking $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) \
		$(if $(CELLS),--cells $(CELLS)) $(if $(PAIRS),--pairs $(PAIRS)) $(if $(PART),--part $(PART))

# A part: ROWS=help,check SIZES=10,100 ROUNDS=5. Busy machine: CLOCK=cpu. Figures: JSON=file.
bench: $(READY) ## measure the speed of commands, servers and calls
	@$(BIN)/python -m benchmarks $(if $(ROWS),--rows $(ROWS)) $(if $(SIZES),--sizes $(SIZES)) \
		$(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(CLOCK),--clock $(CLOCK)) $(if $(JSON),--json $(JSON))

# bench-compare: BASE=v1 is the other commit, SIZES, ROUNDS and CLOCK as for bench.
BENCH_compare = benchmarks --compare "$${BASE:-main}" $(if $(SIZES),--sizes $(SIZES)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(CLOCK),--clock $(CLOCK))
# bench-worst: COMMIT=v1 measures another version, CLOCK=cpu a busy machine, ONLY=text some of the requests.
BENCH_worst = benchmarks.worst $(if $(COMMIT),--commit $(COMMIT)) $(if $(CLOCK),--clock $(CLOCK)) $(if $(ONLY),--only "$(ONLY)")
bench-%: $(READY) ## bench-compare: the speed of another commit; bench-worst: what the worst requests cost other clients, and memory
	@test -n '$(BENCH_$*)' || { echo "there is no target bench-$*: see make help" >&2; exit 2; }
	@$(BIN)/python -m $(BENCH_$*)

# CALLS=10000 makes it shorter.
soak: $(READY) ## make 100,000 calls of both eras over HTTP while tools and clients misbehave
	@$(BIN)/python -m benchmarks.soak $(if $(CALLS),--calls $(CALLS))

docs: $(READY) ## build the documentation as a site in build/site, and check its links
	@$(BIN)/python -m tools.docs_site

explorer: ## build the script of the page of `toolgen docs` from explorer/ (needs npm)
	@command -v npm > /dev/null || { echo "install npm and node 20 first: apt-get install npm" >&2; exit 2; }
	@cd explorer && npm ci --legacy-peer-deps --no-audit --no-fund --silent && node build.mjs

# Arguments: a lock file, and what it is of.
define locked
@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate $(2) -o requirements/$(1).txt
endef

lock: $(READY) ## update the lock files in requirements/
	$(call locked,dev,--all-extras --group dev pyproject.toml)
	$(call locked,bridges,--extra approval --extra cli --extra mcp --extra redis pyproject.toml requirements/bridges.in)
	$(call locked,release,--group release)
	$(call locked,pip,--group pip)
	$(call locked,deploy,requirements/deploy.in)

# DRAFT=1 before the changelog has a section for the version. Nothing is uploaded.
$(RELEASE)/.ready: requirements/release.txt
	$(call environment,$(RELEASE),requirements/release.txt)
	@touch $@

release: $(READY) $(RELEASE)/.ready ## build and check what a release publishes, with its notes and SBOM, into dist/
	@$(RELEASE)/bin/python -m tools.release $(if $(DRAFT),--draft)
	@TOOLGEN_DIST=dist $(BIN)/python -m pytest -m wheel tests/packaging

clean: ## remove everything that these commands create
	@rm -rf .venv .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
