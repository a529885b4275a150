#!/usr/bin/env bash
# Fails if graph/ differs from what gqlgen generates from schema.graphqls. It generates in a copy, so the
# tree stays unchanged even if the script is interrupted.
set -euo pipefail

cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

git ls-files -z --cached --others --exclude-standard |
	tar --create --null --files-from - --ignore-failed-read 2>/dev/null |
	tar --extract --directory "$copy"
go tool -C "$copy/tools" gqlgen generate

for file in generated.go models_gen.go; do
	if ! diff --unified=1 "graph/$file" "$copy/graph/$file" >"$copy/difference"; then
		head -40 "$copy/difference" >&2
		echo "graph/$file is out of date: run make generate" >&2
		exit 1
	fi
done
