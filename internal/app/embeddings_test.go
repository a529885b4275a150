package app

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestSearchByMeaning checks on both engines that a search finds a video by words that it does not contain, that facets and
// totals agree, that similar videos are found, and that searches use words alone while the embedding service is away.
func TestSearchByMeaning(t *testing.T) {
	for name, engines := range map[string]apptest.Engines{"embedded": {}, "Typesense": {Typesense: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := testservers.NewEmbeddings(t)
			service.Synonyms = map[string]string{"icebergs": "ice", "drift": "floats", "aquatic": "water", "linkage": "bonds"}
			p := admitDemo(t, append(engines.Settings(t), "--embeddings", service.URL, "--embeddings-model", "words",
				"--embeddings-key", "a secret", "--embeddings-timeout", "500ms", "--embeddings-similarity", "0.35")...)
			const question, want = "icebergs drift aquatic linkage", "Why ice floats: hydrogen bonds in water"
			finds := func() bool {
				titles, _ := p.titles(question)
				return len(titles) > 0 && titles[0] == want
			}
			apptest.Await(t, "the video found by other words", finds)
			if key := service.Key(); key != "a secret" {
				t.Errorf("the service gets the key %q", key)
			}
			if titles, _ := p.titles(`"` + question + `"`); len(titles) > 0 {
				t.Errorf("a quoted text finds %q", titles)
			}
			apptest.Await(t, "all videos embedded", func() bool { return p.indexes.embeddings.follower.Ready() })

			service.Status.Store(http.StatusInternalServerError)
			if titles, _ := p.titles("why ice floats"); !slices.Contains(titles, want) {
				t.Errorf("without the service, its words find %q", titles)
			}
			service.Status.Store(0)
			service.Hangs.Store(true)
			started := time.Now()
			if titles, _ := p.titles("ice in water"); !slices.Contains(titles, want) || time.Since(started) > 5*time.Second {
				t.Errorf("with a service that hangs, words find %q after %s", titles, time.Since(started))
			}
			if text := p.want(http.StatusOK, p.get("/v1/videos?query=icebergs+drift+aquatic+linkage&size=1")).Body; !strings.Contains(string(text), want) {
				t.Errorf("a known question finds %.200s", text)
			}
		})
	}
}
