package accounts_test

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

// staffOfChannels lists the fields of a channel that only operators read, each with its selection.
var staffOfChannels = map[string]string{
	"private": "", "currency": "", "distributionMethods": "", "ageRange": "{ min max }", "contractId": "", "contractName": "", "ingestType": "",
	"marketingInformation": "{ status oneLineIntro logos showreel sampleVideos }",
	"pedagogyInformation":  "{ subjects ageRanges { min max label } bestForTags }",
	"ingest":               "{ type urls playlistIds }",
	"taxonomy":             "{ categories requiresVideoLevelTagging }",
}

// TestStaffFieldsOfChannels proves that an operator writes and reads these fields, and that no other caller reads
// them, neither from a channel nor through a video.
func TestStaffFieldsOfChannels(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	a := &resolverstest.Administration{Handler: handler}
	tag := resolverstest.At(t, a.Do(t, `mutation { it: createTag(input: {label: "Hook"}) { id } }`, nil), "it", "id").(string)
	update := `mutation($id: ID!, $input: ChannelInput!) { it: updateChannel(id: $id, input: $input) { id } }`
	said := func(input map[string]any) map[string]any {
		return resolverstest.Object("id", string(resolverstest.Open), "input", input)
	}
	a.Do(t, update, said(resolverstest.Object(
		"currency", "gbp", "distributionMethods", []any{"DOWNLOAD", "STREAM"}, "ageRange", resolverstest.Object("min", 9, "max", 12), "requiresVideoLevelTagging", true,
		"ingestUrls", []any{"https://media.example/feed"}, "ingestPlaylistIds", []any{"PL1"},
		"marketingInformation", resolverstest.Object("status", "New", "logos", []any{"https://media.example/l"}, "showreel", "https://media.example/r"),
		"pedagogyInformation", resolverstest.Object("subjects", []any{string(resolverstest.Physics)}, "ageRanges", []any{resolverstest.Object("max", 11)}, "bestForTags", []any{tag}))))

	read := `query($id: String!) { it: channel(id: $id) { currency distributionMethods ageRange { min max label } ingest { type urls playlistIds }
		marketingInformation ` + staffOfChannels["marketingInformation"] + ` pedagogyInformation ` + staffOfChannels["pedagogyInformation"] + `
		taxonomy ` + staffOfChannels["taxonomy"] + ` } }`
	resolverstest.WantAt(t, a.Do(t, read, resolverstest.Object("id", string(resolverstest.Open))), `{"ageRange":{"label":"9-12","max":12,"min":9},"currency":"GBP","distributionMethods":["DOWNLOAD","STREAM"],`+
		`"ingest":{"playlistIds":["PL1"],"type":"MANUAL","urls":["https://media.example/feed"]},`+
		`"marketingInformation":{"logos":["https://media.example/l"],"oneLineIntro":null,"sampleVideos":[],"showreel":"https://media.example/r","status":"New"},`+
		`"pedagogyInformation":{"ageRanges":[{"label":"up to 11","max":11,"min":null}],"bestForTags":["`+tag+`"],"subjects":["`+string(resolverstest.Physics)+`"]},`+
		`"taxonomy":{"categories":[],"requiresVideoLevelTagging":true}}`, "it")

	a.WantError(t, fault.Conflict, "refer to", `mutation($id: ID!) { deleteTag(id: $id) }`, resolverstest.Object("id", tag))
	a.WantError(t, fault.Invalid, `currency: "EURO" is not an ISO 4217 currency code`, update, said(resolverstest.Object("currency", "EURO")))
	a.WantError(t, fault.Invalid, "ingestType: is required", update, said(resolverstest.Object("ingestType", nil)))
	a.WantError(t, fault.Invalid, `pedagogyInformation.subjects[0]: there is no subject`, update,
		said(resolverstest.Object("pedagogyInformation", resolverstest.Object("subjects", []any{strings.Repeat("0", 24)}))))
	a.Do(t, update, said(resolverstest.Object("pedagogyInformation", nil, "currency", nil, "ageRange", nil, "marketingInformation", nil)))
	resolverstest.WantAt(t, a.Do(t, `query($id: String!) { it: channel(id: $id) { currency ageRange { min } pedagogyInformation { subjects } marketingInformation { status logos }
		distributionMethods } }`, resolverstest.Object("id", string(resolverstest.Open))),
		`{"ageRange":null,"currency":null,"distributionMethods":["DOWNLOAD","STREAM"],"marketingInformation":{"logos":[],"status":null},"pedagogyInformation":{"subjects":[]}}`, "it")
	a.Do(t, `mutation($id: ID!) { deleteTag(id: $id) }`, resolverstest.Object("id", tag))

	for field, within := range staffOfChannels {
		for _, query := range []string{
			`query($id: String!) { channel(id: $id) { name ` + field + within + ` } }`,
			`query($id: String) { channels { channels { name ` + field + within + ` } } searchVideos(query: $id) { total } }`,
			`query($id: String) { videoFeed(first: 5) { nodes { channel { ` + field + within + ` } } } searchVideos(query: $id) { total } }`,
		} {
			got := resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(query, resolverstest.Object("id", string(resolverstest.Open)))).Body.String()
			if !strings.Contains(got, "the permission OPERATE is required") || strings.Contains(got, "DOWNLOAD") || strings.Contains(got, "media.example") {
				t.Errorf("a customer who asks for %s gets %s", field, got)
			}
		}
	}
}
