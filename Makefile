# make run: set up and open the Studio on a sample model. make test: set up and run all tests.
VENV ?= .venv
PYTHON_OF = $(VENV)/bin/python
export VENV

.PHONY: run test lint docs-screenshots clean setup

run: setup
	@$(PYTHON_OF) packaging/run_sample.py "$(CURDIR)"

test: setup
	$(PYTHON_OF) -m pytest

lint: setup
	$(PYTHON_OF) -m ruff check .
	$(PYTHON_OF) -m mypy

docs-screenshots: setup
	PRUNER_SCREENSHOTS=docs/images $(PYTHON_OF) -m pytest tests/studio/test_screenshots.py

setup:
	@packaging/bootstrap

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache
