#!/usr/bin/env bash
# Builds a release of the commit at hand into dist/: the binary for each platform, the bill of
# materials of each (CycloneDX), and the sums of all. The same commit and the same Go give the same
# bytes; --check builds it once more, in a fresh clone with an empty build cache, and compares.
set -euo pipefail

cd "$(dirname "$0")/.."

platforms=(linux/amd64 linux/arm64 darwin/arm64 windows/amd64)

# What the builder's own environment says must not change the bytes.
export CGO_ENABLED=0 GOFLAGS='' GOEXPERIMENT='' GOAMD64=v1 GOARM64=v8.0

refuse_changes() {
	if [ -n "$(git status --porcelain)" ]; then
		echo 'a release is built from a commit: commit or remove what git status shows' >&2
		exit 1
	fi
}

# build PLATFORM: the version is the one that Go reads from git; time zones come along, since a
# container has none.
build() {
	local os=${1%/*} arch=${1#*/} name
	name=filmstrip-$os-$arch
	if [ "$os" = windows ]; then name+=.exe; fi
	GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=true -tags timetzdata -ldflags='-s -w' \
		-o "dist/$name" ./cmd/filmstrip
	go run -C tools ./sbom "$PWD/dist/$name" "$PWD"/web/*/package-lock.json >"dist/$name.cdx.json"
}

release() {
	local platform
	rm -rf dist
	mkdir dist
	for platform in "${platforms[@]}"; do
		echo "building $platform ..."
		build "$platform"
	done
	(cd dist && LC_ALL=C sha256sum filmstrip-* >SHA256SUMS)
}

# check: the sums in dist/ are those of a release that shares nothing with it but the modules.
check() {
	copy=$(mktemp -d)
	trap 'rm -rf "$copy"' EXIT
	git clone --quiet --no-hardlinks . "$copy/clone"
	GOCACHE=$copy/cache "$copy/clone/tools/release.sh"
	diff dist/SHA256SUMS "$copy/clone/dist/SHA256SUMS"
	echo 'two builds, the same sums'
}

case "${1:-}" in
'')
	refuse_changes
	release
	;;
--check) check ;;
*)
	echo 'usage: tools/release.sh [--check]' >&2
	exit 2
	;;
esac
