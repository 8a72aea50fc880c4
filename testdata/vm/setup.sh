#!/bin/sh
# setup.sh [WHAT...]: get what the VM tests need, once.
#
# WHAT is a kernel (5.10, 6.1, 6.12, newest, arm64), "tools" (pahole, ksnoop, trace-cmd, mkfs.ext4 and
# dash, which tests and benchmarks compare with or use), "race" (a C compiler, which Go's race detector
# needs), "host" (zsh, fish, man, rpm and lintian, which show what users see), "duckdb" and "chdb" (databases,
# for node, that read what tsnoop-export writes; the second one, ClickHouse, takes 540 MB and is only
# for make test-fleet, as is "chromium"), "bpftrace" (large, and only for bench.sh), "ftrace-KERNEL"
# (the kernel's own tests of tracefs) and "xfs" (mkfs.xfs), both only for trust.sh, or "all" but host
# and those that follow it; without arguments, all.
#
# Kernels and busybox come from Debian, signed, through apt-get download with a
# state directory of its own: nothing about the host's sources changes, and
# no root is needed. They are kept in the user's cache directory, so that a
# second run needs neither apt nor a network; remove a kernel there to get its
# latest. Only missing programs (qemu, cpio, xz) are installed, which needs root.
set -eu

cache=${XDG_CACHE_HOME:-$HOME/.cache}/tsnoop

say() { echo "setup: $*" >&2; }
die() { say "$*"; exit 1; }

# install COMMAND=PACKAGE... installs the packages whose command is missing.
install() {
	missing=
	for pair; do
		# ksnoop lives in a directory that is not on everyone's path.
		PATH=$PATH:/usr/sbin:/sbin command -v "${pair%%=*}" >/dev/null || missing="$missing ${pair#*=}"
	done
	[ "$missing" ] || return 0
	command -v apt-get >/dev/null || die "install these packages first:$missing"
	[ "$(id -u)" = 0 ] || die "not root: run apt-get install$missing"
	mkdir -p "$cache"
	# apt-get update waits for no other: two of these are one after the other.
	exec 8>"$cache/apt"
	flock 8
	say "installing$missing"
	# shellcheck disable=SC2086
	retry update_and_install $missing
	exec 8>&-
}

# A list that cannot be updated may be one that nothing here is in. An install that
# fails half way can leave packages that make every later one fail, so it is repaired.
update_and_install() {
	apt-get -qq update || :
	change_packages install "$@" || { repair; return 1; }
}

repair() {
	DEBIAN_FRONTEND=noninteractive dpkg --configure -a >/dev/null || :
	change_packages --fix-broken install || :
}

change_packages() {
	DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends "$@" >/dev/null
}

# retry COMMAND... : mirrors fail for a moment now and then.
retry() {
	for pause in 2 5 15 0; do
		"$@" && return
		[ $pause = 0 ] || { say "failed, trying again in $pause s: $1 ... $(last "$@")"; sleep $pause; }
	done
	die "failed for good: $*"
}

last() { shift $(($# - 1)); echo "$1"; }

# mirror main|security prints where this host gets that part of Debian from.
mirror() {
	for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -f "$list" ] && sed -n 's/\[[^]]*\]//; s/^deb[[:space:]]\{1,\}//p' "$list"
	done | mirror_of "$1" | grep . && return
	for list in /etc/apt/sources.list.d/*.sources; do
		[ -f "$list" ] && deb822 <"$list"
	done | mirror_of "$1" | grep . || die "no Debian $1 mirror in /etc/apt/sources*; the test kernels need one"
}

# deb822 turns stanzas into lines of "URI SUITE COMPONENTS".
deb822() {
	awk -v RS= '
		{
			split("", field); key = ""
			lines = split($0, line, "\n")
			for (i = 1; i <= lines; i++) {
				if (line[i] ~ /^#/) continue
				if (line[i] !~ /^[ \t]/) { key = tolower(line[i]); sub(/:.*/, "", key); sub(/^[^:]*:/, "", line[i]) }
				field[key] = field[key] " " line[i]
			}
			if (tolower(field["enabled"]) ~ /no/ || (" " field["types"] " ") !~ / deb /) next
			uris = split(field["uris"], uri, " "); suites = split(field["suites"], suite, " ")
			for (u = 1; u <= uris; u++) for (s = 1; s <= suites; s++) print uri[u], suite[s], field["components"]
		}'
}

# mirror_of main|security picks Debian's own from lines of "URI SUITE COMPONENTS".
mirror_of() {
	awk -v part="$1" '
		(" " $0 " ") !~ / main / { next }
		part == "main" && $2 ~ /^(bullseye|bookworm|trixie|forky|(old)*stable|testing|sid|unstable)$/ ||
		part == "security" && $2 ~ /-security$/ { print $1; exit }'
}

