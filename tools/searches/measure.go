package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/tools/internal/program"
	"github.com/filmstrip/filmstrip/tools/internal/searches"
)

const (
	catalogueSeed, questionSeed = 1, 2

	// textSize and listSize are the videos of a page, for a search with a text and one without.
	textSize, listSize = 10, 100

	indexFolder = "search"

	clientID, clientSecret = "search", "search-secret"
)

// kind is one kind of search.
type kind struct {
	name  string
	paths []string
	found [][]string // by path: the videos of the page

	p50, p99, processor50, processor99 []float64 // by round, in milliseconds
}

// measurement contains what was measured. Times are in seconds, and sizes in megabytes.
type measurement struct {
	*settings
	data  string
	kinds []*kind

	built, buildProcessor, buildPeak float64
	starts, startProcessors          []float64 // by round
	resident, peaks                  []float64 // by round
}

// fill imports the catalogue, unless the folder contains it.
func (m *measurement) fill(ctx context.Context) error {
	mark, content := filepath.Join(m.data, "measured"), fmt.Sprintf("%d videos, seed %d\n", m.videos, catalogueSeed)
	switch written, err := os.ReadFile(mark); {
	case err == nil && string(written) == content:
		return nil
	case err == nil:
		return fmt.Errorf("--folder %s contains a catalogue of %s, not of %s", m.data, strings.TrimSpace(string(written)), strings.TrimSpace(content))
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	begun := time.Now()
	if err := program.Import(ctx, m.filmstrip, m.data, generate.Options{Videos: m.videos, Seed: catalogueSeed}); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "imported in %s\n", time.Since(begun).Round(time.Second))
	if err := program.AddClient(ctx, m.data, clientID, clientSecret); err != nil {
		return err
	}
	return os.WriteFile(mark, []byte(content), 0o600)
}

// start starts the server and returns when it answers searches.
func (m *measurement) start(ctx context.Context) (*program.Server, error) {
	command := exec.CommandContext(ctx, m.filmstrip, "serve", "--addr", "127.0.0.1:0", "--data", m.data, "--client-rate", "0", "--log-level", "error",
		"--memory", strconv.Itoa(m.memory))
	command.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(m.workers))
	command.Stderr = os.Stderr
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableCompression: true}}
	return program.StartServer(ctx, command, client, clientID, clientSecret)
}

// buildIndex starts the server without a snapshot of the index.
func (m *measurement) buildIndex(ctx context.Context) error {
	if err := os.RemoveAll(filepath.Join(m.data, indexFolder)); err != nil {
		return err
	}
	begun := time.Now()
	s, err := m.start(ctx)
	if err != nil {
		return err
	}
	m.built = time.Since(begun).Seconds()
	processor, err := s.ProcessorTime()
	if err != nil {
		return errors.Join(err, s.Terminate())
	}
	m.buildProcessor = processor.Seconds()
	memory, err := s.Memory()
	m.buildPeak = float64(memory.Most) / 1e6
	return errors.Join(err, s.Terminate())
}

// learn draws the searches and finds their videos.
func (m *measurement) learn(ctx context.Context) error {
	text, typos, listing := &kind{name: "text"}, &kind{name: "text with a typo"}, &kind{name: "no text"}
	m.kinds = []*kind{text, typos, listing}
	options, rng, known := generate.Options{Videos: m.videos, Seed: catalogueSeed}, rand.New(rand.NewPCG(questionSeed, 0)), map[string]bool{}
	for seed := uint64(questionSeed); ; seed++ {
		for _, query := range generate.Queries(seed, 4*m.questions, options) {
			to, size := text, textSize
			switch {
			case query.Text == "":
				to, size = listing, listSize
			case len(text.paths) > len(typos.paths):
				to, query.Text = typos, generate.Misspell(rng, query.Text)
			}
			path := searches.Path(&query, size)
			if len(to.paths) < m.questions && !known[path] && len(query.Filter.Tags) == 0 {
				known[path] = true
				to.paths = append(to.paths, path)
			}
		}
		if len(typos.paths) == m.questions && len(listing.paths) == m.questions {
			break
		}
		if seed == questionSeed+100 {
			return fmt.Errorf("only %d searches without a text differ", len(listing.paths))
		}
	}
	s, err := m.start(ctx)
	if err != nil {
		return err
	}
	for _, kind := range m.kinds {
		for _, path := range kind.paths {
			answer, err := s.Get(path, false)
			if err != nil {
				return errors.Join(err, s.Terminate())
			}
			ids, err := program.VideosOf(answer.Body)
			if err != nil {
				return errors.Join(err, s.Terminate())
			}
			kind.found = append(kind.found, ids)
		}
	}
	return s.Terminate()
}

// round sends all searches to a new server.
func (m *measurement) round(ctx context.Context) error {
	begun := time.Now()
	s, err := m.start(ctx)
	if err != nil {
		return err
	}
	return errors.Join(m.ask(s, begun), s.Terminate())
}

func (m *measurement) ask(s *program.Server, begun time.Time) error {
	if _, err := s.Get(searches.Path(&generate.Query{Text: "a first search"}, textSize), false); err != nil {
		return err
	}
	m.starts = append(m.starts, time.Since(begun).Seconds())
	processor, err := s.ProcessorTime()
	if err != nil {
		return err
	}
	m.startProcessors = append(m.startProcessors, processor.Seconds())
	for _, kind := range m.kinds {
		for _, found := range kind.found {
			if len(found) > 0 {
				if _, err := s.Get(searches.OfIDs(found), false); err != nil {
					return err
				}
			}
		}
	}
	for _, kind := range m.kinds {
		var clocks, processors []time.Duration
		for _, path := range kind.paths {
			before, err := s.ProcessorTime()
			if err != nil {
				return err
			}
			sent := time.Now()
			if _, err := s.Get(path, false); err != nil {
				return err
			}
			took := time.Since(sent)
			after, err := s.ProcessorTime()
			if err != nil {
				return err
			}
			clocks, processors = append(clocks, took), append(processors, after-before)
		}
		slices.Sort(clocks)
		slices.Sort(processors)
		kind.p50, kind.p99 = append(kind.p50, share(clocks, 50)), append(kind.p99, share(clocks, 99))
		kind.processor50, kind.processor99 = append(kind.processor50, share(processors, 50)), append(kind.processor99, share(processors, 99))
	}
	memory, err := s.Memory()
	m.resident, m.peaks = append(m.resident, float64(memory.Resident)/1e6), append(m.peaks, float64(memory.Most)/1e6)
	return err
}
