# Everything lives in .venv; a stamp file makes re-runs quick.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

export HF_HUB_OFFLINE ?= 1
export TOKENIZERS_PARALLELISM ?= false
export DAGSTER_DISABLE_TELEMETRY ?= 1

.PHONY: run ui test check format bench clean install

run: $(STAMP)  ## set up and do the main job on the corpus
	$(BIN)/momentry run

ui: $(STAMP)  ## open the Dagster UI and the reports on loopback
	$(BIN)/momentry ui

test: $(STAMP)  ## all tests, against the real stores, model and browser
	$(BIN)/python -m pytest

check: $(STAMP)  ## lint, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)  ## measurements; nothing here is a test
	$(BIN)/python -m benchmarks

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $@

clean:  ## remove the environment and everything that was built
	rm -rf $(VENV) .momentry .pytest_cache .ruff_cache .hypothesis
