package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/filmstrip/filmstrip/event"
)

// bucket starts an object store with a bucket, and returns a function that opens a place in it.
func bucket(t *testing.T) func() Files {
	backend := s3mem.New()
	if err := backend.CreateBucket("films"); err != nil {
		t.Fatal(err)
	}
	return serving(t, gofakes3.New(backend).Server())
}

func serving(t *testing.T, handler http.Handler) func() Files {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return func() Files {
		return must(NewS3(S3Options{
			Endpoint: strings.TrimPrefix(server.URL, "http://"), Plain: true, Bucket: "films", Prefix: "events/", Region: "us-east-1",
			AccessKey: "key", SecretKey: "secret",
		}))(t)
	}
}

// TestS3WithoutConditions checks that nothing is written to an object store that ignores the conditions of a write.
func TestS3WithoutConditions(t *testing.T) {
	backend := s3mem.New()
	if err := backend.CreateBucket("films"); err != nil {
		t.Fatal(err)
	}
	fake := gofakes3.New(backend).Server()
	files := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("If-Match")
		r.Header.Del("If-None-Match")
		fake.ServeHTTP(w, r)
	}))()
	if _, err := files.Replace(t.Context(), ManifestName, []byte("{}"), ""); err == nil || !strings.Contains(err.Error(), "ignores If-Match") {
		t.Errorf("got %v", err)
	}
	if names, err := files.List(t.Context()); len(names) > 0 || err != nil {
		t.Errorf("the bucket has %v (%v)", names, err)
	}
}

// TestS3TriesAgain checks that a file is stored whole although the object store refuses the first attempt, after it has read the
// content or before.
func TestS3TriesAgain(t *testing.T) {
	backend := s3mem.New()
	if err := backend.CreateBucket("films"); err != nil {
		t.Fatal(err)
	}
	fake := gofakes3.New(backend).Server()
	for _, reads := range []bool{true, false} {
		refused := false
		files := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut && !refused {
				if refused = true; reads {
					_, _ = io.Copy(io.Discard, r.Body)
				}
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = io.WriteString(w, `<Error><Code>SlowDown</Code></Error>`)
				return
			}
			fake.ServeHTTP(w, r)
		}))()
		w := must((&Events{temporary: t.TempDir(), groupRows: 10}).newWriter(Part{}))(t)
		if err := w.add(&event.Event{Position: 1, Kind: event.Playback}); err != nil {
			t.Fatal(err)
		}
		if err := w.put(t.Context(), files, 1); err != nil {
			t.Fatal(err)
		}
		w.close()
		stored, _, err := files.Get(t.Context(), w.Name, "")
		if sum := sha256.Sum256(stored); err != nil || !refused || int64(len(stored)) != w.Bytes || hex.EncodeToString(sum[:]) != w.SHA256 {
			t.Errorf("%d of %d bytes are stored: %v", len(stored), w.Bytes, err)
		}
	}
}
