#!/usr/bin/env bash
# Makes the data of TestUpgradeFromFirstRelease: it fills a store of each engine with the program of release v0.1.0, and
# records its answers to questions.txt.
#
#   make.sh PROGRAM POSTGRES_URL
#
# PROGRAM is built from the commit "Date release v0.1.0 in the changelog" (CGO_ENABLED=0 go build ./cmd/filmstrip), and
# POSTGRES_URL names an empty database. The script needs bash, curl, jq and pg_dump. The passwords and keys in the data
# belong to nobody.
set -euo pipefail
program=$(realpath "$1") database=$2
cd "$(dirname "$0")"
work=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server"; fi; rm -rf "$work"' EXIT

# make ENGINE FLAG... fills the store that the flags select, and records the answers.
make() {
	local engine=$1 address=127.0.0.1:18765
	local store=("${@:2}")
	on() { "$program" "$@" "${store[@]}"; }
	token() { # CLIENT
		curl -sf "http://$address/v1/token" -d grant_type=client_credentials -d "client_id=$1" \
			-d "client_secret=$(jq -r --arg client "$1" '.[$client]' "secrets-$engine.json")" | jq -r .access_token
	}
	on migrate >"$work/log"
	on accounts create house --name "The operator" --operator >"$work/log"
	on accounts create school --name "Green school" --tier plus >"$work/log"
	on accounts create college --name "North college" --tier basic >"$work/log"
	{
		on clients create console --account house --json
		on clients create school-lms --account school --name "The school's platform" --json
		on clients create college-site --account college --json
	} | jq -s 'map({key: .client.id, value: .secret}) | from_entries' >"secrets-$engine.json"
	echo correct-horse-battery | on users create --account school --username anna --external-id teacher-1 --email anna@school.example \
		--given-name Anna --family-name Example --password-file - >"$work/log"
	"$program" generate catalogue --videos 30 --transcript-words 20 |
		jq -c 'select(.kind != "topic") | if .kind == "video" then .topics = null | .availableUntil = null else . end' | on import - >"$work/log"
	on import collections.jsonl >"$work/log"
	on generate events --append --account school,college --videos 30 --count 220 --from 2026-08-01 --to 2026-11-01 >"$work/log"
	on usage seal --month 2026-08 >"$work/log"
	on usage void --client school-app --account school --from 2026-08-10 --to 2026-09-20 --id first-void --reason "load test" >"$work/log"
	on usage void --video b6cc0534b99fc3ee178118d4 --account college --id second-void --reason "by mistake" >"$work/log"
	on usage unvoid second-void --reason "it was no test" >"$work/log"
	on usage seal --month 2026-09 >"$work/log"
	on clients update college-site --name "The college's website" >"$work/log"

	"$program" serve --addr "$address" --base-url http://catalogue.example "${store[@]}" >"$work/log" 2>&1 &
	server=$!
	until curl -sf "http://$address/readyz" >"$work/ready"; do sleep 0.1; done
	local bearer
	bearer=$(token school-lms)
	for n in 1 2 3; do # events that arrive over HTTP
		curl -sf "http://$address/v1/events/playback" -H "Authorization: Bearer $bearer" -H 'Content-Type: application/json' -H "Idempotency-Key: $n" \
			-d '{"videoId":"b6cc0534b99fc3ee178118d4","segmentStartSeconds":0,"segmentEndSeconds":'"$n"',"userId":"pupil-'"$n"'"}'
	done
	curl -sf -o "$work/log" "http://$address/v1/videos?query=flute" -H "Authorization: Bearer $bearer"
	sleep 15 # the server writes the search log and counts
	: >"$work/answers"
	local who question
	while read -r who question; do
		case $question in
		/*) curl -sf "http://$address$question" -H "Authorization: Bearer $(token "$who")" ;;
		{*) jq -n --arg query "$question" '{query: $query}' |
			curl -sf "http://$address/graphql" -H "Authorization: Bearer $(token "$who")" -H 'Content-Type: application/json' -d @- ;;
		*) eval "on $question" | jq -s . ;;
		esac | jq --arg question "$who $question" '{$question, answer: .}' >>"$work/answers"
	done <questions.txt
	jq -s . "$work/answers" >"answers-$engine.json"
	kill "$server"
	wait "$server"
	server=
}

make sqlite --data "$work/data"
# A backup is a data directory with a manifest, so it serves for both. The server also has a snapshot of its index.
"$program" backup "$work/backup" --data "$work/data"
cp -r "$work/data/search" "$work/data/restore-list.jsonl" "$work/backup"
tar -C "$work/backup" --owner=0 --group=0 --sort=name -c . | gzip -9n >sqlite.tar.gz
make postgresql --store "$database" --data "$work/none"
# The test sends the dump as statements, to servers of any version.
pg_dump --no-owner --inserts --rows-per-insert=100 "$database" | grep -v '^SET transaction_timeout\|^\\\|^--' | gzip -9n >postgresql.sql.gz
ls -l
