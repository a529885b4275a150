package endpoint_test

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/fault"
)

// staffOfChannels are the fields of a channel that operators alone read, each with what is within it.
var staffOfChannels = map[string]string{
	"private": "", "currency": "", "distributionMethods": "", "ageRange": "{ min max }", "contractId": "", "contractName": "", "ingestType": "",
	"marketingInformation": "{ status oneLineIntro logos showreel sampleVideos }",
	"pedagogyInformation":  "{ subjects ageRanges { min max label } bestForTags }",
	"ingest":               "{ type urls playlistIds }",
	"taxonomy":             "{ categories requiresVideoLevelTagging }",
}

// TestWhatStaffKnowOfChannels: an operator writes it and reads it again; nobody else reads any of it, neither of
// a channel nor through a video.
func TestWhatStaffKnowOfChannels(t *testing.T) {
	handler := newEndpoint(t)
	a := &administration{handler: handler}
	tag := at(t, a.do(t, `mutation { it: createTag(input: {label: "Hook"}) { id } }`, nil), "it", "id").(string)
	update := `mutation($id: ID!, $input: ChannelInput!) { it: updateChannel(id: $id, input: $input) { id } }`
	said := func(input map[string]any) map[string]any { return object("id", string(open), "input", input) }
	a.do(t, update, said(object(
		"currency", "gbp", "distributionMethods", []any{"DOWNLOAD", "STREAM"}, "ageRange", object("min", 9, "max", 12), "requiresVideoLevelTagging", true,
		"ingestUrls", []any{"https://media.example/feed"}, "ingestPlaylistIds", []any{"PL1"},
		"marketingInformation", object("status", "New", "logos", []any{"https://media.example/l"}, "showreel", "https://media.example/r"),
		"pedagogyInformation", object("subjects", []any{string(physics)}, "ageRanges", []any{object("max", 11)}, "bestForTags", []any{tag}))))

	read := `query($id: String!) { it: channel(id: $id) { currency distributionMethods ageRange { min max label } ingest { type urls playlistIds }
		marketingInformation ` + staffOfChannels["marketingInformation"] + ` pedagogyInformation ` + staffOfChannels["pedagogyInformation"] + `
		taxonomy ` + staffOfChannels["taxonomy"] + ` } }`
	wantAt(t, a.do(t, read, object("id", string(open))), `{"ageRange":{"label":"9-12","max":12,"min":9},"currency":"GBP","distributionMethods":["DOWNLOAD","STREAM"],`+
		`"ingest":{"playlistIds":["PL1"],"type":"MANUAL","urls":["https://media.example/feed"]},`+
		`"marketingInformation":{"logos":["https://media.example/l"],"oneLineIntro":null,"sampleVideos":[],"showreel":"https://media.example/r","status":"New"},`+
		`"pedagogyInformation":{"ageRanges":[{"label":"up to 11","max":11,"min":null}],"bestForTags":["`+tag+`"],"subjects":["`+string(physics)+`"]},`+
		`"taxonomy":{"categories":[],"requiresVideoLevelTagging":true}}`, "it")

	a.refuse(t, fault.Conflict, "refer to", `mutation($id: ID!) { deleteTag(id: $id) }`, object("id", tag))
	a.refuse(t, fault.Invalid, `currency: "EURO" is not an ISO 4217 currency code`, update, said(object("currency", "EURO")))
	a.refuse(t, fault.Invalid, "ingestType: is required", update, said(object("ingestType", nil)))
	a.refuse(t, fault.Invalid, `pedagogyInformation.subjects[0]: there is no subject`, update,
		said(object("pedagogyInformation", object("subjects", []any{strings.Repeat("0", 24)}))))
	a.do(t, update, said(object("pedagogyInformation", nil, "currency", nil, "ageRange", nil, "marketingInformation", nil)))
	wantAt(t, a.do(t, `query($id: String!) { it: channel(id: $id) { currency ageRange { min } pedagogyInformation { subjects } marketingInformation { status logos }
		distributionMethods } }`, object("id", string(open))),
		`{"ageRange":null,"currency":null,"distributionMethods":["DOWNLOAD","STREAM"],"marketingInformation":{"logos":[],"status":null},"pedagogyInformation":{"subjects":[]}}`, "it")
	a.do(t, `mutation($id: ID!) { deleteTag(id: $id) }`, object("id", tag))

	for field, within := range staffOfChannels {
		for _, query := range []string{
			`query($id: String!) { channel(id: $id) { name ` + field + within + ` } }`,
			`query($id: String) { channels { channels { name ` + field + within + ` } } searchVideos(query: $id) { total } }`,
			`query($id: String) { videoFeed(first: 5) { nodes { channel { ` + field + within + ` } } } searchVideos(query: $id) { total } }`,
		} {
			got := post(t, handler, customer, ask(query, object("id", string(open)))).Body.String()
			if !strings.Contains(got, "the permission OPERATE is required") || strings.Contains(got, "DOWNLOAD") || strings.Contains(got, "media.example") {
				t.Errorf("a customer who asks for %s gets %s", field, got)
			}
		}
	}
}
