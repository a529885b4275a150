package search

import (
	"strings"
	"testing"
)

// TestExplanationsOfAnyText proves that one explanation of any text fits into a request, and that two of long texts do not.
func TestExplanationsOfAnyText(t *testing.T) {
	longest := strings.Repeat(`"dark matter" `, 6) + strings.Repeat("太", 1900)
	if got := ExplanationWeight(longest); got > 39_000 || got < 20_000 {
		t.Errorf("the longest text weighs %d", got)
	}
	if got := ExplanationWeight(`the "big bang"`); got != explanationWeight+6*wordWeight {
		t.Errorf("three words weigh %d", got)
	}
}

// TestCostOfTexts proves that no spelling lowers the cost of the words of a text.
func TestCostOfTexts(t *testing.T) {
	for text, words := range map[string]int{
		"": 0, " , ": 0, "why ice floats": 3, "été à l'école": 4, "a/b/c": 3, "🌋🔥": 2, "為什麼冰會浮": 6, "한국어": 3,
		`"ice floats" why`: 3, strings.Repeat("🌋", 1000): 64, strings.Repeat("a/", 1000): 64,
	} {
		phrases := strings.Count(text, `"`) / 2
		if got, want := TextWeight(&text), words*wordWeight+phrases*phraseWeight; got != want {
			t.Errorf("%.30q weighs %d, want %d", text, got, want)
		}
	}
	if TextWeight(nil) != 0 {
		t.Error("no text weighs something")
	}
}
