package hal

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/graph/model"
)

// plainStreams returns stream paths without a signature.
type plainStreams struct{}

func (plainStreams) AppendPath(b []byte, id []byte, _ time.Time) []byte {
	return append(append(b, "/s/"...), id...)
}

// document writes a template as an operation does: content, then links.
func document(t interface{ Fatal(...any) }, content string, links model.Links) []byte {
	var b bytes.Buffer
	b.WriteString(`{"content":`)
	graphql.MarshalString(content).MarshalGQL(&b)
	b.WriteString(`,"_links":`)
	if err := (slotWriter{}).WriteLinks(context.Background(), &b, links); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('}')
	return b.Bytes()
}

type filledDocument struct {
	Content string
	Links   map[string]struct {
		Href      string
		Templated *bool
	} `json:"_links"`
}

func fillDocument(t interface{ Fatalf(string, ...any) }, template []byte, permissions account.Permissions) filledDocument {
	v := View{Base: "https://b.example", Permissions: permissions, Streams: plainStreams{}}
	body := v.Fill(nil, template)
	if bytes.IndexByte(body, slotMark) >= 0 {
		t.Fatalf("a slot is left in %q", body)
	}
	var filled filledDocument
	if err := json.Unmarshal(body, &filled); err != nil {
		t.Fatalf("%v in %q", err, body)
	}
	return filled
}

// FuzzContent proves that any content of a document is rendered unchanged and never forges a slot.
func FuzzContent(f *testing.F) {
	for _, seed := range []string{
		"", "plain", `"quoted" <b>&amp; \`, "\x00B\x00S\x00L\x01\x00E\x00O\x00,", "水の話 עברית 😀", "a\x00Bb", "\u2028\u2029\x7f\x1b", `\u0000B`, "\x00",
	} {
		f.Add(seed, uint64(0))
		f.Add(seed, ^uint64(0))
	}
	f.Fuzz(func(t *testing.T, content string, permissions uint64) {
		content = strings.ToValidUTF8(content, "?")
		links := model.Index{}.Links()
		links.List = append(links.List, model.Link{Rel: "outside", Address: "https://" + content, Templated: true})
		filled := fillDocument(t, document(t, content, links), account.Permissions(permissions))
		if filled.Content != content {
			t.Errorf("%q became %q", content, filled.Content)
		}
		if href := filled.Links["outside"].Href; href != "https://"+content {
			t.Errorf("%q became %q", content, href)
		}
	})
}

// TestLinksAreFilledByPermission proves that, for any links and any permissions, the rendered document is well-formed and
// has exactly the links that the caller may use.
func TestLinksAreFilledByPermission(t *testing.T) {
	names := make([]string, 0, len(relations))
	for name := range relations {
		names = append(names, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		rels := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 6, rapid.ID[string]).Draw(t, "relations")
		permissions := account.PermissionsOf(rapid.SliceOf(rapid.SampledFrom(account.AllPermissions())).Draw(t, "rights")...)
		var links model.Links
		want := map[string]bool{}
		for _, rel := range rels {
			link := model.Link{Rel: rel, Permission: rapid.SampledFrom(append(account.AllPermissions(), account.Everyone)).Draw(t, "right")}
			if rel == streamRelation || rapid.Bool().Draw(t, "named") {
				link.ID = "0123456789abcdef01234567"
			}
			links.List = append(links.List, link)
			if permissions.Has(link.Permission) {
				want[rel] = true
			}
		}
		filled := fillDocument(t, document(t, "x", links), permissions)
		if len(filled.Links) != len(want) {
			t.Fatalf("got %v, want %v", filled.Links, want)
		}
		for rel, link := range filled.Links {
			switch {
			case !want[rel]:
				t.Fatalf("%s is there", rel)
			case !strings.HasPrefix(link.Href, "https://b.example/"):
				t.Fatalf("%s leads to %s", rel, link.Href)
			case link.Templated == nil || *link.Templated != strings.Contains(link.Href, "{"):
				t.Fatalf("%s: templated %v of %s", rel, link.Templated, link.Href)
			}
		}
	})
}

// FuzzReferences proves that any list of references is either split correctly or refused. The parser splits the list
// without decoding it.
func FuzzReferences(f *testing.F) {
	f.Add([]byte(`[]`))
	f.Add([]byte(`["0123456789abcdef01234567:1","0123456789abcdef01234567:22"]`))
	f.Add([]byte(`["`))
	f.Add([]byte(`["0123456789abcdef01234567:1"`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, list []byte) {
		refs, err := parseReferences(list)
		if err != nil || !json.Valid(list) || list[0] != '[' {
			return
		}
		var texts []string
		if json.Unmarshal(list, &texts) != nil || len(texts) != len(refs) {
			t.Fatalf("%q has become %v", list, refs)
		}
		for i, ref := range refs {
			if ref.String() != texts[i] {
				t.Errorf("%q has become %v", texts[i], ref)
			}
		}
	})
}
