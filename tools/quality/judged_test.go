package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMeasures checks the measures against values that were calculated by hand.
func TestMeasures(t *testing.T) {
	relevant := map[string]int{"a": 1, "b": 2}
	for _, test := range []struct {
		found        []string
		ndcg, recall float64
	}{
		{nil, 0, 0},
		{[]string{"b", "a"}, 1, 1},
		{[]string{"a", "b"}, (1 + 3/math.Log2(3)) / (3 + 1/math.Log2(3)), 1},
		{[]string{"x", "b"}, 3 / math.Log2(3) / (3 + 1/math.Log2(3)), 0.5},
	} {
		if n, r := ndcg(test.found, relevant), recall(test.found, relevant); math.Abs(n-test.ndcg) > 1e-9 || r != test.recall {
			t.Errorf("%v: nDCG %g and recall %g, want %g and %g", test.found, n, r, test.ndcg, test.recall)
		}
	}
	if got := interval([]float64{0.5, 0.5, 0.5}); got != "0.500 (0.500–0.500)" {
		t.Errorf("the interval of equal values is %s", got)
	}
}

// TestJudgedCollections measures a small collection, with a document that has no title and a question without an answer.
func TestJudgedCollections(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"small-docs.jsonl":    `{"id": "1", "title": "Why ice floats", "text": "Hydrogen bonds"}` + "\n" + `{"id": "2", "title": "", "text": "How volcanoes erupt, and why some of them flow"}` + "\n",
		"small-queries.jsonl": `{"id": "1", "text": "ice", "relevant": {"1": 1}}` + "\n" + `{"id": "2", "text": "quarks", "relevant": {"2": 1}}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := evaluateAll(t.Context(), folder, engineSettings{}, &out); err != nil {
		t.Fatal(err)
	}
	row := strings.Fields(strings.Split(out.String(), "\n")[1])
	if len(row) != 10 || strings.Join(row[:4], " ") != "small 2 2 0.500" || row[7] != "2" || row[8] != "1" {
		t.Errorf("the table is:\n%s", &out)
	}
	if err := evaluateAll(t.Context(), t.TempDir(), engineSettings{}, &out); err == nil || !strings.Contains(err.Error(), documentsFile) {
		t.Errorf("an empty folder: %v", err)
	}
}
