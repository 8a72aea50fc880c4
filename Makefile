# make          the programs tsnoop and tsnoop-export, in this directory
# make test     everything, also on five real kernels in virtual machines
# make vm       all that needs a kernel on each of them; KERNEL="6.1 arm64" RUN=regexp choose
# make trust    what tsnoop promises, at full size, with a table; KERNEL and RUN choose
# make test-fleet  exports to real programs, got in minutes: Jaeger, Prometheus, Chromium, ClickHouse
# make demo     tsnoop at work in a virtual machine; HOST=1: on this host
# make picture  README's picture, of a session in a virtual machine
# make dist     deb, rpm and tarballs, in dist/; ARCH="amd64 riscv64" chooses
# make bench    benchmarks, and comparisons with peers in a VM; HOST=1: reading, on this host
# make fuzz     every fuzz target for FUZZTIME
# make lint     gofmt, go vet, staticcheck, phrases to avoid; part of make test
# make clean    removes what was built
# make help     shows these lines
# make mutate   which wrong code the tests of pure packages find, in hours; PACKAGE chooses
# make walk     the functions that a spec passes to its line, and a page to its lines

vm := testdata/vm
# ./... does not include packages below testdata.
commands := $(addprefix ./testdata/,load walk words badinput picture readme terminal vm/suite)
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GREMLINS = github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0
FUZZTIME = 30s
KERNEL =
RUN =
HOST =
ARCH =
# A mutant that no test of the package itself kills is left to virtual machines.
PACKAGE = fetchargs/spec fetchargs/value fetchargs/filter $(STAGES) tracefs/ringbuf tracefs/calls tracefs/tracedat
STAGES = $(addprefix fetchargs/,find route cond encode plan line readcheck pushdown probes)

.PHONY: build test test-fleet vm trust demo picture dist bench fuzz lint linter mutate walk clean help

build:
	CGO_ENABLED=0 go build -trimpath -o ./ ./cmd/tsnoop ./cmd/tsnoop-export

test:
	@$(vm)/test.sh all

test-fleet:
	@testdata/fleet/test.sh

vm:
	@$(vm)/test.sh vm '$(KERNEL)' '$(RUN)'

trust:
	@$(vm)/trust.sh '$(KERNEL)' '$(RUN)'

demo: build
ifeq ($(HOST),)
	@$(vm)/setup.sh $(or $(KERNEL),newest)
	@TSNOOP_VM_FILES=tsnoop $(vm)/exec $(or $(KERNEL),newest) /bin/sh $(vm)/demo.sh
else
	@PATH="$$PWD:$$PATH" sh $(vm)/demo.sh
endif

picture: build
	@$(vm)/setup.sh $(or $(KERNEL),newest)
	@svg=$$(TSNOOP_VM_FILES=tsnoop go run -exec '$(vm)/exec $(or $(KERNEL),newest)' ./testdata/picture) && \
		printf '%s\n' "$$svg" >testdata/picture/session.svg

dist:
	@cmd/tsnoop/dist/dist.sh $(ARCH)

# The replay benchmark reads TSNOOP_BENCH_FILE, or a large recording if there is one.
bench: export TSNOOP_BENCH_FILE ?= $(wildcard $(CURDIR)/../shared/data/seek.trace.dat)
bench:
ifeq ($(HOST),)
	go test -run='^$$' -bench=. ./...
	@$(vm)/bench.sh $(or $(KERNEL),6.12)
else
	@built=$$(mktemp -d); trap 'rm -rf "$$built"' EXIT; \
		CGO_ENABLED=0 go build -trimpath -o "$$built/" ./cmd/tsnoop ./testdata/load && \
		PATH="$$built:$$PATH" go test -tags vm -count=1 -v -run '^TestBenchHost$$' ./$(vm)/suite
endif

fuzz:
	@set -e; for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || :); do \
			echo "$$package $$target"; \
			go test -run='^$$' -fuzz="^$$target\$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=10x $$package; \
		done; \
	done

# With the tag vm there is all that there is without, and the tests of virtual machines.
lint:
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "gofmt: $$unformatted"; exit 1; }
	go run ./testdata/words
	go vet -tags vm ./... $(commands)
	go run $(STATICCHECK) -tags vm ./... $(commands)

# linter fails where there is no staticcheck to be had.
linter:
	go run $(STATICCHECK) -version

# A mutant counts as killed if a test fails, or if it runs five times as long as all tests
# and their build: an endless loop. One that no test reaches lives. The tests of fetchargs
# count for its stages, which have none of their own.
mutate: export GO := $(shell go env GOROOT)/bin/go
mutate:
	@go install $(GREMLINS)
	@for package in $(PACKAGE); do \
		echo "$$package"; \
		case ' $(STAGES) ' in *" $$package "*) TESTS=github.com/tsnoop/tsnoop/fetchargs;; *) TESTS=;; esac; \
		TESTS=$$TESTS PATH="$$PWD/testdata/mutate:$$PATH" GOFLAGS='-trimpath -vet=off' \
			$$($$GO env GOPATH)/bin/gremlins unleash --timeout-coefficient 5 -E '(^|/)testdata/' -S lct ./$$package || exit; \
	done | awk ' \
		/^[a-z]/ { package = $$1 } \
		/^ +[A-Z]/ { print package, $$0 } \
		/^Killed:/ { killed = $$2; all = $$2 + $$4 + $$7 } \
		/^Timed out:/ { killed += $$3; all += $$3; part = 100 * killed / all; low += part < 85; \
			printf "%s: %d of %d mutants killed, %.1f %%\n", package, killed, all, part } \
		END { if (low) { print "less than 85 %"; exit 1 } }'

walk:
	@go run ./testdata/walk

help:
	@sed -n 's/^# make/make/p' Makefile

clean:
	rm -rf tsnoop tsnoop-export dist bench-*.svg
	find . -name '*.test' -type f -delete
