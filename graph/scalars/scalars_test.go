package scalars_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/graph/scalars"
)

const someID = catalogue.ID("0123456789abcdef01234567")

func written(m graphql.Marshaler) string {
	var b bytes.Buffer
	m.MarshalGQL(&b)
	return b.String()
}

// refused expects a client error.
func refused(t *testing.T, what string, err error, value any) {
	t.Helper()
	if fault.CodeOf(err) != fault.Invalid {
		t.Errorf("%s of %#v: got %v, want an error of code Invalid", what, value, err)
	}
}

// notTexts are values that are not strings, as the executor decodes them from JSON.
var notTexts = []any{nil, 7, int64(7), 7.5, json.Number("7"), true, []any{"K12"}, map[string]any{"a": "K12"}}

func TestPermission(t *testing.T) {
	for _, permission := range account.AllPermissions() {
		if got, err := scalars.UnmarshalPermission(permission.String()); err != nil || got != permission {
			t.Errorf("%s is read as %s, %v", permission, got, err)
		}
		if got := written(scalars.MarshalPermission(permission)); got != `"`+permission.String()+`"` {
			t.Errorf("%s is written %s", permission, got)
		}
	}
	for _, value := range append(notTexts, "", "view_videos", "EVERYTHING") {
		_, err := scalars.UnmarshalPermission(value)
		refused(t, "Right", err, value)
	}
}

func TestScalarsRead(t *testing.T) {
	day, err := catalogue.ParseDate("2024-02-29")
	if err != nil {
		t.Fatal(err)
	}
	readers := map[string]struct {
		read       func(any) (any, error)
		permission map[string]any
		wrong      []string
	}{
		"ID": {
			func(v any) (any, error) { return scalars.UnmarshalID(v) },
			map[string]any{string(someID): someID, "1001": catalogue.ID("1001"), "": catalogue.ID("")}, nil,
		},
		"Reference": {
			func(v any) (any, error) { return scalars.UnmarshalReference(v) },
			map[string]any{string(someID) + ":7": catalogue.Ref{ID: someID, Version: 7}},
			[]string{"", string(someID), string(someID) + ":07", string(someID) + ":-1", "1001:7"},
		},
		"Duration": {
			func(v any) (any, error) { return scalars.UnmarshalDuration(v) },
			map[string]any{"PT90S": 90 * catalogue.Second, "P1D": catalogue.Day}, []string{"", "90", "P1M", "-PT1S"},
		},
		"Date": {
			func(v any) (any, error) { return scalars.UnmarshalDate(v) },
			map[string]any{"2024-02-29": day}, []string{"", "2023-02-29", "2024-02-29T00:00:00Z"},
		},
		"DateTime": {
			func(v any) (any, error) {
				at, err := scalars.UnmarshalDateTime(v)
				return at.UTC(), err
			},
			map[string]any{
				"2026-11-21T01:02:03Z":             time.Date(2026, 11, 21, 1, 2, 3, 0, time.UTC),
				"2026-11-21T01:02:03.000004+02:00": time.Date(2026, 11, 20, 23, 2, 3, 4000, time.UTC),
			},
			[]string{"", "2026-11-21", "2026-11-21 01:02:03", "2026-11-21T25:00:00Z", "now"},
		},
	}
	for name, reader := range readers {
		for text, want := range reader.permission {
			if got, err := reader.read(text); err != nil || got != want {
				t.Errorf("%s: %q is read as %v, %v, want %v", name, text, got, err, want)
			}
		}
		for _, text := range reader.wrong {
			_, err := reader.read(text)
			refused(t, name, err, text)
			if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("%q", text)) {
				t.Errorf("%s: the message does not name %q: %s", name, text, err)
			}
		}
		for _, value := range notTexts {
			_, err := reader.read(value)
			refused(t, name, err, value)
		}
	}
}

// TestOutputOnlyScalars proves that references, links and facets are refused as input.
func TestOutputOnlyScalars(t *testing.T) {
	for _, value := range append(notTexts, "x") {
		_, err := scalars.UnmarshalReferences(value)
		refused(t, "References", err, value)
		_, err = scalars.UnmarshalLinks(context.Background(), value)
		refused(t, "Links", err, value)
		_, err = scalars.UnmarshalFacetMap(value)
		refused(t, "FacetMap", err, value)
	}
}