# apt SUITES ARCH COMMAND... runs an apt tool that sees only these suites, which
# are separated by commas.
apt() {
	suites=$1 arch=$2 state=$work/$1-$2
	shift 2
	tool=$1
	shift
	"$tool" -qq -c "$state/apt.conf" -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" -o Dir::State::status=/dev/null \
		-o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User=root \
		-o APT::Update::Error-Mode=any -o Acquire::Retries=3 -o Acquire::Languages=none "$@"
}

# index SUITES ARCH fetches the package lists of suites.
index() {
	state=$work/$1-$2
	[ ! -d "$state" ] || return 0
	mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
	for suite in $(echo "$1" | tr , ' '); do
		case $suite in *-security) uri=$(mirror security) ;; *) uri=$(mirror main) ;; esac
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main"
	done >"$state/sources.list"
	# Hooks are for the host's own lists and packages: the one in Docker's images removes
	# /var/cache/apt/archives/*.deb after an update, which another apt-get may be installing.
	printf '#clear APT::Update::%s;\n' Pre-Invoke Post-Invoke Post-Invoke-Success >"$state/apt.conf"
	retry apt "$1" "$2" apt-get update
}

# unpack DIR SUITES ARCH PACKAGE... downloads packages and unpacks them into DIR.
unpack() {
	dir=$1 suites=$2 arch=$3
	shift 3
	mkdir -p "$dir"
	(cd "$dir" && retry apt "$suites" "$arch" apt-get download "$@" >/dev/null)
	for deb in "$dir"/*.deb; do dpkg -x "$deb" "$dir"; done
}

# kernel NAME prints VERSION-PATTERN:SUITES:ARCH. A package leaves the pool when
# its successor comes, so a version is never fixed: the highest that matches.
kernel() {
	case $1 in
	5.10) echo '5\.10\..*:bullseye-security:amd64' ;;
	6.1) echo '6\.1\..*:bookworm,bookworm-security:amd64' ;;
	6.12) echo '6\.12\..*:bookworm-security:amd64' ;;
	newest) echo '[0-9]*\..*:trixie-backports:amd64' ;;
	arm64) echo '6\.12\..*:trixie:arm64' ;;
	*) die "unknown: $1 (5.10, 6.1, 6.12, newest, arm64, tools, race, host, chromium, bpftrace or all)" ;;
	esac
}

modules="dummy veth dm-mod overlay nbd" # none depends on another; nbd has events of its own
filesystems="libcrc32c xfs" # for power.sh, in the order in which they are loaded; some kernels have the first built in

fetch_kernel() {
	kernel=$(kernel "$1") && arch=${kernel##*:} pattern=${kernel%%:*}
	suites=${kernel#*:} suites=${suites%:*}
	index "$suites" "$arch"
	# In newer versions linux-image is split: image, config and modules are in
	# linux-binary, linux-base and linux-modules, and not every build is signed.
	packages=$(apt "$suites" "$arch" apt-cache search --names-only "^linux-[a-z-]*-$pattern-cloud-$arch\$" | cut -d' ' -f1)
	version=$(echo "$packages" | sed -n 's/^linux-\(image\|binary\|binary-unsigned\)-\([0-9]\)/\2/p' | sort -V | tail -n1)
	[ "$version" ] || die "no kernel $1 in $suites"
	for package in linux-image linux-binary linux-binary-unsigned; do
		echo "$packages" | grep -qxF "$package-$version" && wanted=$package-$version
	done
	for package in linux-base linux-modules; do
		if echo "$packages" | grep -qxF "$package-$version"; then wanted="$wanted $package-$version"; fi
	done
	say "kernel $1: $version"
	# shellcheck disable=SC2086
	unpack "$work/$1" "$suites" "$arch" $wanted

	out=$work/kernels/$1
	mkdir -p "$out/modules"
	cp "$(find "$work/$1" -type f -name 'vmlinuz*')" "$out/vmlinuz"
	cp "$(find "$work/$1" -type f \( -path '*/boot/config-*' -o -path '*/modules/*/config' \))" "$out/config"
	echo "$version" >"$out/release"
	for module in $modules; do
		file=$(find "$work/$1" -path "*/kernel/*/$module.ko*")
		case $file in *.xz) xz -dc "$file" ;; *) cat "$file" ;; esac >"$out/modules/$module.ko"
		[ -s "$out/modules/$module.ko" ] || die "kernel $1 has no module $module"
	done
	mkdir -p "$out/filesystems"
	for module in $filesystems; do
		file=$(find "$work/$1" -path "*/kernel/*/$module.ko*")
		case $file in
		*.xz) xz -dc "$file" >"$out/filesystems/$module.ko" ;;
		?*) cp "$file" "$out/filesystems/$module.ko" ;;
		esac
	done
	keep "kernels/$1"
}

# fetch_ftrace KERNEL takes tools/testing/selftests/ftrace out of the kernel's source.
fetch_ftrace() {
	kernel=$(kernel "$1") && suites=${kernel#*:} suites=${suites%:*}
	index "$suites" amd64
	case $1 in newest) series='[0-9]*\.[0-9]*' ;; arm64) series=6.12 ;; *) series=$1 ;; esac
	package=$(apt "$suites" amd64 apt-cache search --names-only "^linux-source-$series\$" | cut -d' ' -f1 | sort -V | tail -n1)
	[ "$package" ] || die "no source of kernel $1 in $suites"
	say "tests of kernel $1: $package"
	unpack "$work/source-$1" "$suites" amd64 "$package"
	mkdir -p "$work/ftrace/$1"
	find "$work/source-$1" -name 'linux-source-*.tar.xz' -exec xz -dc {} + |
		tar -x -C "$work/ftrace/$1" --strip-components=4 --wildcards '*/tools/testing/selftests/ftrace'
	rm -rf "$work/source-$1"
	[ -x "$work/ftrace/$1/ftrace/ftracetest" ] || die "$package has no ftracetest"
	keep "ftrace/$1"
}

