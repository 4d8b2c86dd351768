# Two commands matter to a newcomer: `make demo` and `make test`. Everything sets itself up in .venv.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
REPORT ?=

.DEFAULT_GOAL := help
.PHONY: help demo test test-wheel conformance test-all test-ranges check format lint lock generate wheel clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | column -t -s '|'

# A lock that changed, or another interpreter, makes the environment stale.
$(READY): requirements/dev.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "toolgen needs Python 3.11 or newer; none was found on PATH (set PYTHON=…)" >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) ($$($(BIN)/python --version))"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY) ## generate the gallery, serve it, call it through MCP and OpenAI
	@$(BIN)/toolgen generate
	@$(BIN)/python -m examples.demo

test: $(READY) ## all tests
	@$(BIN)/python -m pytest -n auto --dist worksteal $(REPORT)

check: $(READY) ## everything that must hold before a commit
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/pyright --pythonpath $(BIN)/python
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/toolgen check
	@$(BIN)/python -m pytest -n auto --dist worksteal

format: $(READY) ## lay out the sources
	@$(BIN)/ruff check --fix --exit-zero --quiet .
	@$(BIN)/ruff format .

generate: $(READY) ## write generated/ from specs/
	@$(BIN)/toolgen generate

test-wheel: $(READY) ## build the wheel, install it in clean environments, try each extra
	@$(BIN)/python -m pytest -m wheel tests/packaging

conformance: $(READY) ## other people's protocol suites: the MCP Inspector and the conformance suite (needs npm)
	@$(BIN)/python -m pytest -m conformance tests/conformance -v

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

lock: $(READY) ## refresh requirements/dev.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --all-extras --group dev pyproject.toml -o requirements/dev.txt

wheel: $(READY) ## build the wheel and the source distribution into dist/
	@$(BIN)/python -m build --no-isolation --outdir dist .

clean: ## remove what these commands made
	@rm -rf .venv .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