func TestScalarsWritten(t *testing.T) {
	refs := []catalogue.Ref{{ID: someID, Version: 7}, {ID: someID, Version: math.MaxInt64}}
	for want, m := range map[string]graphql.Marshaler{
		`"0123456789abcdef01234567"`:                                scalars.MarshalID(someID),
		`"0123456789abcdef01234567:9223372036854775807"`:            scalars.MarshalReference(refs[1]),
		`["0123456789abcdef01234567:7","` + refs[1].String() + `"]`: scalars.MarshalReferences(&model.References{List: refs}),
		`[]`:                            scalars.MarshalReferences(&model.References{}),
		`"PT1M30S"`:                     scalars.MarshalDuration(90 * catalogue.Second),
		`"1970-01-01"`:                  scalars.MarshalDate(0),
		`"2026-11-20T23:02:03.000004Z"`: scalars.MarshalDateTime(time.Date(2026, 11, 21, 1, 2, 3, 4567, time.FixedZone("", 2*3600))),
	} {
		if got := written(m); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	var facets struct{ Subjects map[string]any }
	if err := json.Unmarshal([]byte(written(scalars.MarshalFacetMap(&model.Facets{}))), &facets); err != nil || facets.Subjects == nil {
		t.Errorf("facets: %v, %v", facets, err)
	}
}

// TestNothingUnescaped proves that any value is written as one valid JSON string without a zero byte, which would start
// a slot of a template.
func TestNothingUnescaped(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("\"\\\x00\x1f\n\u2028aé")), 0, 100, -1),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		for _, m := range []graphql.Marshaler{
			scalars.MarshalID(catalogue.ID(text)), scalars.MarshalCatalogueKind(catalogue.Kind(text)),
		} {
			got := written(m)
			if !json.Valid([]byte(got)) || strings.Contains(got, "\x00") {
				t.Fatalf("%q is written %q", text, got)
			}
		}
		var read string
		want := string([]rune(text)) // in which each byte that is not UTF-8 is U+FFFD
		if err := json.Unmarshal([]byte(written(scalars.MarshalID(catalogue.ID(text)))), &read); err != nil || read != want {
			t.Fatalf("%q is written so that it is read as %q, %v", text, read, err)
		}
	})
}

func linksFor(ctx context.Context, links model.Links) (string, error) {
	var b bytes.Buffer
	err := scalars.MarshalLinks(links).MarshalGQLContext(ctx, &b)
	return b.String(), err
}

func TestLinkNames(t *testing.T) {
	links := model.Links{List: []model.Link{
		{Rel: "videos", Permission: account.ViewVideos}, {Rel: "self"}, {Rel: "tags", Permission: account.ViewTags}, {Rel: "feed", Permission: account.ViewVideos},
	}}
	for want, permissions := range map[string]account.Permissions{
		`["self"]`: 0, `["videos","self","feed"]`: account.PermissionsOf(account.ViewVideos),
		`["self","tags"]`: account.PermissionsOf(account.ViewTags), `["videos","self","tags","feed"]`: account.OperatorPermissions(),
	} {
		ctx := account.WithCaller(context.Background(), &account.Caller{Permissions: permissions})
		if got, err := linksFor(ctx, links); err != nil || got != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	if got, err := linksFor(context.Background(), links); err != nil || got != `["self"]` {
		t.Errorf("to nobody: %s, %v", got, err)
	}
	if got, err := linksFor(context.Background(), model.Links{}); err != nil || got != `[]` {
		t.Errorf("of nothing: %s, %v", got, err)
	}
}

// linkWriter writes the number of links, or fails.
type linkWriter struct{ err error }

func (l linkWriter) WriteLinks(_ context.Context, w io.Writer, links model.Links) error {
	if l.err == nil {
		_, _ = fmt.Fprint(w, len(links.List))
	}
	return l.err
}

func TestLinkWriter(t *testing.T) {
	links := model.Links{List: []model.Link{{Rel: "self"}, {Rel: "tags", Permission: account.ViewTags}}}
	if got, err := linksFor(scalars.WithLinkWriter(context.Background(), linkWriter{}), links); err != nil || got != "2" {
		t.Errorf("got %s, %v", got, err)
	}
	broken := errors.New("broken")
	if _, err := linksFor(scalars.WithLinkWriter(context.Background(), linkWriter{broken}), links); !errors.Is(err, broken) {
		t.Errorf("the writer's error has become %v", err)
	}
}

func TestJSON(t *testing.T) {
	for _, value := range []string{"", "null", `{"a":[1,"x"]}`} {
		if got := written(scalars.MarshalJSON(jsontext.Value(value))); got != cmp.Or(value, "null") {
			t.Errorf("%q is written as %s", value, got)
		}
	}
	value, err := scalars.UnmarshalJSON(map[string]any{"a": []any{json.Number("1.10"), nil, true, "x"}})
	if err != nil || string(value) != `{"a":[1.10,null,true,"x"]}` {
		t.Errorf("got %s, %v", value, err)
	}
}

func TestSeconds(t *testing.T) {
	for want, given := range map[event.Milliseconds][]any{
		290: {json.Number("0.29"), 0.29, json.Number("0.2909"), event.Milliseconds(290)}, 3000: {int64(3), json.Number("3")}, 100_000: {1e2, json.Number("1e2")},
	} {
		for _, v := range given {
			if got, err := scalars.UnmarshalSeconds(v); err != nil || got != want {
				t.Errorf("%T %v: got %d, %v, want %d", v, v, got, err, want)
			}
		}
	}
	for _, v := range []any{"1", nil, true, json.Number("-1"), -1.0, int64(1e9), math.Inf(1), math.NaN(), []any{}} {
		if got, err := scalars.UnmarshalSeconds(v); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%T %v: got %d, %v", v, v, got, err)
		}
	}
	for want, v := range map[string]any{`"1" is not a number of seconds`: "1", `[true] is not a number of seconds`: []any{true}, "-1 is negative": int64(-1)} {
		if _, err := scalars.UnmarshalSeconds(v); err == nil || err.Error() != want {
			t.Errorf("%v: got %v, want %s", v, err, want)
		}
	}
	if got := written(scalars.MarshalSeconds(12_500)); got != "12.5" {
		t.Errorf("got %s", got)
	}
}