fetch_busybox() {
	index trixie "$1"
	say "busybox for $1"
	unpack "$work/bb-$1" trixie "$1" busybox-static
	mkdir -p "$work/busybox/$1"
	cp "$(find "$work/bb-$1" -type f -path '*bin/busybox')" "$work/busybox/$1/busybox"
	keep "busybox/$1"
}

# fetch_npm NAME
fetch_npm() {
	package=$(npm_package "$1")
	say "$package"
	mkdir -p "$work/npm/$1"
	retry npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work/npm/$1" "$package"
	keep "npm/$1"
}

npm_package() {
	case $1 in
	duckdb) echo @duckdb/node-api@1.5.6-r.1 ;;
	chdb) echo chdb@3.4.0 ;;
	esac
}

# keep PATH moves a finished directory into the cache: all of it or nothing.
keep() {
	mkdir -p "$cache/${1%/*}"
	rm -rf "${cache:?}/$1"
	mv "$work/$1" "$cache/$1"
}

[ "${*:-all}" != all ] || set -- 5.10 6.1 6.12 newest arm64 tools race
for what; do
	case $what in
	tools) install pahole=dwarves ksnoop=libbpf-tools trace-cmd=trace-cmd dash=dash mkfs.ext4=e2fsprogs ;;
	host) install zsh=zsh fish=fish man=man-db col=bsdextrautils rpm=rpm lintian=lintian jq=jq ;;
	chromium) install chromium=chromium ;;
	strace) install strace=strace ;;
	xfs) install mkfs.xfs=xfsprogs ;;
	race) install "gcc=gcc libc6-dev" ;;
	duckdb | chdb) install node=nodejs npm=npm ;;
	bpftrace) install bpftrace=bpftrace ;;
	plot) install gnuplot=gnuplot-nox ;;
	ftrace-*) kernel "${what#ftrace-}" >/dev/null && install xz=xz-utils flock=util-linux ;;
	arm64) install qemu-system-aarch64=qemu-system-arm cpio=cpio xz=xz-utils flock=util-linux ;;
	*) kernel "$what" >/dev/null && install qemu-system-x86_64=qemu-system-x86 cpio=cpio xz=xz-utils flock=util-linux ;;
	esac
done

# whole DIR reports whether a kernel has all of today's modules.
whole() {
	for module in $modules; do [ -f "$1/modules/$module.ko" ] || return; done
}

# wanted prints what is not in the cache yet.
wanted() {
	for what; do
		case $what in
		ftrace-*)
			[ -d "$cache/ftrace/${what#ftrace-}" ] || echo "ftrace ${what#ftrace-}"
			continue
			;;
		duckdb | chdb)
			[ -d "$cache/npm/$what/node_modules" ] || echo "npm $what"
			continue
			;;
		esac
		case $what in tools | race | chromium | bpftrace | strace | xfs | host) continue ;; arm64) arch=arm64 ;; *) arch=amd64 ;; esac
		whole "$cache/kernels/$what" || echo "kernel $what"
		[ -d "$cache/busybox/$arch" ] || echo "busybox $arch"
	done | sort -u
}

[ "$(wanted "$@")" ] || exit 0
command -v apt-get >/dev/null && command -v dpkg >/dev/null && [ -f /usr/share/keyrings/debian-archive-keyring.gpg ] ||
	die "the test kernels are Debian's: fetching them needs a Debian system"
mkdir -p "$cache"
exec 9>"$cache/lock"
flock -n 9 || { say "waiting for another setup"; flock 9; }
work=$(mktemp -d "$cache/setup.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
wanted "$@" >"$work/wanted"
while read -r kind name <&3; do "fetch_$kind" "$name"; done 3<"$work/wanted"
