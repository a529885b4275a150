package rest_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestErrorsPageIsComplete proves that docs/errors.md describes every status from 400 up that the OpenAPI document names,
// and every error code of GraphQL.
func TestErrorsPageIsComplete(t *testing.T) {
	page := string(must(os.ReadFile("../docs/errors.md")))
	d := newDescribed(false)
	statuses := map[string]bool{"405": true} // of addresses, which the document does not list
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
		if !strings.Contains(page, "\n| "+status+" ") {
			t.Errorf("docs/errors.md lacks the status %s", status)
		}
	}
	codes := regexp.MustCompile(`Code = "([A-Z_]+)"`).FindAllStringSubmatch(string(must(os.ReadFile("../fault/fault.go"))), -1)
	if len(codes) < 8 {
		t.Fatalf("fault.go has only %d codes", len(codes))
	}
	for _, code := range codes {
		if !strings.Contains(page, "| `"+code[1]+"` ") {
			t.Errorf("docs/errors.md lacks the code %s", code[1])
		}
	}
	oauth := regexp.MustCompile(`code: "([a-z_]+)"`)
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
