package usage_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

// TestHiddenChannelsOfUsage proves that a client that reports a play of a hidden video does not learn its channel.
func TestHiddenChannelsOfUsage(t *testing.T) {
	b := newFixture(t)
	b.store(t, played("school", "2026-10-05T10:00:00Z", 1000), played("school", "2026-10-05T10:00:00Z", 2000, of(string(resolverstest.Secret))))
	rows := `{ usage(` + october + `, by: [CHANNEL], orderBy: SECONDS) { total { plays } rows { channel seconds } } }`
	// All hidden and unknown videos share one row, in which each user and video counts once.
	more := newFixture(t)
	more.store(t, played("school", "2026-10-05T10:00:00Z", 1000, by("ann")), played("school", "2026-10-05T10:00:00Z", 2000, of(string(resolverstest.Secret)), by("ann")),
		played("school", "2026-10-05T10:00:00Z", 4000, of("5c54d6cdd8eafeecae2063b5"), by("ann")))
	more.want(t, schoolLMS, `{ usage(`+october+`, by: [CHANNEL], orderBy: SECONDS) { count rows { channel seconds users videos } } }`,
		`{"count":2,"rows":[{"channel":null,"seconds":6,"users":1,"videos":2},{"channel":"`+string(resolverstest.Open)+`","seconds":1,"users":1,"videos":1}]}`)
	b.want(t, schoolLMS, rows, `{"total":{"plays":2},"rows":[{"channel":null,"seconds":2},{"channel":"`+string(resolverstest.Open)+`","seconds":1}]}`)
	b.want(t, console, rows, `{"total":{"plays":2},"rows":[{"channel":"`+string(resolverstest.Private)+`","seconds":2},{"channel":"`+string(resolverstest.Open)+`","seconds":1}]}`)
	found := `{ usage(` + october + `, filter: {channels: ["` + string(resolverstest.Private) + `"]}) { total { plays } } }`
	b.want(t, schoolLMS, found, `{"total":{"plays":0}}`)
	b.want(t, console, found, `{"total":{"plays":1}}`)
	b.want(t, schoolLMS, `{ usage(`+october+`, filter: {channels: ["`+string(resolverstest.Private)+`", "`+string(resolverstest.Open)+`"]}) { total { plays } } }`, `{"total":{"plays":1}}`)
}
