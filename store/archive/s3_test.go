package archive

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
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
