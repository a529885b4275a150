package importline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importline"
)

const head = `"format":1,"kind":"video","source":"s","ref":"v1",`

const allKinds = "contract, contract-legal-restriction, education-level, tag, content-warning, subject, discipline, topic, " +
	"phrase, synonym, search-rule, provider, channel, video, captions, learning-material, highlight, theme, district, school, collection"

// least contains the fewest fields that a new video needs besides the header.
const least = `"title":"T","channel":"c","releasedOn":"2020-02-29","playback":{"duration":"PT5M","stream":"https://s.example/v1.m3u8"}`

func decode(t *testing.T, line string) *importline.Record {
	t.Helper()
	record := importline.Decode([]byte(line))
	if len(record.Faults) > 0 {
		t.Fatalf("%s: %v", line, record.Faults)
	}
	return record
}

func apply(t *testing.T, stored catalogue.Item, line string) catalogue.Item {
	t.Helper()
	item, faults := decode(t, line).Apply(stored)
	if len(faults) > 0 {
		t.Fatalf("%s: %v", line, faults)
	}
	return item
}

func TestEachFaultNamesItsFieldAndValue(t *testing.T) {
	for name, test := range map[string]struct{ line, want string }{
		"nothing":           {``, `is empty, and not an object`},
		"no object":         {`[1]`, `[1] is not an object`},
		"two values":        {`{"format":1} {}`, `is followed by something else`},
		"a key twice":       {`{"format":1,"format":1}`, `format: is given twice`},
		"a key twice below": {`{"playback":{"id":"a","id":"b"}}`, `playback.id: is given twice`},

		"foreign":        {`{"id":7,"name":"a"}`, `format: is missing, and there is no known kind: this is not an import line`},
		"foreign kind":   {`{"kind":"youtube#video","id":7}`, `format: is missing, and there is no known kind: this is not an import line`},
		"no format":      {`{"kind":"tag","ref":"a"}`, `format: is required: expected 1`},
		"another format": {`{"format":2,"kind":"tag","ref":"a"}`, `format: 2 is not a format that is known: expected 1`},
		"format as text": {`{"format":"1","kind":"tag","ref":"a"}`, `format: "1" is not a whole number`},
		"no kind":        {`{"format":1,"ref":"a"}`, `kind: is required: expected one of ` + allKinds},
		"unknown kind":   {`{"format":1,"kind":"film","ref":"a"}`, `kind: "film" is not a kind: expected one of ` + allKinds},
		"no identity":    {`{"format":1,"kind":"tag","label":"Hook"}`, `ref: is required where there is no "id"`},
		"malformed id":   {`{"format":1,"kind":"tag","id":"12AB"}`, `id: "12AB" is not 24 lower-case hexadecimal characters`},
		"id in ref":      {`{"format":1,"kind":"tag","ref":"0123456789abcdef01234567"}`, `ref: "0123456789abcdef01234567" has the form of an id: give it as "id"`},
		"blank source":   {`{"format":1,"kind":"tag","ref":"a","source":" "}`, `source: must not be blank`},
		"long ref":       {`{"format":1,"kind":"tag","ref":"` + strings.Repeat("a", 2001) + `"}`, `ref: has 2001 bytes, at most 2000 are allowed`},
		"null ref":       {`{"format":1,"kind":"tag","ref":null}`, `ref: null is not a text`},
		"deletion":       {`{` + head + `"delete":true}`, `delete: there is no such field`},
		"level's id":     {`{"format":1,"kind":"education-level","id":"0123456789abcdef01234567","code":"4CL"}`, `id: "0123456789abcdef01234567" does not belong to the code "4CL": leave it out`},
		"level's code":   {`{"format":1,"kind":"education-level","ref":"a","label":"L"}`, `code: is required: education levels are identified by it`},

		"unknown field":         {`{` + head + `"tilte":"T"}`, `tilte: there is no such field`},
		"field without a name":  {`{` + head + `"":1,"playback":{"":1,"duration":1}}`, `"": there is no such field; playback."": there is no such field`},
		"field in another case": {`{` + head + `"releasedon":"2020-01-01"}`, `releasedon: there is no such field: did you mean "releasedOn"?`},
		"unknown field below":   {`{` + head + `"playback":{"duration":5,"hls":"x"}}`, `playback.hls: there is no such field`},
		"text":                  {`{` + head + `"title":5}`, `title: 5 is not a text`},
		"blank text":            {`{` + head + `"title":"  "}`, `title: is required`},
		"long text":             {`{` + head + `"title":"` + strings.Repeat("ä", 501) + `"}`, `title: has 501 characters, at most 500 are allowed`},
		"control character":     {`{` + head + `"title":"a\u0000"}`, `title: holds a control character`},
		"required as null":      {`{` + head + `"title":null}`, `title: must not be null`},
		"default as null":       {`{` + head + `"type":null}`, `type: must not be null`},
		"boolean":               {`{` + head + `"promoted":"yes"}`, `promoted: "yes" is not true or false`},
		"date":                  {`{` + head + `"releasedOn":"2021-02-29"}`, `releasedOn: "2021-02-29" is not a valid date: expected YYYY-MM-DD`},
		"date as number":        {`{` + head + `"releasedOn":2021}`, `releasedOn: 2021 is not a text`},
		"type":                  {`{` + head + `"type":"LECTURE"}`, `type: "LECTURE" is not one of NEWS, INSTRUCTIONAL, STOCK, PODCAST, HISTORICAL_NEWS_ARCHIVE`},
		"language":              {`{` + head + `"language":"english"}`, `language: "english" is not an ISO 639-2 language code`},
		"duration":              {`{` + head + `"playback":{"duration":"5:00","stream":"https://s.example"}}`, `playback.duration: "5:00" is not a valid ISO 8601 duration: expected a form like PT5M, PT1H30M or P1D`},
		"negative duration":     {`{` + head + `"playback":{"duration":-1}}`, `playback.duration: -1 is not a number of seconds`},
		"too long a duration":   {`{` + head + `"playback":{"duration":86401,"stream":"https://s.example"}}`, `playback.duration: PT24H1S is not between PT0S and PT24H`},
		"endless duration":      {`{` + head + `"playback":{"duration":1e999}}`, `playback.duration: 1e999 is not a number of seconds`},
		"no duration":           {`{` + head + `"playback":{"stream":"https://s.example"}}`, `playback.duration: is required`},
		"no stream":             {`{` + head + `"playback":{"duration":1}}`, `playback.stream: is required`},
		"provider":              {`{` + head + `"playback":{"duration":1,"provider":"vimeo"}}`, `playback.provider: "vimeo" is not one of HLS, YOUTUBE`},
		"no object below":       {`{` + head + `"playback":"https://s.example"}`, `playback: "https://s.example" is not an object`},
		"age":                   {`{` + head + `"ageRange":{"min":5.5}}`, `ageRange.min: 5.5 is not a whole number`},
		"huge age":              {`{` + head + `"ageRange":{"min":99999999999}}`, `ageRange.min: 99999999999 is not a whole number of 32 bits`},
		"ages crossed":          {`{` + head + `"ageRange":{"min":9,"max":5}}`, `ageRange: min 9 is above max 5`},
		"no list":               {`{` + head + `"keywords":"a,b"}`, `keywords: "a,b" is not a list`},
		"null in a list":        {`{` + head + `"keywords":["a",null]}`, `keywords[1]: must not be null`},
		"wrong type in a list":  {`{` + head + `"keywords":["a",{}]}`, `keywords[1]: an object is not a text`},
		"long list":             {`{` + head + `"keywords":[` + strings.Repeat(`"a",`, 200) + `"b"]}`, `keywords: has more than 200 elements`},
		"reference":             {`{` + head + `"channel":5}`, `channel: 5 is not an id, a reference or {"source": …, "ref": …}`},
		"blank reference":       {`{` + head + `"subjects":["a",""]}`, `subjects[1]: "" is not a reference`},
		"reference without ref": {`{` + head + `"channel":{"source":"x"}}`, `channel.ref: is required`},
		"attachment":            {`{` + head + `"attachments":[{"type":"ACTIVITY"}]}`, `attachments[0].link: is required`},
		"attachment's type":     {`{` + head + `"attachments":[{"type":"x","link":"https://a.example"}]}`, `attachments[0].type: "x" is not one of LESSON_PLAN, ACTIVITY, FINAL_PROJECT`},
		"attachment twice":      {`{` + head + `"attachments":[{"type":"ACTIVITY","link":"https://a.example"},{"type":"activity","link":"https://a.example"}]}`, `attachments[1]: repeats another attachment`},
		"legacy id":             {`{` + head + `"legacyId":"12x"}`, `legacyId: "12x" is not 1 to 23 digits`},
		"merged into itself":    {`{` + head + `"retired":true,"retiredInto":"v1"}`, `retiredInto: "` + string(catalogue.DeriveID(catalogue.KindVideo, "s", "v1")) + `" needs "retired": true and another video's id`},
		"a long value is cut":   {`{` + head + `"promoted":"` + strings.Repeat("x", 300) + `"}`, `promoted: "` + strings.Repeat("x", 100) + `…" is not true or false`},
	} {
		t.Run(name, func(t *testing.T) {
			record := importline.Decode([]byte(test.line))
			if diff := cmp.Diff(test.want, strings.Join(record.Faults.Reasons(), "; ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMalformedLines(t *testing.T) {
	for name, test := range map[string]struct{ line, field string }{
		"no JSON":                {`{"format":1,"title":tru}`, `title`},
		"cut off":                {`{"format":1,"attachments":[{"link":"https`, `attachments[0].link`},
		"bytes that are no text": {"{\"title\":\"a\xffb\"}", `title`},
		"half a surrogate pair":  {`{"title":"\ud800"}`, `title`},
		"a raw control":          {"{\"title\":\"a\x00\"}", `title`},
		"a number like 01":       {`{"ageRange":{"min":01}}`, `ageRange`},
		"nested too deep":        {`{"title":` + strings.Repeat("[", 20_000), `title[0][0][0][0][0][0][0]…`},
		"nested too deep below":  {`{"a":` + strings.Repeat(`{"a":`, 20_000), `a.a.a.a.a.a.a.a…`},
	} {
		t.Run(name, func(t *testing.T) {
			faults := importline.Decode([]byte(test.line)).Faults
			if len(faults) != 1 || !strings.HasPrefix(faults[0].Problem, "is not valid JSON: ") || faults[0].Field != test.field {
				t.Errorf("got %v, want a fault of %s", faults, test.field)
			}
		})
	}
}

func TestAllFaultsOfALineAreFound(t *testing.T) {
	record := importline.Decode([]byte(`{` + head + `"title":1,"promoted":2,"nonsense":3,"ageRange":{"min":"x"}}`))
	want := `title: 1 is not a text; promoted: 2 is not true or false; nonsense: there is no such field; ageRange.min: "x" is not a whole number`
	if diff := cmp.Diff(want, strings.Join(record.Faults.Reasons(), "; ")); diff != "" {
		t.Error(diff)
	}
}

func TestFaultsOfALineAreBounded(t *testing.T) {
	var line strings.Builder
	line.WriteString(`{` + head + `"title":"T"`)
	for i := range 10_000 {
		fmt.Fprintf(&line, `,"x%d":1`, i)
	}
	if n := len(importline.Decode([]byte(line.String() + "}")).Faults); n != 100 {
		t.Errorf("%d faults were noted", n)
	}
}

func TestRequiredFieldsAreMissedInNewThingsOnly(t *testing.T) {
	record := decode(t, `{`+head+`"description":"D"}`)
	_, faults := record.Apply(nil)
	if diff := cmp.Diff("title: is required; channel: is required; releasedOn: is required; playback: is required", strings.Join(faults.Reasons(), "; ")); diff != "" {
		t.Error(diff)
	}
	stored := apply(t, nil, `{`+head+least+`}`)
	item, faults := record.Apply(stored)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if video := item.(*catalogue.Video); video.Title != "T" || video.Description != "D" {
		t.Errorf("got %+v", video)
	}
}

func TestRequiredFieldsOfEachKind(t *testing.T) {
	for kind, want := range map[catalogue.Kind]string{
		catalogue.KindContract:       "name: is required",
		catalogue.KindTag:            "label: is required",
		catalogue.KindContentWarning: "label: is required",
		catalogue.KindSubject:        "name: is required",
		catalogue.KindDiscipline:     "name: is required; code: is required",
		catalogue.KindTopic:          "name: is required",
		catalogue.KindChannel:        "name: is required",
		catalogue.KindVideo:          "title: is required; channel: is required; releasedOn: is required; playback: is required",
	} {
		_, faults := decode(t, `{"format":1,"kind":"`+string(kind)+`","ref":"a"}`).Apply(nil)
		if diff := cmp.Diff(want, strings.Join(faults.Reasons(), "; ")); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
}

func TestContradictionsWithStoredFieldsAreFaults(t *testing.T) {
	stored := apply(t, nil, `{`+head+least+`,"retired":true,"retiredInto":"v2"}`)
	if v := apply(t, stored, `{`+head+`"retired":false}`).(*catalogue.Video); v.Retired || v.RetiredInto != nil {
		t.Errorf("a restored video is retired %t, into %v", v.Retired, v.RetiredInto)
	}
	_, faults := decode(t, `{`+head+`"retiredInto":"v2"}`).Apply(apply(t, nil, `{`+head+least+`}`))
	if !strings.Contains(strings.Join(faults.Reasons(), "; "), "retiredInto: ") {
		t.Errorf("a video that is not retired was left retired into another: %v", faults)
	}
	item := apply(t, stored, `{`+head+`"retiredInto":"v3"}`)
	if into := *item.(*catalogue.Video).RetiredInto; into != catalogue.DeriveID(catalogue.KindVideo, "s", "v3") {
		t.Errorf("retired into %s", into)
	}
}
