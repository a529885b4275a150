// Package system shows operators the state of the service: its engines, its background work, and what its data holds.
package system

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// Part is an engine or a piece of background work, and its state.
type Part struct {
	// Name says what the part does, such as search. Engine is what does it, such as typesense; "" if nothing else could.
	Name, Engine string
	// Status is up, degraded or down. Detail is the reason for another status than up, and Remedy what helps.
	Status, Detail, Remedy string
	// Lag is the number of changes that the part has not applied yet; nil: it applies none.
	Lag *int64
}

// Size is what an engine holds.
type Size struct {
	Name, Engine string
	InMemory     bool
	// Bytes is nil if it is unknown.
	Bytes  *int64
	Tables []store.TableSize
}

// Config lists the ports. Without Parts, the state is not known here.
type Config struct {
	Version string
	// Parts checks all parts, in the order of their names. Concurrent calls share one check.
	Parts func(ctx context.Context) []Part
	// Sizes measures everything that has a size, at a cost that does not depend on the data; nil: nothing is known here.
	Sizes     func(ctx context.Context) []Size
	Catalogue store.Catalogue
	// Keys holds the keys that sign access tokens, under the purpose SigningKeys; nil: they are not known here.
	Keys        store.Keys
	SigningKeys string
	// RotateKeys adds new keys; with withdraw, it removes the old ones. Registry has the policy, which records rotations.
	RotateKeys func(ctx context.Context, now time.Time, withdraw bool) error
	Registry   *registry.Registry
	Now        func() time.Time
	// Jobs holds the jobs; nil: there are none.
	Jobs store.Jobs
}

// Resolver resolves the fields about the service.
type Resolver struct{ config Config }

// New makes a resolver.
func New(config Config) *Resolver { return &Resolver{config} }

// System returns the state of the service.
func (r *Resolver) System(ctx context.Context) (*graph.System, error) {
	if r.config.Parts == nil || r.config.Catalogue == nil {
		return nil, fault.Errorf(fault.Unavailable, "the state of the service is not known here")
	}
	videos, err := r.config.Catalogue.CountVideos(ctx)
	if err != nil {
		return nil, err
	}
	system := &graph.System{Version: r.config.Version, Status: graph.SystemStatusUp, Videos: videos}
	for _, part := range r.config.Parts(ctx) {
		shown := &graph.SystemPart{
			Name: part.Name, Engine: values.OrNil(part.Engine), Status: graph.SystemStatus(strings.ToUpper(part.Status)),
			Detail: values.OrNil(part.Detail), Remedy: values.OrNil(part.Remedy), Lag: part.Lag,
		}
		system.Parts = append(system.Parts, shown)
		if shown.Status == graph.SystemStatusDown || shown.Status == graph.SystemStatusDegraded && system.Status == graph.SystemStatusUp {
			system.Status = shown.Status
		}
	}
	if r.config.Jobs != nil {
		waiting, running, err := r.config.Jobs.OpenJobs(ctx)
		if err != nil {
			return nil, err
		}
		system.JobsWaiting, system.JobsRunning = int(waiting), int(running)
	}
	system.SigningKeys, err = r.signingKeys(ctx)
	return system, err
}

// Fields resolves the fields of System that have a cost of their own.
type Fields struct{ *Resolver }

// Sizes returns what the engines hold.
func (r Fields) Sizes(ctx context.Context, _ *graph.System) ([]*graph.SystemSize, error) {
	shown := []*graph.SystemSize{}
	if r.config.Sizes == nil {
		return shown, nil
	}
	for _, size := range r.config.Sizes(ctx) {
		shown = append(shown, &graph.SystemSize{
			Name: size.Name, Engine: values.OrNil(size.Engine), Bytes: size.Bytes, InMemory: size.InMemory,
			Tables: values.Map(size.Tables, func(table store.TableSize) *graph.SystemTable {
				return &graph.SystemTable{Name: table.Name, Rows: table.Rows, Bytes: table.Bytes}
			}),
		})
	}
	return shown, nil
}

// signingKeys returns the keys, the newest first, without their secrets.
func (r *Resolver) signingKeys(ctx context.Context) ([]*graph.SigningKey, error) {
	if r.config.Keys == nil {
		return []*graph.SigningKey{}, nil
	}
	keys, err := r.config.Keys.Keys(ctx, r.config.SigningKeys)
	return values.Map(keys, func(key account.Key) *graph.SigningKey {
		return &graph.SigningKey{ID: key.ID, CreatedAt: key.CreatedAt}
	}), err
}

// RotateSigningKeys records the rotation in the policy, which adds an entry to the audit log.
func (r *Resolver) RotateSigningKeys(ctx context.Context, withdraw bool) ([]*graph.SigningKey, error) {
	if r.config.Keys == nil || r.config.RotateKeys == nil {
		return nil, fault.Errorf(fault.Unavailable, "keys cannot be rotated here")
	}
	now := r.config.Now().UTC()
	if err := r.config.RotateKeys(ctx, now, withdraw); err != nil {
		return nil, err
	}
	create := func() *account.Policy { return &account.Policy{} }
	_, err := registry.Put(context.WithoutCancel(ctx), r.config.Registry, nil, create, func(_ context.Context, _ store.RegistryTx, policy *account.Policy) error {
		policy.KeysRotated = now
		if withdraw {
			policy.KeysWithdrawn = now
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the keys are rotated, but the audit log has no entry: %w", err)
	}
	return r.signingKeys(ctx)
}
