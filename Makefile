# Everything a person does with this project. `make` alone lists it.
.DEFAULT_GOAL := help
SHELL := /bin/bash

# PYTHON=… names the Python 3.13 to use; without it .ci/find-python looks for one.
VENV := .venv
BIN := $(VENV)/bin
CLIENT_BIN := clients/.venv/bin
REFERENCE := layers/core/storepost/api/reference
SPECTRAL_PACKAGES := --package=@stoplight/spectral-cli@6.16.3 --package=@stoplight/spectral-owasp-ruleset@2.0.1
CHECKOV := 3.3.30
ARCHITECTURE ?= arm64
STACK ?= storepost-prod
export PYTHONPATH := layers/core:.
export SAM_CLI_TELEMETRY := 0
# Collecting the tests takes half as long where their bytecode was kept.
unexport PYTHONDONTWRITEBYTECODE

help: ## this list
	@grep -hE '^[a-z%-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-17s %s\n", $$1, $$2}'

$(VENV)/installed: requirements-dev.txt
	@.ci/make-venv $(VENV) requirements-dev.txt

install: $(VENV)/installed ## the virtual environment with everything pinned

run: install site ## the whole service on this machine; PORT moves it
	@$(BIN)/python -m local

sam-local: install site ## the functions in containers, as SAM CLI runs them (needs Docker); PORT moves it
	@$(BIN)/python -m local.containers

invoke: install ## one FUNCTION in a container, on an EVENT, with the data of a running make run (needs Docker)
	@FUNCTION=$(FUNCTION) EVENT=$(EVENT) $(BIN)/python -m local.containers.invoking

events: install ## record the samples in events/ anew, from a run with the demo's data
	@$(BIN)/python -m local.demo.recording

site: install ## download what the documentation's pages load (npm); without it they stay plain
	@$(BIN)/python -m local.site_assets || true

postman: install ## the interface as a collection for Postman, in FILE; ADDRESS ends in /v1
	@$(BIN)/python -m openapi.postman "$(ADDRESS)" >$(or $(FILE),postman.json)
	@echo 'Wrote $(or $(FILE),postman.json): import it into Postman.'

examples: install ## run the story of one shop; the description's examples are its requests and answers
	@$(BIN)/python -m openapi.story
	@$(BIN)/python -m openapi

formats: install ## write down what this release stores: tests/formats/<release>
	@$(BIN)/python -m tests.formats

openapi: install ## write the interface and the problems down from the code
	$(BIN)/python -m openapi

test: install ## everything that proves the project on a fresh machine; TESTS takes some
	$(BIN)/pytest -n auto --dist worksteal $(PYTEST) $(TESTS)

test-dynoxide: install ## the same with the tables in dynoxide (npm installs it); TESTS takes some
	@$(BIN)/python -m local.aws.dynoxide
	STORE=dynoxide $(BIN)/pytest -n auto --dist worksteal $(PYTEST) $(TESTS)

costs: install ## what every operation costs, measured on dynoxide: docs/costs.md
	@$(BIN)/python -m local.aws.dynoxide
	@$(BIN)/python -m tests.costs

test-long: install ## the state machines at length: 2,000 histories each
	HYPOTHESIS_PROFILE=ci $(BIN)/pytest -n auto -o faulthandler_timeout=0 tests/platform/counted_tree/test_histories.py \
	  tests/platform/counted_tree/test_packed_histories.py tests/platform/counted_tree/test_killed_histories.py \
	  tests/people/matching/test_histories.py tests/coupons/test_histories.py tests/people/consent/test_histories.py \
	  tests/people/suppressions/test_histories.py tests/people/deliverability/test_histories.py \
	  tests/sync/batches/test_histories.py tests/feeds/feeds/test_histories.py

test-newer-libraries: ## what is relied on of libraries, with their newest releases (pip installs them); TESTS takes others
	@.ci/test-newer-libraries $(TESTS)

test-sam-local: install ## the whole service in containers, from sign-up to write-back (needs Docker)
	$(BIN)/pytest tests/end_to_end

redrive: install ## dead letters of a QUEUE in a STACK go back to it; without QUEUE, how many there are
	@QUEUE=$(QUEUE) STACK=$(STACK) $(BIN)/python -m operating.redrive

rebuild-search: install ## the search of a WORKSPACE in a STACK is made anew, while it is in use
	@WORKSPACE=$(WORKSPACE) STACK=$(STACK) $(BIN)/python -m operating.rebuild_search

build: install site ## what is deployed, for ARCHITECTURE; compiled here: a function can't keep what Python compiles
	$(BIN)/sam build --parameter-overrides Architecture=$(ARCHITECTURE)
	$(BIN)/python -m local.containers.stamp .aws-sam/build/template.yaml $(ARCHITECTURE)
	$(BIN)/python -m local.containers.dataclass_methods .aws-sam/build/Core/python/storepost
	$(BIN)/python -m compileall -q --invalidation-mode unchecked-hash .aws-sam/build

bench-%: install ## a benchmark: benchmarks/README.md has their names
	@$(BIN)/python -m benchmarks.$*

# What is found soonest comes first, and what takes longest last: each waits for the one before.
check: install format-check lint contracts compatibility template types fuzz ## what CI demands besides the tests
.NOTPARALLEL:

fuzz: install ## requests made from the description, answers held to it; CASES=10000 for more
	@.ci/step fuzz 'generated requests, a minute' $(BIN)/python -m tests.fuzzing

hostile: install ## harmful requests to every operation; EVERY=10 takes a tenth
	@$(BIN)/python -m tests.hostile

