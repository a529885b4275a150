package rest_test

import (
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestErrorsPageIsComplete proves that docs/errors.md describes every status from 400 up that the OpenAPI document names,
// by the label of its error bodies, and every error code of GraphQL and of sign-in.
func TestErrorsPageIsComplete(t *testing.T) {
	page := string(must(os.ReadFile("../docs/errors.md")))
	d := newDescribed(false)
	statuses := map[string]bool{} // those of addresses and headers that the document does not list, and of the document
	for _, status := range []string{"405", "406", "410", "416", "421", "426"} {
		statuses[status] = true
	}
	for path := range d.at("paths") {
		for method := range d.at("paths", path) {
			for status := range d.at("paths", path, method, "responses") {
				if status == "308" || status >= "400" {
					statuses[status] = true
				}
			}
		}
	}
	for status := range statuses {
		if label := http.StatusText(must(strconv.Atoi(status))); !strings.Contains(page, "\n| "+status+" "+label+" | ") {
			t.Errorf("docs/errors.md lacks the status %s %s", status, label)
		}
	}
	for file, least := range map[string]int{"../fault/fault.go": 8, "../graph/endpoint/faults.go": 4} {
		codes := regexp.MustCompile(`Code += "([A-Z_]+)"`).FindAllStringSubmatch(string(must(os.ReadFile(file))), -1)
		if len(codes) < least {
			t.Fatalf("%s has only %d codes", file, len(codes))
		}
		for _, code := range codes {
			if !strings.Contains(page, "| `"+code[1]+"` ") {
				t.Errorf("docs/errors.md lacks the code %s", code[1])
			}
		}
	}
	oauth := regexp.MustCompile(`(?:code: |newOAuthError\()"([a-z_]+)"`)
	for _, folder := range []string{"../auth", "../auth/signin"} {
		for _, file := range must(os.ReadDir(folder)) {
			if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
				continue
			}
			for _, code := range oauth.FindAllStringSubmatch(string(must(os.ReadFile(folder+"/"+file.Name()))), -1) {
				if !strings.Contains(page, "`"+code[1]+"`") {
					t.Errorf("docs/errors.md lacks the code %s of %s", code[1], file.Name())
				}
			}
		}
	}
}
