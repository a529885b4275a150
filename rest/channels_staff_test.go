package rest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// staffFields lists the fields of a channel document that only operators see.
var staffFields = []string{
	"private", "currency", "distributionMethods", "ageRange", "marketingInformation", "pedagogyInformation", "ingest",
	"contractId", "contractName", "taxonomy",
}

// TestStaffFieldsOfChannelsAreForOperators proves that an operator's documents contain every staff field, and that no
// other caller's answer contains a staff field or any of its values.
func TestStaffFieldsOfChannelsAreForOperators(t *testing.T) {
	w := shared()
	lab := "/v1/channels/" + string(idOf("lab"))
	for _, path := range []string{lab, "/v1/channels", "/v1/channels?projection=details", "/v1/channels?projection=list", "/v1/channels?name=open+lab"} {
		for _, as := range []string{customer, operator} {
			got := w.sendUnchecked(t, apiRequest{as: as, path: path})
			if got.StatusCode != http.StatusOK {
				t.Fatalf("%s as %s: status %d", path, as, got.StatusCode)
			}
			channel := findLab(t, got.body)
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
					t.Errorf("%s as %s reports what is no caller's business: %s", path, as, got.body)
				}
			}
			if !slices.Equal(there, want) {
				t.Errorf("%s as %s: has %v", path, as, there)
			}
		}
	}
}

// findLab returns the channel "lab" from its own document or from a list that contains it.
func findLab(t *testing.T, body []byte) map[string]any {
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
