package testservers

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"unicode"
)

// MiniLM starts the sentence model all-MiniLM-L6-v2 behind POST /v1/embeddings, with vectors of 384 dimensions.
func MiniLM(t testing.TB) *Server {
	t.Helper()
	s, err := startMiniLM()
	return endWithTest(t, s, err)
}

func startMiniLM() (*Server, error) {
	python, err := installed(filepath.Join("minilm-1", "bin", "python"))
	if err != nil {
		return nil, &missingError{"MiniLM", "there is no Python environment with the model (make setup)"}
	}
	script := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(python)))), "internal", "testservers", "minilm", "serve.py")
	return launch("minilm", func(folder string) (*Server, error) {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		base := "http://" + address(port)
		return &Server{URL: base, Addr: address(port), folder: folder, program: program{
			name:    "MiniLM",
			command: func() *exec.Cmd { return exec.Command(python, script, strconv.Itoa(port)) },
			answers: func(ctx context.Context, _ int) error { return embeddingsAnswer(ctx, base) },
			stop:    syscall.SIGTERM,
		}}, nil
	})
}

func embeddingsAnswer(ctx context.Context, base string) error {
	body := strings.NewReader(`{"model": "all-MiniLM-L6-v2", "input": ["ready"]}`)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/embeddings", body)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	return nil
}

// Embeddings is an embedding service in the process of the test. Each word has a random direction and a text has the sum of
// its words, so that texts are near if they share words. Words that Synonyms contains have the direction of another word.
type Embeddings struct {
	URL      string
	Synonyms map[string]string // set before the first request

	// Status, if it is not 0, is the status of every answer.
	Status atomic.Int64
	// Hangs keeps the service from answering requests until the test ends.
	Hangs atomic.Bool
	// Texts counts the texts that were embedded.
	Texts atomic.Int64

	ended chan struct{} // closed when the test ends

	mu  sync.Mutex
	key string // the last one that came with a request
}

// embeddingsDimensions is the length of the vectors of Embeddings.
const embeddingsDimensions = 64

// NewEmbeddings starts an embedding service for this test.
func NewEmbeddings(t testing.TB) *Embeddings {
	t.Helper()
	e := &Embeddings{ended: make(chan struct{})}
	server := httptest.NewServer(e)
	t.Cleanup(func() { close(e.ended); server.Close() })
	e.URL = server.URL
	return e
}

// Key returns the API key of the last request.
func (e *Embeddings) Key() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.key
}

// ServeHTTP answers POST /v1/embeddings.
func (e *Embeddings) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	e.mu.Unlock()
	if e.Hangs.Load() {
		select {
		case <-e.ended:
		case <-r.Context().Done():
		}
		return
	}
	if status := int(e.Status.Load()); status != 0 {
		http.Error(w, "planned", status)
		return
	}
	var request struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || r.URL.Path != "/v1/embeddings" {
		http.Error(w, "not a request for embeddings", http.StatusBadRequest)
		return
	}
	type item struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	data := make([]item, len(request.Input))
	for i, text := range request.Input {
		data[i] = item{i, e.vector(text)}
	}
	e.Texts.Add(int64(len(data)))
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data, "usage": map[string]int{"total_tokens": 10 * len(data)}})
}

func (e *Embeddings) vector(text string) []float64 {
	vector := make([]float64, embeddingsDimensions)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if other, ok := e.Synonyms[word]; ok {
			word = other
		}
		hash := fnv.New64a()
		hash.Write([]byte(word))
		random := rand.New(rand.NewPCG(hash.Sum64(), 1)) //nolint:gosec // the direction of a word must be the same every time
		for i := range vector {
			vector[i] += random.NormFloat64()
		}
	}
	return vector
}
