//go:build system

package crash_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// The client of the demo.
const (
	demoClient = "demo-operator"
	demoSecret = "demo-secret"
)

// batchSize is the maximum number of events per request.
const batchSize = 500

// clients send events.
type clients struct {
	bases  []string
	ledger *ledger
	http   *http.Client
	token  atomic.Pointer[string]
}

func newClients(f *fleet, l *ledger, n int) *clients {
	c := &clients{ledger: l, http: &http.Client{
		Timeout: 5 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: n},
	}}
	for _, one := range f.servers {
		c.bases = append(c.bases, one.base)
	}
	return c
}

// logIn obtains a token, which is valid at all processes.
func (c *clients) logIn(ctx context.Context, base string) error {
	token, err := program.Token(ctx, c.http, base, demoClient, demoSecret)
	if err != nil {
		return err
	}
	c.token.Store(&token)
	return nil
}

// send sends submissions of every kind until enough is closed or the context ends.
func (c *clients) send(ctx context.Context, enough <-chan struct{}, random *rand.Rand) {
	for {
		select {
		case <-enough:
			return
		default:
		}
		events, key := 1, ""
		if random.IntN(10) == 0 {
			events = 1 + random.IntN(batchSize)
		}
		if random.IntN(3) > 0 {
			key = fmt.Sprintf("%016x", random.Uint64())
		}
		s := c.ledger.add(events, key, false)
		if !c.submit(ctx, s, random) || key == "" {
			continue
		}
		switch random.IntN(20) {
		case 0, 1: // like a client that received no response
			c.submit(ctx, s, random)
		case 2:
			c.submit(ctx, c.ledger.add(events, key, true), random)
		}
	}
}

// patience is how long a submission with a key is repeated.
const patience = time.Minute

// submit sends a submission until the response is clear, or once if it has no key, and reports whether it was
// acknowledged.
func (c *clients) submit(ctx context.Context, s *submission, random *rand.Rand) bool {
	body := bodyOf(s)
	for began := time.Now(); ctx.Err() == nil && time.Since(began) < patience; time.Sleep(time.Duration(random.IntN(40)) * time.Millisecond) {
		base := c.bases[random.IntN(len(c.bases))]
		status, text, err := c.post(ctx, base, s, body)
		unclear := err != nil || status >= 500
		c.ledger.count(unclear)
		switch {
		case status == http.StatusCreated && !s.forbidden:
			c.ledger.acknowledge(s)
			return true
		case status == http.StatusUnprocessableEntity && s.forbidden:
			return false
		case unclear && s.key == "":
			return false
		case unclear:
		case status == http.StatusUnauthorized && c.logIn(ctx, base) == nil:
		default:
			c.ledger.fault("%d events with the key %q are answered %d %.200s", s.events, s.key, status, text)
			return false
		}
	}
	c.ledger.fault("%d events with the key %q are not answered for %s", s.events, s.key, patience)
	return false
}

func (c *clients) post(ctx context.Context, base string, s *submission, body []byte) (status int, text []byte, err error) {
	sent := program.Request{
		Method: http.MethodPost, Path: s.path(), Token: *c.token.Load(), Key: s.key, ContentType: "application/json", Body: body,
	}
	request, err := sent.New(ctx, base)
	if err != nil {
		return 0, nil, err
	}
	request.GetBody = nil // only the clients repeat requests
	answer, err := program.Do(c.http, request)
	return answer.Status, answer.Body, err
}

// path returns the path of the endpoint that the submission uses.
func (s *submission) path() string {
	if s.batch() {
		return "/v1/events/playback/batch"
	}
	return "/v1/events/playback"
}

// bodyOf returns the body of a submission, which is the same for each attempt.
func bodyOf(s *submission) []byte {
	events := make([]string, s.events)
	for i := range events {
		start, end := s.segmentOf(i)
		events[i] = fmt.Sprintf(`{"videoId":%q,"segmentStartSeconds":%s,"segmentEndSeconds":%s,"captureTime":%q}`,
			s.videoOf(i), seconds(start), seconds(end), s.at.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	if s.batch() {
		return []byte("[" + strings.Join(events, ",") + "]")
	}
	return []byte(events[0])
}

func seconds(milliseconds int64) string {
	return fmt.Sprintf("%d.%03d", milliseconds/1000, milliseconds%1000)
}
