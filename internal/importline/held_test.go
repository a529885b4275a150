package importline_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importline"
)

// heldCase is a kind with two values for each of its fields: the first are imported, the others set over GraphQL.
type heldCase struct {
	kind   catalogue.Kind
	fields map[string][2]string
	// stored maps a field to the names under which it is held, if these are not its own.
	stored map[string][]string
}

var heldCases = []heldCase{
	{catalogue.KindVideo, map[string][2]string{
		"title": {`"A"`, `"B"`}, "description": {`"A"`, `""`}, "additionalDescription": {`"A"`, `null`}, "releasedOn": {`"2020-02-29"`, `"2021-01-01"`},
		"type": {`"STOCK"`, `"NEWS"`}, "playback": {`{"duration":"PT1M","stream":"demo:bars"}`, `{"duration":"PT2M","stream":"https://s.example/v.m3u8"}`},
		"channel": {`"c"`, `"d"`}, "subjects": {`["s"]`, `[]`}, "subjectsSetManually": {`true`, `false`}, "legalRestrictions": {`"A"`, `"B"`},
		"ageRange": {`{"min":5,"max":11}`, `{"min":6,"max":null}`}, "bestFor": {`["b"]`, `null`}, "promoted": {`true`, `false`}, "language": {`"deu"`, `null`},
		"attachments": {`[{"type":"ACTIVITY","link":"https://a.example"}]`, `[]`}, "contentWarnings": {`[]`, `null`}, "keywords": {`["a","b"]`, `["b"]`},
		"availableUntil": {`"2030-01-01"`, `null`}, "educationLevels": {`["4CL"]`, `["4CN"]`}, "cefrLevel": {`"B1"`, `"B2"`},
		"contentCategories": {`["ANIMATION"]`, `null`}, "categories": {`["YPMP"]`, `["YPM"]`}, "topics": {`["t"]`, `["u"]`}, "legacyId": {`"123"`, `"124"`},
		"retired": {`false`, `true`},
	}, map[string][]string{"retired": {"retired", "retiredInto"}}},
	{catalogue.KindHighlight, map[string][2]string{
		"video": {`"v"`, `"w"`}, "start": {`1.5`, `0.25`}, "end": {`7.125`, `8`}, "title": {`"A"`, `"B"`}, "caption": {`"A"`, `"B"`}, "contentCategories": {`["ANIMATION"]`, `null`},
	}, map[string][]string{"start": {"end", "start"}, "end": {"end", "start"}}},
	{catalogue.KindCaptions, map[string][2]string{
		"humanGenerated": {`true`, `false`}, "cues": {`[{"start":1,"end":2.5,"text":"A"}]`, `[{"start":1,"end":2.5,"text":"B"}]`},
	}, nil},
	{catalogue.KindTag, map[string][2]string{"label": {`"Aa"`, `"Bb"`}}, nil},
}

func (c heldCase) line(t *testing.T, fields ...string) *importline.Record {
	t.Helper()
	line := `{"format":1,"kind":"` + string(c.kind) + `","source":"s",` + strings.Join(fields, ",")
	if c.kind == catalogue.KindCaptions {
		line += `,"video":"v","language":"deu"}`
	} else {
		line += `,"ref":"r"}`
	}
	record := importline.Decode([]byte(line))
	if len(record.Faults) > 0 {
		t.Fatalf("%s: %v", line, record.Faults)
	}
	return record
}

// whole returns a line with all fields, the first or the second value of each.
func (c heldCase) whole(t *testing.T) *importline.Record {
	t.Helper()
	var fields []string
	for name, values := range c.fields {
		fields = append(fields, fmt.Sprintf("%q:%s", name, values[0]))
	}
	slices.Sort(fields)
	return c.line(t, fields...)
}

func encoded(t *testing.T, item catalogue.Item) string {
	t.Helper()
	text, err := json.Marshal(item)
	if err != nil {
		t.Fatal(err)
	}
	return string(catalogue.WithoutHeld(text))
}

func namesOf(held []catalogue.Held) (names []string) {
	for _, one := range held {
		names = append(names, one.Field)
	}
	return names
}

// TestHeldFields changes each field of each kind: the next import keeps the value and notes its own, which a release can set.
func TestHeldFields(t *testing.T) {
	for _, c := range heldCases {
		imported := c.whole(t)
		stored, faults := imported.Apply(nil)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		for name, values := range c.fields {
			want := c.stored[name]
			if want == nil {
				want = []string{name}
			}
			same, _ := c.line(t, fmt.Sprintf("%q:%s", name, values[0])).Edit(stored)
			if len(same.Head().Held) > 0 {
				t.Errorf("%s %s: the same value is held: %v", c.kind, name, same.Head().Held)
			}
			edited, faults := c.line(t, fmt.Sprintf("%q:%s", name, values[1])).Edit(stored)
			if len(faults) > 0 || !slices.Equal(namesOf(edited.Head().Held), want) {
				t.Errorf("%s %s: the held fields are %v: %v", c.kind, name, namesOf(edited.Head().Held), faults)
				continue
			}
			next, kept, faults := imported.Import(edited)
			if len(faults) > 0 || encoded(t, next) != encoded(t, edited) || len(kept) != 1 || kept[0].Field != name {
				t.Errorf("%s %s: the import makes %s, keeps %v: %v", c.kind, name, encoded(t, next), kept, faults)
				continue
			}
			again, _, _ := imported.Import(next)
			if fmt.Sprint(again.Head().Held) != fmt.Sprint(next.Head().Held) {
				t.Errorf("%s %s: the same import holds %v, then %v", c.kind, name, next.Head().Held, again.Head().Held)
			}
			for release, want := range map[bool]string{false: encoded(t, edited), true: encoded(t, stored)} {
				released, faults := importline.Release(next, []string{name}, release)
				if len(faults) > 0 || encoded(t, released) != want || len(released.Head().Held) > 0 {
					t.Errorf("%s %s: the release makes %s, want %s: %v", c.kind, name, encoded(t, released), want, faults)
				}
			}
		}
		if encoded(t, stored) != encoded(t, must(imported.Apply(nil))) || stored.Head().Held != nil {
			t.Errorf("%s: an edit changed the stored item", c.kind)
		}
	}
}

func must(item catalogue.Item, _ any) catalogue.Item { return item }

// TestLongValuesAreNotKept imports a value that is too long to note. Captions as a file are held as cues.
func TestLongValuesAreNotKept(t *testing.T) {
	c := heldCases[2]
	stored := must(c.whole(t).Apply(nil))
	file := `"text":"WEBVTT\n\n00:01.000 --> 00:02.000\n` + strings.Repeat("A long line. ", 500) + `\n"`
	edited := must(c.line(t, `"cues":[{"start":0,"end":1,"text":"C"}]`).Edit(stored))
	next, kept, faults := c.line(t, file).Import(edited)
	held := next.Head().Held
	if len(faults) > 0 || len(kept) != 1 || kept[0].Field != "cues" || len(held) != 1 || held[0].Field != "cues" || held[0].Imported != nil {
		t.Errorf("it keeps %v and holds %v: %v", kept, held, faults)
	}
	if released := must(importline.Release(next, nil, true)); encoded(t, released) != encoded(t, edited) || len(released.Head().Held) > 0 {
		t.Errorf("the release makes %s", encoded(t, released))
	}
}
