package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/filmstrip/filmstrip/event/export"
)

func TestCaliper(t *testing.T) {
	file, sum := written(t, export.Caliper, options, one(samples()))
	golden(t, "events.caliper.jsonl", file)
	if sum.Omitted != 1 || sum.Exported != int64(len(samples())-1) {
		t.Errorf("the sum is %+v", sum)
	}
}

// caliperSchema returns a schema of envelopes. It follows the tables of the Caliper 1.2 specification, which publishes
// no schemas.
func caliperSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("testdata/caliper-v1p2.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("caliper.json", document); err != nil {
		t.Fatal(err)
	}
	return compiler.MustCompile("caliper.json")
}

func TestCaliperIsValid(t *testing.T) {
	schema := caliperSchema(t)
	check := func(envelope []byte) error {
		t.Helper()
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(envelope))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(value)
	}
	ofSamples, _ := written(t, export.Caliper, options, one(samples()))
	ofPlays, _ := written(t, export.Caliper, options, plays(2, 260))
	for line := range bytes.Lines(append(bytes.Clone(ofSamples), ofPlays...)) {
		if err := check(line); err != nil {
			t.Errorf("%v", err)
		}
	}
	for _, fault := range []struct{ from, to string }{
		{`"sensor":"https://films.example"`, `"sensor":"us"`},
		{`"id":"urn:uuid:019a3b10-0000-7000-8000-000000000001"`, `"id":"019a3b10-0000-7000-8000-000000000001"`},
		{`"action":"Paused"`, `"action":"Played"`},
		{`"action":"Resumed"`, `"action":"NavigatedTo"`},
		{`"eventTime":"2026-10-31T11:59:55.250Z"`, `"eventTime":"2026-10-31T11:59:55+00:00"`},
		{`"currentTime":"PT62.29S"`, `"currentTime":62.29`},
		{`"type":"Person"`, `"type":"Pupil"`},
		{`"profile":"ReadingProfile"`, `"profile":"GeneralProfile"`},
	} {
		broken := bytes.Replace(ofSamples, []byte(fault.from), []byte(fault.to), 1)
		if bytes.Equal(broken, ofSamples) {
			t.Fatalf("no envelope has %s", fault.from)
		}
		if check(broken) == nil {
			t.Errorf("%s is found valid", fault.to)
		}
	}
}

// TestEnvelopes checks that no envelope is too large or empty, and that the envelopes contain every event in order.
func TestEnvelopes(t *testing.T) {
	file, _ := written(t, export.Caliper, options, plays(3, 75))
	var sizes, ids []string
	for line := range bytes.Lines(file) {
		var envelope struct {
			Data []struct{ ID string }
		}
		if err := json.Unmarshal(line, &envelope); err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, fmt.Sprint(len(envelope.Data)))
		for _, one := range envelope.Data {
			ids = append(ids, one.ID)
		}
	}
	if got := strings.Join(sizes, " "); got != "100 100 25" {
		t.Errorf("the envelopes hold %s events", got)
	}
	for i, id := range ids {
		if want := "urn:uuid:" + fixedID(i+1).String(); id != want {
			t.Fatalf("event %d is %s, not %s", i+1, id, want)
		}
	}
	if nothing, _ := written(t, export.Caliper, options, one(nil)); len(nothing) != 0 {
		t.Errorf("of nothing there is an envelope: %s", nothing)
	}
}
