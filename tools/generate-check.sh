#!/usr/bin/env bash
# Fails where graph/ is not what tools/graphgen makes of schema.graphqls. It generates in a copy: the tree
# stays as it is, also where this is interrupted.
set -euo pipefail

cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

git ls-files -z --cached --others --exclude-standard |
	tar --create --null --files-from - --ignore-failed-read 2>/dev/null |
	tar --extract --directory "$copy"
(cd "$copy" && go build -C tools -o "$copy/graphgen" ./graphgen && ./graphgen)

for file in generated.go models_gen.go; do
	if ! diff --unified=1 "graph/$file" "$copy/graph/$file" >"$copy/difference"; then
		head -40 "$copy/difference" >&2
		echo "graph/$file is not what schema.graphqls makes: run make generate" >&2
		exit 1
	fi
done
