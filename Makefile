# Two commands on a fresh machine with Python 3.11 or newer and make:
#
#   make quickstart   set up, then run the main job on the embedded model: 2 to 3 minutes on 2 cores
#   make test         set up, then lint, check types and run the tests; `make slow` runs those that take longer

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-dev
LOCK := requirements.lock

.PHONY: quickstart test slow lint types bench clean

quickstart: $(VENV)/.installed-local
	@echo "== asking the embedded model (everything is kept in runs/ and can be carried on)"
	@$(BIN)/assay quickstart

test: $(STAMP) lint types
	@echo "== tests"
	@$(BIN)/assay fetch smollm2-135m
	@$(BIN)/python -m pytest -m "not slow"

slow: $(STAMP)
	@echo "== slow tests"
	@$(BIN)/assay fetch smollm2-135m
	@$(BIN)/python -m pytest -m slow

lint: $(STAMP)
	@echo "== ruff"
	@$(BIN)/ruff check .

types: $(STAMP)
	@echo "== mypy --strict"
	@$(BIN)/mypy

bench: $(STAMP)
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

$(VENV)/bin/python:
	@echo "== creating $(VENV)"
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("assay needs Python 3.11 or newer; this is %s. Try: make PYTHON=python3.12 quickstart" % sys.version.split()[0])'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-local: $(VENV)/bin/python pyproject.toml $(LOCK)
	@echo "== installing assay with what the embedded model needs"
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint $(LOCK) --editable '.[local]'
	@touch $@

$(STAMP): $(VENV)/.installed-local
	@echo "== installing what the tests need"
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint $(LOCK) --editable '.[local,text,dev]'
	@touch $@

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache
