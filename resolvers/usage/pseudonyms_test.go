package usage_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/resolvers"
)

// TestFormerPseudonyms proves that users with a pseudonym are found and forgotten after pseudonyms were switched off.
func TestFormerPseudonyms(t *testing.T) {
	key := []byte("a key for names of persons, long")
	b := newFixture(t, func(c *resolvers.Config) { c.FormerPersonKey = key })
	b.store(t,
		played("school", "2026-10-05T10:00:00Z", 1000, by(event.Pseudonym(key, "school", "ann"))),
		played("school", "2026-10-05T10:00:00Z", 2000, by("ann")), // after pseudonyms were switched off
	)
	const ofAnn = `{ usage(` + october + `, filter: {accounts: ["school"], externalUsers: ["ann"]}) { total { plays } } }`
	b.want(t, console, ofAnn, `{"total":{"plays":2}}`)
	b.want(t, console, `mutation { forgetPerson(account: "school", externalUser: "ann") }`, `2`)
	b.want(t, console, ofAnn, `{"total":{"plays":0}}`)
}
