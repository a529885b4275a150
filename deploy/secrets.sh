#!/bin/sh
# Creates the random secrets that compose.yaml reads, in deploy/secrets, which git ignores. It
# keeps existing secrets, because the databases remember theirs.
set -eu

cd "$(dirname "$0")"

if [ -e secrets ]; then
	echo 'deploy/secrets is there already' >&2
	exit 1
fi

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

postgres=$(random)
redis=$(random)
typesense=$(random)

# Only the owner can enter the folder; the files are readable, because containers read them as other users.
umask 022
mkdir -m 700 secrets
printf '%s' "$postgres" >secrets/postgres-password
printf 'postgres://filmstrip:%s@postgres:5432/filmstrip?sslmode=disable' "$postgres" >secrets/store
printf 'requirepass %s\n' "$redis" >secrets/redis.conf
printf 'redis://:%s@redis:6379/0' "$redis" >secrets/cache
printf '[server]\napi-key = %s\n' "$typesense" >secrets/typesense.ini
printf '%s' "$typesense" >secrets/search-key
