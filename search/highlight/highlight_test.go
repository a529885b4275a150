package highlight_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/highlight"
)

func scoresOf(asked string, texts ...string) []float64 {
	pieces := make([]*highlight.Piece, len(texts))
	for i, text := range texts {
		pieces[i] = &highlight.Piece{Caption: text}
	}
	if _, err := highlight.NewQuestion(analysis.New(analysis.Synonyms{}), search.ParseText(asked)).Score(context.Background(), slices.Clone(pieces), 0); err != nil {
		panic(err) // the context of this call does not end
	}
	scores := make([]float64, len(pieces))
	for i, p := range pieces {
		scores[i] = p.Score
	}
	return scores
}

func TestScores(t *testing.T) {
	for _, test := range []struct {
		name, asked string
		texts       []string
		// ordered: the scores decrease from text to text; exact: the first is 1; none: the last is 0.
		ordered, exact, none bool
	}{
		{"as it is asked", "how a cell divides", []string{"We see how a cell divides.", "It divides, and the cell is gone", "A wall"}, true, true, true},
		{"nearness", "red fox", []string{"a red fox runs", "red is the colour of every old fox"}, true, true, false},
		{"order", "dog bites man", []string{"dog bites man", "man bites dog"}, true, true, false},
		{"rare words weigh more", "cell mitochondria", []string{"cell mitochondria", "the mitochondria", "a cell", "one cell", "cells"}, false, true, false},
		{"one word", "water", []string{"the water", "fire"}, true, true, true},
		{"stems", "dividing cells", []string{"a divided cell", "stone"}, true, true, true},
		{"a typing error", "mitochondira", []string{"the mitochondria", "stone"}, true, true, true},
		{"a phrase", `"red fox" runs`, []string{"the red fox runs", "a fox, red, runs"}, true, true, true},
		{"only stop words", "what is it", []string{"what is it", "stone"}, true, true, true},
	} {
		scores := scoresOf(test.asked, test.texts...)
		if test.exact && scores[0] != 1 {
			t.Errorf("%s: the first is %v", test.name, scores)
		}
		if test.ordered && !slices.IsSortedFunc(scores, func(a, b float64) int {
			if a > b {
				return -1
			}
			return 1
		}) {
			t.Errorf("%s: not in order: %v", test.name, scores)
		}
		if test.none && scores[len(scores)-1] != 0 {
			t.Errorf("%s: the last is not nothing: %v", test.name, scores)
		}
	}
	if scores := scoresOf("cell mitochondria", "cell mitochondria", "the mitochondria", "a cell", "one cell", "cells"); scores[1] <= scores[2] {
		t.Errorf("the rare word weighs no more: %v", scores)
	}
}

func TestOverlap(t *testing.T) {
	at := func(video string, start, end catalogue.Millis, score float64) *highlight.Piece {
		return &highlight.Piece{ID: catalogue.ID(video + time.Duration(start).String()), Video: catalogue.ID(video), Start: start, End: end, Score: score}
	}
	pieces := []*highlight.Piece{at("a", 0, 20, 0.9), at("a", 10, 20, 1), at("a", 15, 60, 0.8), at("b", 10, 20, 0.85), at("a", 20, 30, 0.7)}
	for _, test := range []struct {
		most *float64
		size int
		want []float64
	}{
		{nil, 9, []float64{1, 0.9, 0.85, 0.8, 0.7}},
		{new(1.0), 9, []float64{1, 0.9, 0.85, 0.8, 0.7}},
		{new(0.99), 9, []float64{1, 0.85, 0.8}},
		{new(0.5), 2, []float64{1, 0.85}},
		{new(0.0), 9, []float64{1, 0.85, 0.7}},
	} {
		var got []float64
		for _, p := range highlight.Best(slices.Clone(pieces), test.size, test.most) {
			got = append(got, p.Score)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("at most %v, %d pieces: %v, want %v", test.most, test.size, got, test.want)
		}
	}
}

// TestScoringEndsWithItsCaller proves that nothing is scored after the context has ended.
func TestScoringEndsWithItsCaller(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	q := highlight.NewQuestion(analysis.New(analysis.Synonyms{}), search.ParseText("water"))
	if _, err := q.Score(ended, []*highlight.Piece{{Caption: "water"}}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
