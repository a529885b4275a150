// Package accesstest tests that everything hidden by access rules is hidden: it fills a whole service with random
// catalogues, restricts a caller by random content packages, requests every endpoint and every field that yields videos
// or their attachments, and compares each response with an evaluation of the rules that shares no code with the
// service.
package accesstest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Caller is the sender of a request.
type Caller string

// The callers.
const (
	// Limited is a client of a customer with all permissions, whose account has the content package of the last
	// Service.Assign.
	Limited Caller = "limited"
	// Operator is a client of the operator.
	Operator Caller = "operator"
)

// PackageID is the ID of the content package that Service.Assign stores.
const PackageID = "accesstest"

// Service is a whole Filmstrip over an empty catalogue, with any engines. Its methods are not called concurrently.
type Service interface {
	// Fill writes items and returns once all searches show them. Later calls replace items with the same IDs.
	Fill(ctx context.Context, items []catalogue.Item) error
	// PutCollections creates collections of the operator with these videos, each discoverable, or replaces the videos of
	// existing ones.
	PutCollections(ctx context.Context, collections map[catalogue.ID][]catalogue.ID) error
	// Assign stores a content package with the ID PackageID, assigns it to the account of Limited, and returns once it
	// applies. With nil, the account has no package, and the stored one remains.
	Assign(ctx context.Context, rules []catalogue.AccessRule) error
	// Send sends a request; a body is JSON.
	Send(ctx context.Context, as Caller, method, path, body string) (status int, answer []byte, err error)
}

// packagesPerCatalogue is the number of random packages per catalogue, in addition to no package, an empty one, and one
// that opens all private channels.
const packagesPerCatalogue = 8

// Run runs rounds of the test on a UTC day, which must be the service's today. The same seed draws the same rounds. The
// error describes the leaks.
func Run(ctx context.Context, service Service, today catalogue.Date, seed uint64, rounds int) error {
	for round := range rounds {
		random := rand.New(rand.NewPCG(seed, uint64(round)))
		w := drawWorld(random, today)
		if err := service.Fill(ctx, w.items()); err != nil {
			return fmt.Errorf("seed %d, round %d: filling the catalogue: %w", seed, round, err)
		}
		if err := service.PutCollections(ctx, w.collections); err != nil {
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

// probe requests everything through one content package.
type probe struct {
	service Service
	ctx     context.Context
	world   *world
	seen    *seen
	faults  []string
	// err is the first failure of a request. After it, the probe sends no other requests.
	err error
}

// mostFaults is the maximum number of reported faults per package.
const mostFaults = 10

func (p *probe) run(rules []catalogue.AccessRule) error {
	if err := p.service.Assign(p.ctx, rules); err != nil {
		return err
	}
	for _, ask := range []func(){
		p.searches, p.previews(rules), p.feed, p.singleVideos, p.collections(rules), p.metadata, p.suggestions, p.labels, p.channels,
		p.graphLists, p.graphVideos, p.learningOf, p.graphLearning,
	} {
		if ask(); p.err != nil {
			return p.err
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

// same compares what a response shows with what may be seen, in any order.
func (p *probe) same(where string, got, want []string) {
	got, want = slices.Clone(got), slices.Clone(want)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		p.fault("%s: shows %v, want %v", where, got, want)
	}
}

// fail records the first failure.
func (p *probe) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// get reads a document as the limited caller; it must exist.
func (p *probe) get(path string, into any) { p.read(Limited, "GET", path, "", into) }

// send sends a request and searches the response for hidden content. After a failure, the status is 0.
func (p *probe) send(as Caller, method, path, body string) (status int, answer []byte) {
	if p.err != nil {
		return 0, nil
	}
	status, answer, err := p.service.Send(p.ctx, as, method, path, body)
	p.fail(err)
	if err == nil && as == Limited {
		p.lookForHidden(method+" "+path+" "+body, answer)
	}
	return status, answer
}

// lookForHidden searches for the words and IDs of hidden videos and channels, except those in the request itself.
func (p *probe) lookForHidden(request string, answer []byte) {
	text, request := strings.ToLower(string(answer)), strings.ToLower(request)
	for _, hidden := range p.seen.hidden {
		if strings.Contains(text, hidden) && !strings.Contains(request, hidden) {
			p.fault("%.300s: the answer names %s, which is hidden", request, hidden)
		}
	}
}
