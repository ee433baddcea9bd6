# Every command that a person or CI needs. `make help` lists them.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help bootstrap release rules run test unit scenarios receivers openfeature dashboard lint bench clean

# Options for `shunt serve`: make run ARGS="--listen 127.0.0.1:9000 --data /tmp/shunt"
ARGS ?=

help: ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/make \1\t\2/' | expand -t 16

bootstrap: ## install the Debian packages that are missing
	@scripts/bootstrap

# A whole module is compiled at once here, and that finds what a debug build doesn't.
release: bootstrap ## build the release that `make run` serves
	swift build --configuration release --product shunt

rules: release ## check and test the shipped rule files
	.build/release/shunt rules check rules
	.build/release/shunt rules test rules

run: release ## install what is missing, build a release, serve on 127.0.0.1:8710 (ARGS="…" adds options)
	@exec .build/release/shunt serve $(ARGS)

test: lint release rules unit scenarios receivers openfeature dashboard ## everything that CI runs: lint, both builds, all tests

# Those of sockets have bounds in seconds, so they don't share a process with those that keep every core busy.
unit: bootstrap ## build, and run the tests that need no daemon
	swift build --build-tests
	swift test --skip-build --disable-xctest --filter ShuntNativeTests
	swift test --skip-build --disable-xctest --skip \
		'EndToEndTests|ReceiverTests|ShuntNativeTests|ShuntCoreTests|RuleTestShipped'
	swift test --skip-build --disable-xctest --filter 'ShuntCoreTests|RuleTestShipped'

# In a process of their own: they have bounds in seconds, and the unit tests leave no core free.
scenarios: bootstrap ## build, and run the tests that start the real daemon
	swift build --build-tests
	swift test --skip-build --disable-xctest --filter EndToEndTests

receivers: bootstrap .build/receivers/ready ## build, and run the channels against Alertmanager and a mail server
	swift build --build-tests
	swift test --skip-build --disable-xctest --filter ReceiverTests

# Made anew when the list of packages changes; else the network isn't touched.
.build/openfeature/ready: Tests/OpenFeature/requirements.txt | bootstrap
.build/receivers/ready: Tests/ReceiverTests/requirements.txt | bootstrap
.build/dashboard/ready: Tests/Dashboard/requirements.txt | bootstrap
.build/openfeature/ready .build/receivers/ready .build/dashboard/ready:
	rm -rf $(@D)
	python3 -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-cache-dir --timeout 30 \
		--no-deps --require-hashes --only-binary :all: --requirement $<
	touch $@

openfeature: release .build/openfeature/ready ## drive the release build by a stock OpenFeature client from PyPI
	.build/openfeature/bin/python -B Tests/OpenFeature/ofrep_test.py .build/release/shunt

dashboard: release .build/dashboard/ready ## try the web dashboard in Chromium; screenshots in .build/screenshots
	.build/dashboard/bin/python -B Tests/Dashboard/dashboard_test.py .build/release/shunt

lint: ## check the layout of all Swift files
	swift format lint --strict --parallel --recursive Package.swift Sources Tests

bench: release ## measure the release build and print the report (nothing is asserted)
	@scripts/bootstrap bench
	@python3 -B benchmarks/run.py --binary "$$(swift build --configuration release --show-bin-path)/shunt" $(ARGS)

clean: ## remove everything that the build made
	swift package clean
	rm -rf .build benchmarks/out
