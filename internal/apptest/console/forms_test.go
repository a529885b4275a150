//go:build system

package console_test

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// question is what the console asks before somebody leaves a page with unsaved changes.
const question = "Leave this page without saving your changes?"

// TestConsoleKeepsWhatStaffType uses the console while the server fails, sessions end and colleagues change the same
// records. Nothing that somebody has typed, and nothing that a colleague has stored, may be lost without a question.
func TestConsoleKeepsWhatStaffType(t *testing.T) {
	data := t.TempDir()
	s, program := startDemo(t, data)
	importVideo := func(description string) {
		t.Helper()
		lines := `{"format":1,"kind":"channel","source":"cms","ref":"c","name":"CMS"}
{"format":1,"kind":"video","source":"cms","ref":"v","title":"Trees in winter","channel":"c","type":"INSTRUCTIONAL","releasedOn":"2026-01-05","description":"` + description + `","keywords":["Paris, France","trees"],"playback":{"provider":"HLS","duration":60,"stream":"demo:colours"}}
`
		if got := apptest.Run(t, nil, lines, "import", "-", "--data", data); got.Status != 0 {
			t.Fatalf("the import: %d %s %s", got.Status, got.Out, got.Err)
		}
	}
	importVideo(`First line.\r\nSecond line.\r\n`)
	var video string
	apptest.Await(t, "the imported video in the list", func() bool {
		found := program.run(t, `{ listedVideos(query: "Trees in winter", size: 1) { videos { video { id title } } } }`)
		if strings.Contains(found, "Trees in winter") {
			video = idIn(t, found)
		}
		return video != ""
	})

	for _, topic := range []struct {
		name  string
		steps map[string]string // what each step leads to
		then  func(t *testing.T)
	}{
		{name: "failures", steps: map[string]string{
			"a job that was deleted":         "The job no longer exists.",
			"an address that is not encoded": "There is no such video",
			"a file that cannot be sent":     "The server does not answer.",
			"a screen with an error":         "This page has an error",
		}},
		{name: "held", steps: map[string]string{
			"another title":   `[["title"],"Trees in the winter","First line.\r\nSecond line.\r\n",["Paris, France","trees"]]`,
			"another keyword": `[["keywords","title"],"Trees in the winter","First line.\r\nSecond line.\r\n",["Paris, France","trees","winter"]]`,
		}, then: func(t *testing.T) {
			importVideo("Corrected by the CMS.")
			if got := program.run(t, `{ catalogueItem(kind: VIDEO, id: "`+video+`") { body } }`); !strings.Contains(got, "Corrected by the CMS.") || !strings.Contains(got, "Trees in the winter") {
				t.Errorf("after an import, the video is %s", got)
			}
		}},
		{name: "unsaved", steps: map[string]string{
			"the server is away":         "The server does not answer. Check the connection, then try again. Then: Typed for an hour",
			"the session has ended":      "Typed before the session ended",
			"another action on the page": "Typed before Hide, Typed before Hide",
			"a slow save, then its undo": "Typed meanwhile, Typed meanwhile, 0 alerts, " + question,
			"another form on the page":   "1 Main Street, 700",
			"a price":                    question,
			"a rule":                     question,
		}},
		{name: "meanwhile", steps: map[string]string{
			"keep mine":                                     "The console reads what is stored now. Keep mine Take the stored values Somebody has changed this meanwhile. What you have changed, and what is stored now: Name: Mine Theirs Keep mine Take the stored values Then: Mine, theirs@school.example",
			"take the stored values":                        "Theirs again, no question",
			"undo after somebody else":                      "500",
			"undo of a role after somebody else":            "SUPPORT",
			"a tier, a package, a price plan and a subject": `["Mine","Mine","59.00","Mine"]`,
		}},
	} {
		t.Run(topic.name, func(t *testing.T) {
			var outcomes map[string]string
			apptest.RunBrowserScriptFrom(t, apptest.Path("web", "docs"), "console-forms.mjs", &outcomes, s.Base+"/console", program.token, topic.name, video)
			for step, want := range topic.steps {
				if got := outcomes[step]; !strings.Contains(got, want) {
					t.Errorf("%s leads to %q, want %q", step, got, want)
				}
			}
			if topic.then != nil {
				topic.then(t)
			}
		})
	}
}