faults: install ## REQUESTS writes while DynamoDB refuses and loses answers and processes die (npm)
	@$(BIN)/python -m local.aws.dynoxide
	@$(BIN)/python -m tests.fault_injection

clients: client-python client-typescript ## clients for Python and TypeScript, with the command line storepost

client-python: clients/python/src/storepost_client/generated/operations.json ## the one for Python (pip installs its generator)
client-typescript: clients/typescript/dist/made ## the one for TypeScript (npm installs its generator; Node 20)

clients/.venv/installed: clients/python/requirements.txt clients/python/pyproject.toml
	@.ci/make-venv clients/.venv clients/python/requirements.txt clients/python

clients/.made/openapi.json: clients/preparing.py $(REFERENCE)/openapi.json $(REFERENCE)/problems.json
	@python=$${PYTHON:-$$(.ci/find-python)} && $$python clients/preparing.py $(REFERENCE) clients/.made

clients/python/src/storepost_client/generated/operations.json: clients/.made/openapi.json clients/python/generator.yaml $(wildcard clients/python/templates/*) clients/.venv/installed
	@PATH=$(CURDIR)/$(CLIENT_BIN):$$PATH openapi-python-client generate --path clients/.made/openapi.json --meta none \
	  --output-path $(@D) --overwrite --fail-on-warning --config clients/python/generator.yaml \
	  --custom-template-path clients/python/templates
	@cp clients/.made/problem_codes.py clients/.made/operations.json $(@D)

clients/typescript/node_modules/installed: clients/typescript/package-lock.json
	@command -v npm >/dev/null || { echo 'The client for TypeScript needs Node 20 with npm.'; exit 1; }
	@echo 'Installing what makes the client for TypeScript ...'
	@cd clients/typescript && npm ci --silent
	@touch $@

clients/typescript/dist/made: clients/.made/openapi.json clients/typescript/node_modules/installed clients/typescript/openapi-ts.config.ts clients/typescript/tsconfig.json $(wildcard clients/typescript/src/*.ts clients/typescript/test/*.ts)
	@cd clients/typescript && node_modules/.bin/openapi-ts --silent && cp ../.made/problem-codes.ts src/generated/ && \
	  rm -rf dist && node_modules/.bin/tsc
	@touch $@

test-clients: install ## both clients and the guide's shops against a running service (pip and npm install what they need)
	@$(BIN)/python -m tests.clients

test-commands: install ## types the commands of the documents, where this machine can
	@$(BIN)/python -m tests.commands

lint-openapi: ## Spectral's and OWASP's rules over the description (npm installs them)
	npx --yes $(SPECTRAL_PACKAGES) -- sh -c 'NODE_PATH=$$(dirname "$$(command -v spectral)")/.. \
	  spectral lint --fail-severity warn --ruleset openapi/spectral.yaml $(REFERENCE)/openapi.json'

check-shopify: install ## what we say to Shopify, against its own SCHEMA and SCOPES
	@$(BIN)/python -m local.shopify.checking $(SCHEMA) $(SCOPES)

format: install ## put the code into its format
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

format-check: install
	@.ci/step format-check 'a second' $(BIN)/ruff format --check .

lint: install
	@.ci/step lint 'a second' $(BIN)/ruff check .

types: install
	@.ci/step types 'seconds, and the first time two minutes' $(BIN)/mypy

compatibility: install ## what of the description would break clients of the last release
	@.ci/step compatibility 'the description against the last release, a second' $(BIN)/python -m openapi.compatibility

release-description: install ## keep the description as that of VERSION, which the next one is compared with
	@$(BIN)/python -m openapi.compatibility $(VERSION)

contracts: install
	@.ci/step contracts 'imports between groups, seconds' $(BIN)/lint-imports

template: install
	@.ci/step template 'SAM CLI, 15 seconds' $(BIN)/sam validate --lint
	@.ci/step template 'cfn-lint, 10 seconds' $(BIN)/cfn-lint --include-experimental -- template.yaml

lint-template: install ## checkov's rules over the template (pip installs it); .checkov.yaml answers them
	@test -x .aws-sam/checkov/bin/checkov || { $(BIN)/python -m venv .aws-sam/checkov && \
	  .aws-sam/checkov/bin/pip install --quiet --disable-pip-version-check checkov==$(CHECKOV); }
	.aws-sam/checkov/bin/checkov --config-file .checkov.yaml

audit: install ## known vulnerabilities in what is pinned
	$(BIN)/pip-audit --requirement requirements-dev.txt --disable-pip --progress-spinner off
	$(BIN)/pip-audit --requirement clients/python/requirements.txt --disable-pip --progress-spinner off

requirements: ## pin what pyproject.toml names (needs uv)
	uv pip compile --generate-hashes --no-header --no-annotate --universal --python-version 3.13 \
	  pyproject.toml -o layers/dependencies/requirements.txt
	uv pip compile --generate-hashes --no-header --no-annotate --universal --python-version 3.13 \
	  pyproject.toml --group dev -c layers/dependencies/requirements.txt -o requirements-dev.txt
	cd clients/python && uv pip compile --generate-hashes --no-header --no-annotate --universal --python-version 3.13 \
	  pyproject.toml --group dev -o requirements.txt

.PHONY: test-newer-libraries formats rebuild-search help install run sam-local invoke events site postman openapi test test-dynoxide costs test-long test-sam-local audit check check-shopify format format-check lint types contracts compatibility release-description template lint-template fuzz hostile faults clients client-python client-typescript test-clients test-commands lint-openapi requirements redrive build
