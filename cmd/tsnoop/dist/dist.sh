#!/bin/sh
# dist.sh [ARCH...]: make packages for these architectures, by Go's names, in $OUT (dist).
#
# Every architecture of Linux that Go has gets a tarball; amd64 and arm64, whose calls
# tsnoop can trace, also get deb and rpm. The others are for --emit and replay.
#
# The version is what Go makes of the tag of the commit, or $VERSION where there is no git.
# The same commit, Go and nfpm make the same bytes: all times are $SOURCE_DATE_EPOCH, that
# of the commit, and no path, user or host gets into a file.
set -eu
cd "$(dirname "$0")/../../.."
root=$PWD

all="386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x"
traced="amd64 arm64"
NFPM=${NFPM:-go run github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2}
out=${OUT:-dist}
export LC_ALL=C TZ=UTC CGO_ENABLED=0 GOOS=linux GOFLAGS="${GOFLAGS:-} -trimpath"
umask 022

[ $# -gt 0 ] || set -- $all
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

if [ "${VERSION:-}" ]; then
	vcs="-buildvcs=false"
	linked="-s -w -X main.linked=v${VERSION#v}"
	SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:?is not set, and VERSION has no time}
else
	vcs="-buildvcs=true"
	linked="-s -w"
	SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
fi
export SOURCE_DATE_EPOCH

# compile ARCH DIR. The oldest machines of an architecture are meant.
compile() {
	GOARCH=$1 GOAMD64=v1 GOARM=6 GO386=sse2 GOMIPS=softfloat GOMIPS64=softfloat \
		go build "$vcs" -ldflags "$linked" -o "$2/" ./cmd/tsnoop ./cmd/tsnoop-export
}

# The parts that are the same for all come from the programs themselves.
host=$work/host
programs="tsnoop tsnoop-export"
compile "$(go env GOHOSTARCH)" "$host"
VERSION=$("$host/tsnoop" --version)
VERSION=${VERSION#tsnoop v}
case $VERSION in
[0-9]*) export VERSION ;;
*) echo "dist: Go finds no version in this clone (or this is a worktree): set VERSION" >&2; exit 1 ;;
esac

GOARCH=$(go env GOHOSTARCH) go build -buildvcs=false -o "$work/parts" ./cmd/tsnoop/dist/parts

common=$work/common
mkdir -p "$work/made" "$common/completion" "$common/man" "$common/doc"
for program in $programs; do
	for shell in bash zsh fish; do "$host/$program" completion $shell >"$common/completion/$program.$shell"; done
	for page in $("$host/$program" __manual); do "$host/$program" __manual "$page" | gzip -9n >"$common/man/$page.gz"; done
done
cp -r cmd/tsnoop/preset/presets "$common/"
cp README.md SECURITY.md CHANGELOG.md LICENSE "$common/doc/"

# Only a deb has these: a changelog in Debian's form, and why lintian is contradicted.
debian=$work/debian
mkdir "$debian"
cp cmd/tsnoop/dist/lintian "$debian/"
cat <<-END | gzip -9n >"$debian/changelog.gz"
	tsnoop ($(echo "$VERSION" | sed 's/-/~/')) unstable; urgency=medium

	  * See CHANGELOG.md.

	 -- $(sed -n 's/^maintainer: //p' cmd/tsnoop/dist/nfpm.yaml)  $(date -R -d "@$SOURCE_DATE_EPOCH")
END

# tarball DIR writes DIR.tar.gz.
tarball() {
	tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
		--mtime="@$SOURCE_DATE_EPOCH" --format=ustar -cf - "${1##*/}" | gzip -9n >"$work/made/${1##*/}.tar.gz"
}

# package DIR ARCH FORM makes a deb or an rpm of what the tarball has.
package() {
	cp -r "$debian" "$1/"
	find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	(cd "$1" && ARCH=$2 $NFPM package -f "$root/cmd/tsnoop/dist/nfpm.yaml" -p "$3" -t "$work/made/") >"$work/said" 2>&1 ||
		{ cat "$work/said" >&2; exit 1; }
}

for arch; do
	dir=$work/tsnoop-$VERSION-linux-$arch
	mkdir "$dir"
	cp -r "$common"/* "$dir/"
	mv "$dir"/doc/* "$dir/" && rmdir "$dir/doc"
	if [ "$arch" = "$(go env GOHOSTARCH)" ]; then cp "$host"/* "$dir/"; else compile "$arch" "$dir"; fi
	GOARCH=$arch "$work/parts" "$dir" $programs
	tarball "$dir"
	case " $traced " in *" $arch "*) ;; *) continue ;; esac
	for form in deb rpm; do
		package "$dir" "$arch" $form
	done
done
mv "$work"/made/* "$out"
(cd "$out" && sha256sum tsnoop[-_]* >SHA256SUMS && cat SHA256SUMS)
