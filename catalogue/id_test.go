package catalogue_test

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
)

const someID = catalogue.ID("0123456789abcdef01234567")

func TestIDValid(t *testing.T) {
	for _, id := range []catalogue.ID{someID, "000000000000000000000000", "999999999999999999999999", "ffffffffffffffffffffffff"} {
		if !id.Valid() {
			t.Errorf("%q is refused", id)
		}
	}
	for _, id := range []catalogue.ID{
		"", "0", someID[:23], someID + "0", "0123456789ABCDEF01234567", "0123456789abcdeg01234567",
		"0123456789abcdef0123456 ", "0123456789abcdef0123456\"", "0123456789abcdef0123456\x00", "0123456789abcdef012345é",
	} {
		if id.Valid() {
			t.Errorf("%q is accepted", id)
		}
	}
}

// TestDeriveIDIsStable checks that derived IDs never change, because the catalogues of operators contain them.
func TestDeriveIDIsStable(t *testing.T) {
	for _, c := range []struct {
		kind              catalogue.Kind
		source, reference string
		want              catalogue.ID
	}{
		{catalogue.KindVideo, "default", "1", "05572333b4e5ac6239d9dd05"},
		{catalogue.KindVideo, "khan", "x-ray", "60908e333e2dbb5e81eb6cf4"},
		{catalogue.KindChannel, "default", "1", "5ee94ad278b3ac03ad1313e3"},
		{catalogue.KindSubject, "", "Physique-chimie é", "37c8d31fc706148283a89813"},
		{"", "", "", "15ec7bf0b50732b49f8228e0"},
	} {
		if got := catalogue.DeriveID(c.kind, c.source, c.reference); got != c.want {
			t.Errorf("%s %q %q: got %s, want %s", c.kind, c.source, c.reference, got, c.want)
		}
	}
	if got, want := catalogue.EducationLevelID("4CL"), catalogue.DeriveID("education-level", "", "4CL"); got != want {
		t.Errorf("education level: got %s, want %s", got, want)
	}
}

// TestDeriveIDKeepsPartsApart checks that moving characters from one part to the next gives another ID.
func TestDeriveIDKeepsPartsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		cuts := func(label string) (string, string, string) {
			a := rapid.IntRange(0, len(text)).Draw(t, label+" first")
			b := rapid.IntRange(a, len(text)).Draw(t, label+" second")
			return text[:a], text[a:b], text[b:]
		}
		kind, source, reference := cuts("one")
		otherKind, otherSource, otherReference := cuts("other")
		id := catalogue.DeriveID(catalogue.Kind(kind), source, reference)
		other := catalogue.DeriveID(catalogue.Kind(otherKind), otherSource, otherReference)
		same := kind == otherKind && source == otherSource && reference == otherReference
		if !id.Valid() || (id == other) != same {
			t.Fatalf("%q, %q, %q is %s; %q, %q, %q is %s", kind, source, reference, id, otherKind, otherSource, otherReference, other)
		}
	})
}

func TestIsLegacyAlias(t *testing.T) {
	for _, text := range []string{"0", "7", "1001", "007", strings.Repeat("9", 23)} {
		if !catalogue.IsLegacyAlias(text) {
			t.Errorf("%q is refused", text)
		}
	}
	for _, text := range []string{"", strings.Repeat("9", 24), strings.Repeat("9", 25), "1a", "a1", "1a1", "-1", "+1", "1.0", " 1", "1 ", "1 1", "٣", "1\x00", string(someID)} {
		if catalogue.IsLegacyAlias(text) {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestRefText(t *testing.T) {
	for want, ref := range map[string]catalogue.Ref{
		string(someID) + ":0":                   {ID: someID},
		string(someID) + ":17":                  {ID: someID, Version: 17},
		string(someID) + ":9223372036854775807": {ID: someID, Version: math.MaxInt64},
	} {
		if got := ref.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if appended, err := ref.AppendText([]byte("before ")); err != nil || string(appended) != "before "+want {
			t.Errorf("appended: %q, %v", appended, err)
		}
	}
}

func TestParseRefRefuses(t *testing.T) {
	id := string(someID)
	for _, text := range []string{
		"", ":", id, id + ":", id + ":00", id + ":01", id + ":+1", id + ":-1", id + ":-0", id + ": 1", id + ":1 ", id + ":1_0", id + ":0x1",
		id + ":1.0", id + ":9223372036854775808", id + "-1", id + "::1", id + ":1:2", id[:23] + ":1", id + "0:1", strings.ToUpper(id) + ":1",
		":" + id + ":1", id + ":٣", id + ":1\x00", "g" + id[1:] + ":1",
	} {
		if ref, ok := catalogue.ParseRef(text); ok {
			t.Errorf("%q: accepted as %v", text, ref)
		}
	}
}

func TestRefRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := catalogue.Ref{
			ID:      catalogue.ID(rapid.StringMatching(`[0-9a-f]{24}`).Draw(t, "id")),
			Version: rapid.Int64Range(0, math.MaxInt64).Draw(t, "version"),
		}
		if got, ok := catalogue.ParseRef(want.String()); !ok || got != want {
			t.Fatalf("%v is written %q and read as %v, %v", want, want.String(), got, ok)
		}
	})
}

// written matches the output of String, except that it does not limit the size of the number.
var written = regexp.MustCompile(`\A[0-9a-f]{24}:(0|[1-9][0-9]*)\z`)

func FuzzParseRef(f *testing.F) {
	for _, version := range []string{":0", ":1", ":01", ":-1", ":9223372036854775808", "", ":", ":\xff"} {
		f.Add(string(someID) + version)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ref, ok := catalogue.ParseRef(text)
		if ok && (ref.String() != text || !ref.ID.Valid() || ref.Version < 0) {
			t.Fatalf("%q is accepted as %v", text, ref)
		}
		if !ok && written.MatchString(text) {
			if _, err := strconv.ParseInt(text[catalogue.IDLength+1:], 10, 64); err == nil {
				t.Fatalf("%q is refused, though String writes it", text)
			}
		}
	})
}

// TestKinds checks that every kind has an item, and that items refer only to kinds that come earlier.
func TestKinds(t *testing.T) {
	kinds := catalogue.Kinds()
	for i, kind := range kinds {
		item := catalogue.New(kind)
		if item == nil || item.Kind() != kind {
			t.Fatalf("the new item of %q is %v", kind, item)
		}
		if item.Head() == nil || item.Head().Ref() != (catalogue.Ref{}) {
			t.Errorf("%s: a new item is %v", kind, item.Head())
		}
		if slices.Contains(kinds[:i], kind) {
			t.Errorf("%s is listed twice", kind)
		}
		for _, link := range fullest(kind).Links() {
			if !slices.Contains(kinds[:i], link.Kind) {
				t.Errorf("%s refers to %s, which does not stand before it", kind, link.Kind)
			}
		}
	}
	if item := catalogue.New("playlist"); item != nil {
		t.Errorf("a kind that there is not has the item %v", item)
	}
}
