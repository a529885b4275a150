package semantic

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/guard"
	"github.com/filmstrip/filmstrip/search"
)

// Options are the settings of a Service. URL and Model are required.
type Options struct {
	// URL is the base of the API, to which /v1/embeddings is appended, or the whole address of that endpoint.
	URL string
	// Model is the name of the model, as the service knows it.
	Model string
	// Key is the API key; "": the service requires none. It is never logged.
	Key string
	// TLS verifies the service's certificate; nil: the authorities of the system do.
	TLS *tls.Config
	// Logger logs when calls begin to fail, and when they work again; nil: nothing is logged.
	Logger *slog.Logger
}

// Service is a client of an embedding model behind OpenAI's POST /v1/embeddings, which Ollama, vLLM, Text Embeddings
// Inference and others serve too. It may be used concurrently.
type Service struct {
	options Options
	address string
	client  *http.Client
	guard   *guard.Guard

	dimensions atomic.Int64 // of the vectors, known after the first answer
	tokens     atomic.Int64
	texts      atomic.Int64
	failing    atomic.Bool // the last call failed
}

// The limits of a call.
const (
	callTime    = time.Minute
	maxResponse = 64 << 20 // bytes
	maxParallel = 8
)

// NewService returns a client. It does not connect.
func NewService(options Options) *Service {
	address := strings.TrimRight(options.URL, "/")
	if !strings.HasSuffix(address, "/embeddings") {
		address = strings.TrimSuffix(address, "/v1") + "/v1/embeddings"
	}
	return &Service{
		options: options, address: address,
		client: &http.Client{
			Transport: &http.Transport{
				Proxy: http.ProxyFromEnvironment, TLSClientConfig: options.TLS, MaxIdleConnsPerHost: maxParallel, IdleConnTimeout: time.Minute,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key goes nowhere else
		},
		guard: guard.New(guard.Options{Engine: "the embedding service", Timeout: callTime, Concurrent: maxParallel, Logger: options.Logger}),
	}
}

// Model returns the name of the model.
func (s *Service) Model() string { return s.options.Model }

// Stats counts what the service has embedded since NewService.
type Stats struct {
	Texts  int64
	Tokens int64 // as the service reports them; 0 if it does not
}

// Stats returns the counts.
func (s *Service) Stats() Stats { return Stats{Texts: s.texts.Load(), Tokens: s.tokens.Load()} }

// Unavailable reports whether calls are refused at present because several in a row have failed.
func (s *Service) Unavailable() bool { return s.guard.Open() }

// Failing reports whether the last call failed.
func (s *Service) Failing() bool { return s.failing.Load() }

// Embed returns the vectors of texts, in their order. If the service fails or answers what is no list of vectors, the error
// is a *fault.Error of code Unavailable.
func (s *Service) Embed(ctx context.Context, texts []string) ([]search.Vector, error) {
	var vectors []search.Vector
	err := s.guard.Do(ctx, func(ctx context.Context) (err error) {
		vectors, err = s.call(ctx, texts)
		return err
	})
	s.failing.Store(err != nil)
	return vectors, err
}

type embeddingsRequest struct {
	Model          string   `json:"model"`
	Input          []string `json:"input"`
	EncodingFormat string   `json:"encoding_format"`
}

type embeddingsResponse struct {
	Data []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
	Usage struct {
		TotalTokens int64 `json:"total_tokens"`
	} `json:"usage"`
}

func (s *Service) call(ctx context.Context, texts []string) ([]search.Vector, error) {
	body, err := json.Marshal(embeddingsRequest{s.options.Model, texts, "float"})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if s.options.Key != "" {
		request.Header.Set("Authorization", "Bearer "+s.options.Key)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, unavailable("answered status %d: %.200s", response.StatusCode, answer)
	}
	var decoded embeddingsResponse
	if err := json.Unmarshal(answer, &decoded); err != nil {
		return nil, unavailable("answered no list of vectors: %v", err)
	}
	return s.vectors(len(texts), &decoded)
}

// vectors checks an answer and returns its vectors.
func (s *Service) vectors(count int, answer *embeddingsResponse) ([]search.Vector, error) {
	vectors := make([]search.Vector, count)
	for _, item := range answer.Data {
		if item.Index < 0 || item.Index >= count || vectors[item.Index] != nil {
			return nil, unavailable("answered a vector with the index %d for %d texts", item.Index, count)
		}
		if err := s.check(item.Embedding); err != nil {
			return nil, err
		}
		vectors[item.Index] = search.Quantize(item.Embedding)
	}
	if len(answer.Data) != count {
		return nil, unavailable("answered %d vectors for %d texts", len(answer.Data), count)
	}
	s.texts.Add(int64(count))
	s.tokens.Add(answer.Usage.TotalTokens)
	return vectors, nil
}

func (s *Service) check(components []float32) error {
	if n := len(components); n < 1 || n > catalogue.MaxDimensions {
		return unavailable("answered a vector of %d dimensions, supported are 1 to %d", n, catalogue.MaxDimensions)
	}
	if known := s.dimensions.Swap(int64(len(components))); known != 0 && known != int64(len(components)) {
		return unavailable("answered vectors of %d and of %d dimensions", known, len(components))
	}
	for _, c := range components {
		if math.IsNaN(float64(c)) || math.IsInf(float64(c), 0) {
			return unavailable("returned a vector with a component that is not a finite number")
		}
	}
	return nil
}

func unavailable(format string, values ...any) error {
	return &fault.Error{Code: fault.Unavailable, Message: "the embedding service " + fmt.Sprintf(format, values...)}
}
