//go:build !race

package searchtest

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// TextOracle compares the level of an engine that requires all words with bleve, which indexes the same tokens. Random
// queries over random texts must find the same videos. The Model and the engine could share a misreading of the
// contract; bleve has other authors.
func TextOracle(t *testing.T, open func(t *testing.T) search.Index) {
	engine := open(t)
	analyzer := analysis.New(analysis.Synonyms{})
	rapid.Check(t, func(rt *rapid.T) {
		var documents []search.Document
		d := drawer{t: rt}
		for n := range rapid.IntRange(1, 15).Draw(rt, "documents") {
			document := d.document(n, int64(n+1))
			document.Private, document.Retired, document.AvailableUntil = false, false, nil
			documents = append(documents, document)
		}
		if err := engine.Rebuild(t.Context(), 1, sequence(documents)); err != nil {
			rt.Fatal(err)
		}
		oracle, err := newOracle(analyzer, documents)
		if err != nil {
			rt.Fatal(err)
		}
		defer oracle.index.Close()
		for range 4 {
			text := search.Text{Words: d.text("query", 3)}
			want, err := oracle.find(text.Words)
			if err != nil {
				rt.Fatal(err)
			}
			result, err := engine.Search(t.Context(), search.Query{Text: text, Today: today, Size: search.MaxWindow})
			if err != nil {
				rt.Fatal(err)
			}
			got := make([]string, len(result.Refs))
			for i, ref := range result.Refs {
				got[i] = string(ref.ID)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				rt.Fatalf("%q finds %v, bleve finds %v", text.Words, got, want)
			}
		}
	})
}

// oracle is a bleve index of the analyzer's tokens. Tokens are in hexadecimal, so that splitting at white space in
// bleve returns them unchanged.
type oracle struct {
	analyzer *analysis.Analyzer
	index    bleve.Index
}

func newOracle(analyzer *analysis.Analyzer, documents []search.Document) (oracle, error) {
	mappings, err := tokenMapping()
	if err != nil {
		return oracle{}, err
	}
	index, err := bleve.NewMemOnly(mappings)
	if err != nil {
		return oracle{}, err
	}
	o := oracle{analyzer, index}
	batch := index.NewBatch()
	for i := range documents {
		if err := batch.Index(string(documents[i].ID), map[string]any{"text": o.tokens(&documents[i])}); err != nil {
			return oracle{}, err
		}
	}
	return o, index.Batch(batch)
}

func tokenMapping() (*mapping.IndexMappingImpl, error) {
	m := bleve.NewIndexMapping()
	const name = "tokens"
	err := m.AddCustomAnalyzer(name, map[string]any{"type": custom.Name, "tokenizer": whitespace.Name})
	m.DefaultAnalyzer = name
	return m, err
}

func (o oracle) tokens(d *search.Document) string {
	var tokens []string
	texts := slices.Concat([]string{d.Title, d.ChannelName, d.Description, d.Transcript}, d.Keywords, d.SubjectNames)
	for _, text := range texts {
		for _, token := range o.analyzer.Text(text, d.Language) {
			tokens = append(tokens, hex.EncodeToString([]byte(token.Stem)))
		}
	}
	return strings.Join(tokens, " ")
}

// find returns the sorted IDs of the documents that contain every word.
func (o oracle) find(words string) ([]string, error) {
	all := []query.Query{bleve.NewMatchAllQuery()}
	for _, word := range o.analyzer.Query(words) {
		var stems []query.Query
		for _, stem := range word.Stems {
			term := bleve.NewTermQuery(hex.EncodeToString([]byte(stem)))
			term.SetField("text")
			stems = append(stems, term)
		}
		all = append(all, bleve.NewDisjunctionQuery(stems...))
	}
	result, err := o.index.Search(bleve.NewSearchRequestOptions(bleve.NewConjunctionQuery(all...), search.MaxWindow, 0, false))
	if err != nil {
		return nil, fmt.Errorf("bleve: %w", err)
	}
	ids := make([]string, len(result.Hits))
	for i, hit := range result.Hits {
		ids[i] = hit.ID
	}
	slices.Sort(ids)
	return ids, nil
}
