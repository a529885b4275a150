#!/usr/bin/env bash
# Fails if graph/ differs from what gqlgen generates from schema.graphqls. It generates in place, where everything is
# compiled already, and puts the files back. Nothing may compile meanwhile.
set -euo pipefail

cd "$(dirname "$0")/.."
files=(generated.go models_gen.go)
copy=$(mktemp -d)
restore() {
	cp -p "$copy"/*.go graph/
	rm -rf "$copy"
}
(cd graph && cp -p "${files[@]}" "$copy/")
trap restore EXIT
"${GO:-go}" tool -C tools gqlgen generate

for file in "${files[@]}"; do
	if ! diff --unified=1 "$copy/$file" "graph/$file" >"$copy/difference"; then
		head -40 "$copy/difference" >&2
		echo "graph/$file is out of date: run make generate" >&2
		exit 1
	fi
done
