package event_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/event"
)

// metadataOf returns the metadata of a playback with additional members.
func metadataOf(t testing.TB, members string) string {
	t.Helper()
	body := decoders["playback"].body
	return string(taken(t, "playback", event.Body(strings.TrimSuffix(body, "}")+","+members+"}")).Metadata)
}

func TestMetadata(t *testing.T) {
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	for members, want := range map[string]string{
		`"a":1`:                                 `{"a":1}`,
		` "a" : [ 1 , { "b c" : "d e" } ] `:     `{"a":[1,{"b c":"d e"}]}`,
		`"a":"\\\" [ { ","b":{ "\"" : 1 }`:      `{"a":"\\\" [ { ","b":{"\"":1}}`,
		`"a":null,"b":true,"c":1e400`:           `{"a":null,"b":true,"c":1e400}`,
		`"a":"x\n\t\r\/\u00e9"`:                 `{"a":"x\n\t\r\/\u00e9"}`,
		`"a":1,"playerId":"p","b":2`:            `{"playerId":"p","a":1,"b":2}`, // Known members come first.
		`"subtype":"x","url":7`:                 `{"subtype":"x","url":7}`,      // These names belong to other kinds.
		`"a":` + nested(7):                      `{"a":` + nested(7) + `}`,
		`"a":` + nested(8) + `,"b":1`:           `{"b":1,"_dropped":1}`,
		`"_dropped":"mine","b":1`:               `{"b":1,"_dropped":1}`,
		`"` + strings.Repeat("n", 5000) + `":1`: `{"_dropped":1}`,
		`"a":["x\\", [ 1 ], "\\\" [ "]`:         `{"a":["x\\",[1],"\\\" [ "]}`,
		`"":""`:                                 `{"":""}`,
	} {
		if got := metadataOf(t, members); got != want {
			t.Errorf("%.80s: got %.200s, want %s", members, got, want)
		}
	}
}

// TestMetadataLeavesOutWhatIsTooMuch checks that an event with too much metadata is accepted and records how many
// members were dropped.
func TestMetadataLeavesOutWhatIsTooMuch(t *testing.T) {
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf(`"m%d":%d`, i, i))
	}
	for name, c := range map[string]struct {
		members       string
		kept, dropped int
	}{
		"32":                {strings.Join(many[:32], ","), 32, 0},
		"33":                {strings.Join(many[:33], ","), 32, 1},
		"100":               {strings.Join(many, ","), 32, 68},
		"a useful one last": {strings.Join(many, ",") + `,"playerId":"p"`, 32, 69},
		"4000 bytes":        {`"a":"` + strings.Repeat("x", 4000) + `"`, 1, 0},
		"too long":          {`"a":"` + strings.Repeat("x", 4096) + `","b":1`, 1, 1},
		"two that are":      {`"a":"` + strings.Repeat("x", 3000) + `","b":"` + strings.Repeat("x", 3000) + `"`, 1, 1},
		"white space":       {`"a":[` + strings.Repeat(" ", 5000) + `]`, 1, 0},
	} {
		metadata := metadataOf(t, c.members)
		var members map[string]any
		if err := json.Unmarshal([]byte(metadata), &members); err != nil {
			t.Fatal(name, err)
		}
		dropped, _ := members[event.DroppedMember].(float64)
		delete(members, event.DroppedMember)
		if len(members) != c.kept || int(dropped) != c.dropped || len(metadata) > event.MaxMetadata {
			t.Errorf("%s: %d are kept and %v dropped in %d bytes, want %d and %d", name, len(members), dropped, len(metadata), c.kept, c.dropped)
		}
	}
	if metadata := metadataOf(t, strings.Join(many, ",")+`,"playerId":"p"`); !strings.HasPrefix(metadata, `{"playerId":"p",`) {
		t.Errorf("the player's id is not kept first: %s", metadata)
	}
}

// TestKnownMembersBehindManyOthers checks that billed members are found at any place in the object.
func TestKnownMembersBehindManyOthers(t *testing.T) {
	var many strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&many, `"m%d":0,`, i)
	}
	e := taken(t, "playback", event.Body("{"+many.String()+decoders["playback"].body[1:]))
	if e.Video != video || e.Start != 1500 || e.End != 12_000 || !strings.HasSuffix(string(e.Metadata), `,"_dropped":2968}`) {
		t.Errorf("got %+v with %s", e, e.Metadata)
	}
}
