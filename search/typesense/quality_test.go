//go:build system

package typesense_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// shownHits is the number of results that a user is assumed to look at.
const shownHits = 10

// finder returns the first results for a text.
type finder func(t *testing.T, text string) []catalogue.ID

// TestQuality logs how well three engines find known videos: this engine, the embedded engine, and plain Typesense with
// its own analysis and typo tolerance. It also logs how many of the first ten results this engine and the embedded
// engine share. It asserts that this engine finds as much as plain Typesense, except for two percent of the questions,
// which allows for chance. For a larger catalogue and more questions, run:
//
//	FILMSTRIP_TEST_QUALITY_VIDEOS=10000 FILMSTRIP_TEST_QUALITY_QUESTIONS=1000 go test -tags system -v -run TestQuality ./search/typesense
func TestQuality(t *testing.T) {
	t.Parallel()
	videos, questions := fromEnvironment("FILMSTRIP_TEST_QUALITY_VIDEOS", 1000), fromEnvironment("FILMSTRIP_TEST_QUALITY_QUESTIONS", 60)
	l := newLibrary(generate.Options{Videos: videos, Seed: 3, TranscriptWords: 40})
	l.openAll()
	engines := []struct {
		name string
		find finder
	}{
		{"typesense engine", l.asked(l.into(t, opener(t)(t)))},
		{"embedded", l.asked(l.into(t, openEmbedded(t)))},
		{"Typesense alone", l.plain(t)},
	}
	kinds := []struct {
		name string
		text func(*search.Document) string
		draw func(*rand.Rand, string) string
	}{
		{"exact titles", func(d *search.Document) string { return d.Title }, func(_ *rand.Rand, text string) string { return text }},
		{"titles with a typo", func(d *search.Document) string { return d.Title }, generate.Misspell},
		{"long questions", func(d *search.Document) string { return d.Description }, generate.Question},
	}
	for _, kind := range kinds {
		rng := rand.New(rand.NewPCG(3, uint64(len(kind.name))))
		found, times := make([]int, len(engines)), make([]time.Duration, len(engines))
		asked, shared, listed := 0, 0, 0
		for _, i := range rng.Perm(len(l.documents)) {
			source := kind.text(&l.documents[i])
			text := strings.ReplaceAll(kind.draw(rng, source), `"`, "")
			if asked == questions || strings.TrimSpace(text) == "" || len(strings.Fields(text)) > 30 {
				continue
			}
			asked++
			var lists [][]catalogue.ID
			for e, engine := range engines {
				start := time.Now()
				ids := engine.find(t, text)
				times[e] += time.Since(start)
				lists = append(lists, ids)
				if slices.ContainsFunc(l.documents, func(d search.Document) bool {
					return kind.text(&d) == source && slices.Contains(ids, d.ID)
				}) {
					found[e]++
				} else if e == 0 {
					t.Logf("missed, %s: %s", kind.name, text)
				}
			}
			listed += len(lists[1])
			for _, id := range lists[0] {
				if slices.Contains(lists[1], id) {
					shared++
				}
			}
		}
		for e, engine := range engines {
			t.Logf("%-20s %-18s success@%d %5.1f %% of %d, %s each", kind.name, engine.name, shownHits,
				100*float64(found[e])/float64(asked), asked, (times[e] / time.Duration(asked)).Round(10*time.Microsecond))
		}
		t.Logf("%-20s %d of the first ten of the embedded engine, %d in all, are shared", kind.name, shared, listed)
		if found[0] < found[2]-asked/50 {
			t.Errorf("%s: the engine finds %d of %d, Typesense alone %d", kind.name, found[0], asked, found[2])
		}
	}
}

func fromEnvironment(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// openAll makes every video public and unlimited in time, and removes retired videos.
func (l *library) openAll() {
	for i := range l.documents {
		l.documents[i].Private, l.documents[i].AvailableUntil = false, nil
	}
	l.documents = slices.DeleteFunc(l.documents, func(d search.Document) bool { return d.Retired })
}

// asked returns a finder that searches an index as the domain does.
func (l *library) asked(index search.Index) finder {
	const enough = 10 // enough is the value that the domain uses.
	analyzer := analysis.New(analysis.Synonyms{})
	return func(t *testing.T, text string) []catalogue.ID {
		q := search.Query{Text: search.ParseText(text), Today: l.day, Size: shownHits}
		levels := search.MatchLevels(len(analyzer.Query(q.Text.Words)))
		counts, err := index.Matches(t.Context(), q.Text, levels, q.Access, q.Today, enough)
		if err != nil {
			t.Fatal(err)
		}
		q.Level = levels[search.Choose(counts, enough)]
		if channel := l.directory.ChannelNamed(q.Text.Words); channel != nil {
			q.BoostNamed.Channels = []catalogue.ID{channel.ID}
		}
		if subject := l.directory.SubjectNamed(q.Text.Words); subject != nil {
			q.BoostNamed.Subjects = []catalogue.ID{subject.ID}
		}
		var ids []catalogue.ID
		for _, ref := range ask(t, index, q).Refs {
			ids = append(ids, ref.ID)
		}
		return ids
	}
}

// plain returns a finder that searches a Typesense collection of the plain texts. The collection uses its best
// settings: two typos, dropped words if too little is found, and falling weights of the fields.
func (l *library) plain(t *testing.T) finder {
	server := testservers.SharedTypesense(t)
	raw := rawServer{t, server.URL, server.Key}
	name := server.Prefix + "-plain"
	raw.ask("POST", "/collections", `{"name":"`+name+`","fields":[
		{"name":"title","type":"string"},{"name":"keywords","type":"string[]"},{"name":"subjects","type":"string[]"},
		{"name":"channel","type":"string"},{"name":"description","type":"string"},{"name":"transcript","type":"string"}]}`, nil)
	t.Cleanup(func() { raw.ask("DELETE", "/collections/"+name, "", nil) })
	for chunk := range slices.Chunk(l.documents, 500) {
		var lines strings.Builder
		for _, d := range chunk {
			line, err := json.Marshal(map[string]any{
				"id": d.ID, "title": d.Title, "keywords": append([]string{}, d.Keywords...),
				"subjects": append([]string{}, d.SubjectNames...), "channel": d.ChannelName,
				"description": d.Description, "transcript": d.Transcript,
			})
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(line, '\n'))
		}
		raw.ask("POST", "/collections/"+name+"/documents/import?action=upsert", lines.String(), nil)
	}
	return func(t *testing.T, text string) []catalogue.ID {
		body, err := json.Marshal(map[string]any{"searches": []any{map[string]any{
			"collection": name, "q": text, "query_by": "title,keywords,subjects,channel,description,transcript",
			"query_by_weights": "7,6,5,4,3,2", "num_typos": 2, "prefix": false, "drop_tokens_threshold": shownHits,
			"typo_tokens_threshold": shownHits, "per_page": shownHits, "include_fields": "id",
		}}})
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Results []struct {
				Hits []struct{ Document struct{ ID catalogue.ID } }
			}
		}
		raw.ask("POST", "/multi_search", string(body), &answer)
		var ids []catalogue.ID
		for _, hit := range answer.Results[0].Hits {
			ids = append(ids, hit.Document.ID)
		}
		return ids
	}
}
