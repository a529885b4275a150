package rest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// staffFields are what the document of a channel holds for operators alone.
var staffFields = []string{
	"private", "currency", "distributionMethods", "ageRange", "marketingInformation", "pedagogyInformation", "ingest",
	"contractId", "contractName", "taxonomy",
}

// TestWhatStaffKnowOfChannelsIsForOperators: the documents of an operator have every field, those of anybody
// else none, and no word of what they say, whichever way they ask.
func TestWhatStaffKnowOfChannelsIsForOperators(t *testing.T) {
	w := shared()
	lab := "/v1/channels/" + string(idOf("lab"))
	for _, path := range []string{lab, "/v1/channels", "/v1/channels?projection=details", "/v1/channels?projection=list", "/v1/channels?name=open+lab"} {
		for _, as := range []string{customer, operator} {
			got := w.sendUnchecked(t, ask{as: as, path: path})
			if got.StatusCode != http.StatusOK {
				t.Fatalf("%s as %s: status %d", path, as, got.StatusCode)
			}
			channel := labIn(t, got.body)
			var there []string
			for _, field := range staffFields {
				if _, ok := channel[field]; ok {
					there = append(there, field)
				}
			}
			want := staffFields
			if as == customer || strings.Contains(path, "=list") {
				want = nil
				if strings.Contains(string(got.body), "staff") {
					t.Errorf("%s as %s tells what is no caller's business: %s", path, as, got.body)
				}
			}
			if !slices.Equal(there, want) {
				t.Errorf("%s as %s: has %v", path, as, there)
			}
		}
	}
}

// labIn is the channel "lab" in a document that is it, or a list that holds it.
func labIn(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal(body, &document); err != nil {
		t.Fatal(err)
	}
	channels := []any{document}
	if embedded, ok := document["_embedded"].(map[string]any); ok {
		channels = embedded["channels"].([]any)
	}
	for _, one := range channels {
		if channel := one.(map[string]any); channel["id"] == string(idOf("lab")) {
			return channel
		}
	}
	t.Fatalf("there is no lab in %s", body)
	return nil
}
