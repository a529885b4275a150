package endpoint_test

import "testing"

// TestHiddenChannelsOfUse: a client that tells of a play of a video that it does not see learns nothing of its
// channel.
func TestHiddenChannelsOfUse(t *testing.T) {
	b := newBilling(t)
	b.store(t, played("school", "2026-10-05T10:00:00Z", 1000), played("school", "2026-10-05T10:00:00Z", 2000, of(string(secret))))
	rows := `{ usage(` + october + `, by: [CHANNEL], orderBy: SECONDS) { total { plays } rows { channel seconds } } }`
	b.want(t, schoolLMS, rows, `{"total":{"plays":2},"rows":[{"channel":null,"seconds":2},{"channel":"`+string(open)+`","seconds":1}]}`)
	b.want(t, console, rows, `{"total":{"plays":2},"rows":[{"channel":"`+string(private)+`","seconds":2},{"channel":"`+string(open)+`","seconds":1}]}`)
	found := `{ usage(` + october + `, filter: {channels: ["` + string(private) + `"]}) { total { plays } } }`
	b.want(t, schoolLMS, found, `{"total":{"plays":0}}`)
	b.want(t, console, found, `{"total":{"plays":1}}`)
	b.want(t, schoolLMS, `{ usage(`+october+`, filter: {channels: ["`+string(private)+`", "`+string(open)+`"]}) { total { plays } } }`, `{"total":{"plays":1}}`)
}
