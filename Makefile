# make run: set up and open the Studio on a sample model. make test: set up and run all tests.
VENV ?= .venv
PYTHON_OF = $(VENV)/bin/python
export VENV

.PHONY: run test faults lint docs-screenshots docs-terms docs-settings translations sample-project deb bundle clean setup

run: setup
	@$(PYTHON_OF) packaging/run_sample.py "$(CURDIR)"

test: setup
	$(PYTHON_OF) -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder || \
	{ [ $$? = 1 ] && echo "Once more, one at a time: those that failed" && $(PYTHON_OF) -m pytest --last-failed; }

# The tests of faults with many seeds of each: make faults SEEDS=50
SEEDS ?= 20
faults: setup
	PRUNER_TEST_SEEDS=$(SEEDS) $(PYTHON_OF) -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder tests/faults

# Without a cache: a module that has moved changes how files import it that have not
lint: setup
	$(PYTHON_OF) -m ruff check --no-cache .
	$(PYTHON_OF) -m mypy

# Of a copy of the demonstration project: an export is made beside it, and noted in it
docs-screenshots: setup
	rm -rf build/small-cnn* && mkdir -p build && cp resources/samples/small-cnn.pruner build
	PRUNER_SCREENSHOTS=docs/images PRUNER_SCREENSHOTS_PROJECT=$(CURDIR)/build/small-cnn.pruner \
	$(PYTHON_OF) -m pytest tests/studio/test_screenshots.py

# docs/terms.md from the texts that the window shows
docs-terms: setup
	$(PYTHON_OF) -m pruner_studio.help > docs/terms.md

# The table of settings in docs/terminal.md from the settings' own documentation
docs-settings: setup
	$(PYTHON_OF) -m pruner_engine.search.settings_table | \
	sed -i -e '/^<!-- settings/,/^<!-- end/{//!d}' -e '/^<!-- settings/r /dev/stdin' docs/terminal.md

# Collect the texts of the window, of its help and of the engine into resources/translations/*.ts and compile what is translated
translations: setup
	$(PYTHON_OF) packaging/sentences.py > resources/translations/engine.json
	data=$$(mktemp -d) && trap 'rm -r "$$data"' EXIT && $(PYTHON_OF) -m pruner_studio.help --literals > "$$data/terms.py" && \
	$(PYTHON_OF) packaging/sentences.py --literals > "$$data/engine.py" && \
	$(VENV)/bin/pyside6-lupdate -locations none -no-obsolete $$(find studio "$$data" -name '*.py') -ts resources/translations/*.ts
	for file in resources/translations/*.ts; do $(VENV)/bin/pyside6-lrelease $$file -qm $${file%.ts}.qm; done

# The demonstration project, on a machine that does nothing else
sample-project: setup
	$(PYTHON_OF) resources/samples/make_sample.py

# Packages for those who have no Python to install into: build/*.deb, and build/bundle/pruner-studio with Python inside
deb: setup
	$(PYTHON_OF) packaging/deb.py "$(CURDIR)"

bundle: setup
	$(PYTHON_OF) -m venv build/bundle-env
	build/bundle-env/bin/python -m pip install --quiet --constraint packaging/constraints.txt ".[compare,package]"
	rm -rf build/bundle
	build/bundle-env/bin/pyinstaller --distpath build/bundle --workpath build/bundle-work --log-level ERROR packaging/bundle.spec

setup:
	@packaging/bootstrap

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache
