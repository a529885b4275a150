// Package accesstest proves that what access rules hide is hidden: it fills a whole service with random
// catalogues, limits a caller by random content packages, asks every endpoint and every field that yields
// videos or things of videos, and holds each answer against an evaluation of the rules that was written
// apart from the service's own.
package accesstest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Caller is who sends a request.
type Caller string

// The callers.
const (
	// Limited is a client of a customer with every right, whose account has the content package of the last
	// Service.Assign.
	Limited Caller = "limited"
	// Operator is a client of the operator.
	Operator Caller = "operator"
)

// PackageID is the ID of the content package that Service.Assign stores.
const PackageID = "accesstest"

// Service is a whole Filmstrip over an empty catalogue, by whatever engines. Its methods are not called
// concurrently.
type Service interface {
	// Fill writes items and returns once every search shows them. Later calls replace what earlier ones
	// wrote under the same IDs.
	Fill(ctx context.Context, items []catalogue.Item) error
	// Shelve makes the operator have these collections, each discoverable and with these videos, in the place of
	// what they held before, if there are any of these IDs.
	Shelve(ctx context.Context, collections map[catalogue.ID][]catalogue.ID) error
	// Assign stores a content package of the ID PackageID, gives it to the account of Limited, and returns
	// once requests are answered by it. nil: the account has no package, and PackageID stays as it was.
	Assign(ctx context.Context, rules []catalogue.AccessRule) error
	// Send sends a request; a body is JSON.
	Send(ctx context.Context, as Caller, method, path, body string) (status int, answer []byte, err error)
}

// packagesPerCatalogue is how many random packages each catalogue is seen through, beside none, one
// without rules and one that opens all private channels.
const packagesPerCatalogue = 8

// Run runs rounds of the test on a UTC day, which must be the service's today. A seed draws the same
// again. The error tells what came to light.
func Run(ctx context.Context, service Service, today catalogue.Date, seed uint64, rounds int) error {
	for round := range rounds {
		random := rand.New(rand.NewPCG(seed, uint64(round)))
		w := drawWorld(random, today)
		if err := service.Fill(ctx, w.items()); err != nil {
			return fmt.Errorf("seed %d, round %d: filling the catalogue: %w", seed, round, err)
		}
		if err := service.Shelve(ctx, w.shelves); err != nil {
			return fmt.Errorf("seed %d, round %d: filling collections: %w", seed, round, err)
		}
		for _, rules := range drawPackages(random) {
			p := &probe{service: service, ctx: ctx, world: w, seen: w.through(rules)}
			if err := p.run(rules); err != nil {
				return fmt.Errorf("seed %d, round %d, rules %v: %w", seed, round, rules, err)
			}
		}
	}
	return nil
}

// probe asks a service everything through one content package.
type probe struct {
	service Service
	ctx     context.Context
	world   *world
	seen    *seen
	faults  []string
}

// mostFaults is how many faults are told of one package: the first say it all.
const mostFaults = 10

func (p *probe) run(rules []catalogue.AccessRule) error {
	if err := p.service.Assign(p.ctx, rules); err != nil {
		return err
	}
	for _, ask := range []func() error{
		p.searches, p.previews(rules), p.feed, p.singleVideos, p.shelves(rules), p.metadata, p.suggestions, p.labels, p.channels,
		p.graphLists, p.graphVideos, p.learningOf, p.graphLearning,
	} {
		if err := ask(); err != nil {
			return err
		}
	}
	if len(p.faults) > 0 {
		return fmt.Errorf("%s", strings.Join(p.faults[:min(len(p.faults), mostFaults)], "\n"))
	}
	return nil
}

func (p *probe) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// same holds what an answer shows against what may be seen, in any order.
func (p *probe) same(where string, got, want []string) {
	got, want = slices.Clone(got), slices.Clone(want)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		p.fault("%s: shows %v, want %v", where, got, want)
	}
}

// get reads a document for the limited caller; it must be there.
func (p *probe) get(path string, into any) error {
	return p.read(Limited, "GET", path, "", into)
}

// send sends a request and looks for what is hidden in whatever comes back.
func (p *probe) send(as Caller, method, path, body string) (int, []byte, error) {
	status, answer, err := p.service.Send(p.ctx, as, method, path, body)
	if err == nil && as == Limited {
		p.lookForHidden(method+" "+path+" "+body, answer)
	}
	return status, answer, err
}

// lookForHidden looks for the words and IDs of hidden videos and channels, unless the request held them
// itself.
func (p *probe) lookForHidden(request string, answer []byte) {
	text, request := strings.ToLower(string(answer)), strings.ToLower(request)
	for _, hidden := range p.seen.hidden {
		if strings.Contains(text, hidden) && !strings.Contains(request, hidden) {
			p.fault("%.300s: the answer tells of %s, which is hidden", request, hidden)
		}
	}
}
