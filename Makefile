# The common face of the project: `make run` plays, `make check` is what a change must pass.
# Needs make, git and Python 3.11 or newer. Everything else is installed into .venv and .tools. A C compiler is used
# where there is one, for equity.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run test test-all fuzz simulate chaos coverage check fix lock protos clean

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

UV_VERSION := 0.13.9
UV_ON_PATH := $(shell uv --version >/dev/null 2>&1 && command -v uv)
UV := $(if $(UV_ON_PATH),$(UV_ON_PATH),.tools/bin/uv)
UV_BOOTSTRAP := $(if $(UV_ON_PATH),,.tools/bin/uv)

export UV_PYTHON_DOWNLOADS ?= never
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# The first interpreter that is new enough; PYTHON=... chooses another.
PYTHON ?= $(shell for python in python3.11 python3 python3.12 python3.13 python3.14 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$python && break; done)
NEED_PYTHON = $(if $(PYTHON),,$(error Python 3.11 or newer is needed and none was found on the PATH; \
	install one, or name it: make PYTHON=/path/to/python3.11))

# What the generated code is, as one number.
GENERATED_SUM = find protos -type f -name '*_pb2*' ! -path '*/__pycache__/*' | LC_ALL=C sort | xargs cksum | cksum

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(READY)  ## install everything into .venv

run: $(READY)  ## play: start a whole cluster on this machine (Ctrl-C stops it)
	@exec $(BIN)/croupier up

# What starts no cluster is done side by side; what does has the machine to itself.
test: $(READY)  ## fast and integration tests
	@$(BIN)/pytest -m "not slow and not integration" --numprocesses logical --maxprocesses 4 --dist loadfile
	@$(BIN)/pytest -m "integration and not slow"

test-all: $(READY)  ## every test, the slow ones too
	@$(BIN)/pytest

fuzz: $(READY)  ## random salons held to every law (CROUPIER_FUZZ_MINUTES=30)
	@$(BIN)/python -m tests.properties.fuzz

simulate: $(READY)  ## seeded schedules of crashes, partitions and zombies in virtual time (SCHEDULES=10000)
	@$(BIN)/python -m tests.simulation --schedules $(or $(SCHEDULES),10000)

chaos: $(READY)  ## a real cluster is played in while it is cut, killed, frozen and drained (FAULTS=200 MINUTES=20 SEED=7)
	@$(BIN)/python -m tests.chaos --faults $(or $(FAULTS),200) --minutes $(or $(MINUTES),20) $(if $(SEED),--seed $(SEED))

coverage: $(READY)  ## every branch of engine/ is taken by its quick tests
	@$(BIN)/pytest tests/engine tests/properties -m "not slow" -q \
		--cov=engine --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=100

check: $(READY)  ## format, lint, types, import contracts, fresh protos, then `make test`
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@before=$$($(GENERATED_SUM)); $(BIN)/python protos/generate.py || exit 1; \
		[ "$$before" = "$$($(GENERATED_SUM))" ] || \
		{ echo "protos/: the generated code was stale; it is regenerated now: commit it" >&2; exit 1; }
	@$(MAKE) --no-print-directory test

fix: $(READY)  ## format, and repair what the linter can
	@$(BIN)/ruff check --fix --quiet || true
	@$(BIN)/ruff format
	@$(BIN)/ruff check

protos: $(READY)  ## regenerate the Python code of protos/
	@$(BIN)/python protos/generate.py

lock: $(UV_BOOTSTRAP)  ## resolve pyproject.toml into requirements.lock (UPGRADE=1: newest versions)
	@$(UV) pip compile --quiet --universal --python-version 3.11 --extra bench --extra dev --generate-hashes \
		--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
		$(if $(UPGRADE),--upgrade) --output-file requirements.lock pyproject.toml

clean:  ## remove what setup and the tests made
	@rm -rf $(VENV) .tools build dist ./*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis \
		.import_linter_cache .coverage htmlcov bots/equity/*.so

$(READY): requirements.lock pyproject.toml setup.py tests/yardsticks/apart.txt $(wildcard bots/equity/kernel/*) | $(UV_BOOTSTRAP)
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ rm -rf $(VENV) && $(UV) venv --quiet --python "$(NEED_PYTHON)$(PYTHON)" $(VENV); }
	@echo "installing into $(VENV)"
	@$(UV) pip sync --quiet --python $(BIN)/python --require-hashes requirements.lock
	@$(UV) pip install --quiet --python $(BIN)/python --no-build-isolation --no-deps --editable .
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --require-hashes --target $(VENV)/yardsticks \
		--requirements tests/yardsticks/apart.txt
	@$(UV) pip check --quiet --python $(BIN)/python || \
		{ echo "requirements.lock does not fit pyproject.toml: make lock" >&2; exit 1; }
	@touch $@

.tools/bin/uv:
	@echo "installing uv $(UV_VERSION) into .tools"
	@rm -rf .tools
	@$(NEED_PYTHON)$(PYTHON) -m venv .tools
	@.tools/bin/pip install --quiet uv==$(UV_VERSION)
