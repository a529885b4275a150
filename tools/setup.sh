#!/usr/bin/env bash
# Installs what tests need and this machine lacks: a C compiler for the race detector, a browser and
# node for the page tests, ffmpeg for the streams, and the npm packages of each folder with a
# package-lock.json. It may run again at any time and then does nothing.
#
# What cannot be installed is said loudly and is no failure: the tests that need it are skipped, and
# say so too.
set -euo pipefail

cd "$(dirname "$0")/.."

missed=()

# lacks NAME…: none of these programs is here.
lacks() {
	local name
	for name; do
		if command -v "$name" >/dev/null; then return 1; fi
	done
}

# debian_packages lists what of Debian's is missing.
debian_packages() {
	if lacks "${CC:-gcc}"; then echo gcc libc6-dev; fi
	if lacks chromium chromium-browser google-chrome; then echo chromium; fi
	if lacks ffmpeg; then echo ffmpeg; fi
	if lacks npm; then echo nodejs npm; fi
}

install_debian_packages() {
	local as_root=()
	if lacks apt-get; then return 1; fi
	if [ "$(id -u)" != 0 ]; then
		sudo -n true 2>/dev/null || return 1
		as_root=(sudo -n)
	fi
	"${as_root[@]}" apt-get update -qq &&
		"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

# install_npm_packages FOLDER: as its package-lock.json says, unless they are there already.
install_npm_packages() {
	local installed=$1/node_modules/.filmstrip-lock
	if cmp --silent "$1/package-lock.json" "$installed"; then return 0; fi
	(cd "$1" && npm ci --no-audit --no-fund --loglevel=error) && cp "$1/package-lock.json" "$installed"
}

mapfile -t packages < <(debian_packages | tr ' ' '\n')
if [ "${#packages[@]}" -gt 0 ]; then
	echo "installing ${packages[*]} ..."
	install_debian_packages "${packages[@]}" >&2 || missed+=("the packages ${packages[*]}")
fi

while IFS= read -r -d '' lock; do
	install_npm_packages "$(dirname "$lock")" >&2 || missed+=("the npm packages of $(dirname "$lock")")
done < <(git ls-files -z --cached --others --exclude-standard '*package-lock.json')

for what in "${missed[@]}"; do
	echo "*** NOT INSTALLED: $what. Tests that need them will be skipped. ***" >&2
done
[ "${#missed[@]}" -gt 0 ] || echo 'setup: everything that tests need is here'
