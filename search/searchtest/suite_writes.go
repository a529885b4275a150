package searchtest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// writeSuite returns the tests that videos and collections have in common.
func (s suite) writeSuite() writeSuite[search.Document, search.Index] {
	return writeSuite[search.Document, search.Index]{open: s.open, torn: s.torn, document: versioned, id: videoID, find: findVideos}
}

// findVideos searches without and with facets.
func findVideos(ctx context.Context, index search.Index, text string) ([]catalogue.Ref, []int, error) {
	query := words(text)
	query.Today, query.Size = today, 100
	plain, err := index.Search(ctx, query)
	if err != nil {
		return nil, nil, err
	}
	query.Facets = &search.FacetRequest{}
	faceted, err := index.Search(ctx, query)
	if err != nil {
		return nil, nil, err
	}
	counted := 0
	for _, bucket := range faceted.Facets.Types {
		counted += bucket.Hits
	}
	return faceted.Refs, []int{plain.Total, len(plain.Refs), faceted.Total, counted}, nil
}

func versioned(n int, version int64, title string) search.Document {
	return video(n, func(d *search.Document) { d.Version, d.Title = version, title })
}

func (s suite) writes(t *testing.T) {
	t.Run("a deleted video leaves its ID", func(t *testing.T) {
		sh := s.fill(t, video(1), video(2), video(3))
		sh.apply(search.Batch{Delete: []catalogue.ID{videoID(2)}, Position: 4})
		sh.wantFound(search.Query{Filter: search.Filter{IDs: []catalogue.ID{videoID(2)}}})
	})
	t.Run("a changed video leaves its old buckets", func(t *testing.T) {
		sh := s.fill(t, fullVideo(1))
		sh.apply(search.Batch{Put: []search.Document{versioned(1, 9, "bare")}, Position: 9})
		facets := sh.search(search.Query{Facets: allFacets()}).Facets
		if len(facets.Subjects)+len(facets.Tags)+len(facets.CEFR) != 0 || facets.Languages[0].Key != string(catalogue.Undetermined) || facets.Durations[0] != 1 {
			t.Errorf("got %+v", facets)
		}
	})
	t.Run("odd strings", s.oddStrings)
}

func (s suite) oddStrings(t *testing.T) {
	var documents []search.Document
	odd := append([]string{"\x01", "\x02x", "a\x00b", "\xed\xa0\x80", strings.Repeat("ab ", 400)}, oddStrings...)
	for i, text := range odd {
		documents = append(documents, video(i+1, func(d *search.Document) {
			d.Title, d.Description, d.Transcript, d.ChannelName = text+" video", text, text, text
			d.Keywords, d.SubjectNames = []string{text, ""}, []string{text, ""}
			d.Topics = []catalogue.ID{catalogue.ID(text), "shared"}
			d.EducationLevels = []string{text}
			d.Categories = []string{text}
		}))
	}
	sh := s.fill(t, documents...)
	if got := sh.search(words("video")).Total; got != len(odd) {
		t.Errorf("%d of %d found", got, len(odd))
	}
	facets := sh.search(search.Query{Facets: allFacets()}).Facets
	if len(facets.Topics) == 0 || facets.Topics[0] != (search.Bucket{Key: "shared", Hits: len(odd)}) {
		t.Errorf("topics %+v", facets.Topics)
	}
	for i, text := range odd {
		if text == "" {
			continue
		}
		sh.wantFound(search.Query{Filter: search.Filter{Topics: []catalogue.ID{catalogue.ID(text)}}}, i+1)
		for _, query := range []search.Query{words(text), words(`"` + text + `"`)} {
			sh.search(query)
		}
	}
	// An ID is opaque: any string is valid.
	sh.apply(search.Batch{Put: []search.Document{
		video(90, func(d *search.Document) { d.ID, d.Title = "not hexadecimal: “\x00”", "strange" }),
	}, Position: 90})
	if refs := sh.search(words("strange")).Refs; len(refs) != 1 || refs[0].ID != "not hexadecimal: “\x00”" {
		t.Errorf("got %+v", refs)
	}
}

// ended checks that a call fails if its context has ended.
func (s suite) ended(t *testing.T) {
	sh := s.fill(t, video(1))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"matches": func() error {
			_, err := sh.index.Matches(ended, search.ParseText("video"), search.MatchLevels(1), catalogue.Access{}, today, 10)
			return err
		},
		"finds": func() error {
			_, err := sh.index.Finds(ended, []search.Text{search.ParseText("video")}, catalogue.Access{}, today)
			return err
		},
		"phrases": func() error {
			_, err := sh.index.Phrases(ended, "v", catalogue.Access{}, today, 10)
			return err
		},
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want the context's error", name, err)
		}
	}
}
