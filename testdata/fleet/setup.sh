#!/bin/sh
# setup.sh PROGRAM...: build programs that take in what tsnoop-export sends, once.
# setup.sh --where PROGRAM: print where such a program is, or will be.
#
# PROGRAM is collector (OpenTelemetry Collector, of the main in collector), jaeger or prometheus.
# They are built of Go modules, and kept in the user's cache directory: a second run needs
# nothing.
set -eu

jaeger=v1.76.0 prometheus=v0.316.0
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tsnoop/fleet

# version PROGRAM prints what its file is named after.
version() {
	case $1 in
	collector) cat "$here"/collector/* | sha256sum | cut -c1-16 ;;
	jaeger) echo $jaeger ;;
	prometheus) echo $prometheus ;;
	*) echo "setup: unknown: $1 (collector, jaeger or prometheus)" >&2; exit 2 ;;
	esac
}

where() { v=$(version "$1"); echo "$cache/$1-$v"; }

if [ "${1:-}" = --where ]; then
	where "$2"
	exit
fi

mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
work=$(mktemp -d "$cache/setup.XXXXXX")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
export CGO_ENABLED=0 GOBIN="$work" GOFLAGS=-trimpath

for program; do
	to=$(where "$program")
	[ ! -x "$to" ] || continue
	echo "setup: building $program, which takes minutes" >&2
	case $program in
	collector)
		(cd "$here/collector" && go build -ldflags=-s -o "$work/collector" .)
		;;
	jaeger) # it has replaced modules, so that go install refuses it
		from=$(cd "$work" && go mod download -json "github.com/jaegertracing/jaeger@$jaeger" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
		cp -r "$from" "$work/source"
		chmod -R u+w "$work/source"
		(cd "$work/source" && go build -ldflags=-s -o "$work/jaeger" ./cmd/all-in-one)
		;;
	prometheus)
		(cd "$work" && go install -ldflags=-s "github.com/prometheus/prometheus/cmd/prometheus@$prometheus")
		;;
	esac
	mv "$work/$program" "$to"
done
