#!/usr/bin/env bash
# Builds a release of the current commit into dist/: a binary and a bill of materials (CycloneDX) for each platform, and
# the checksums of all files. The same commit and the same Go yield the same bytes; --check builds the release again, in a
# fresh clone with an empty build cache, and compares the checksums.
set -euo pipefail

cd "$(dirname "$0")/.."

platforms=(linux/amd64 linux/arm64 darwin/arm64 windows/amd64)

# The builder's environment must not change the bytes.
export CGO_ENABLED=0 GOFLAGS='' GOEXPERIMENT='' GOAMD64=v1 GOARM64=v8.0

refuse_changes() {
	if [ -n "$(git status --porcelain)" ]; then
		echo 'a release needs a clean working tree: commit or remove the files that git status shows' >&2
		exit 1
	fi
}

# build PLATFORM: Go reads the version from git. The binary contains the time zones, because a container has none.
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

# check compares the checksums in dist/ with those of a release that shares only the modules with it.
check() {
	copy=$(mktemp -d)
	trap 'rm -rf "$copy"' EXIT
	git clone --quiet --no-hardlinks . "$copy/clone"
	GOCACHE=$copy/cache "$copy/clone/tools/release.sh"
	diff dist/SHA256SUMS "$copy/clone/dist/SHA256SUMS"
	echo 'both builds have the same checksums'
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
