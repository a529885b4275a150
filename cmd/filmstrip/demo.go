package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store"
)

// The demo's clients. Their secret is known to everybody, which is why they work in demo mode only.
const (
	demoClient   = "demo"
	demoOperator = "demo-operator"
	demoSecret   = "demo-secret"
	demoVideos   = 1000
	demoSeed     = 1
	demoWords    = 120
)

func demoClients(now time.Time) []*account.LegacyClient {
	hash := sha256.Sum256([]byte(demoSecret))
	return []*account.LegacyClient{
		{ID: demoClient, SecretHashes: [][32]byte{hash}, Rights: account.CustomerRights(), UpdatedAt: now},
		{
			ID: demoOperator, SecretHashes: [][32]byte{hash}, Rights: account.OperatorRights(),
			Access: catalogue.Access{PrivateChannels: true}, UpdatedAt: now,
		},
	}
}

// settleDemoClients adds the demo's clients in demo mode, and locks those that an earlier demo left
// behind in any other.
func (s *service) settleDemoClients(ctx context.Context, demo bool) error {
	known, err := s.stores.accounts.Clients(ctx)
	if err != nil {
		return err
	}
	for _, client := range demoClients(time.Now()) {
		client.Disabled = !demo
		left := slices.ContainsFunc(known, func(k *account.LegacyClient) bool {
			return k.ID == client.ID && slices.Contains(k.SecretHashes, client.SecretHashes[0])
		})
		if !demo && !left {
			continue
		}
		if err := s.stores.accounts.PutClient(ctx, client); err != nil {
			return err
		}
	}
	return nil
}

// withoutDemo are the accounts as a process outside demo mode sees them: clients with the demo's secret,
// which everybody knows, are locked, though another process may serve a demo on the same store.
type withoutDemo struct{ store.Accounts }

// Clients implements store.Accounts.
func (a withoutDemo) Clients(ctx context.Context) ([]*account.LegacyClient, error) {
	clients, err := a.Accounts.Clients(ctx)
	wellKnown := sha256.Sum256([]byte(demoSecret))
	for _, client := range clients {
		client.Disabled = client.Disabled || slices.Contains(client.SecretHashes, wellKnown)
	}
	return clients, err
}

// prepareDemo fills an empty catalogue.
func (s *service) prepareDemo(ctx context.Context) error {
	if n, err := s.catalogue.CountVideos(ctx); err != nil || n > 0 {
		return err
	}
	lines, writer := io.Pipe()
	go func() {
		options := generate.Options{Videos: demoVideos, Seed: demoSeed, TranscriptWords: demoWords}
		writer.CloseWithError(generate.Write(writer, options))
	}()
	summary, err := importer.Run(ctx, s.catalogue, importer.Options{Inputs: []importer.Input{{
		Name: "the demo catalogue", Size: -1, Open: func() (io.ReadCloser, error) { return lines, nil },
	}}})
	if err == nil && summary.Rejected > 0 {
		err = fmt.Errorf("%d lines of the demo catalogue were rejected", summary.Rejected)
	}
	return err
}

// announce prints, once everything can be answered, where the server is and lines to try it with.
func (s *service) announce(ctx context.Context, settings *serveCommand, console console) {
	for pause := 20 * time.Millisecond; !s.caughtUp(ctx); pause = min(2*pause, time.Second) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
	base := settings.base()
	if !settings.Demo {
		fmt.Fprintf(console.out, "Filmstrip serves %s\n", base)
		return
	}
	fmt.Fprintf(console.out, `Filmstrip demo at %[1]s

  clients   %[2]s (a customer), %[3]s (the operator)
  secret    %[4]s
  GraphiQL  %[1]s/graphiql

Try it:

  TOKEN=$(curl -s %[1]s/v1/token -d grant_type=client_credentials -d client_id=%[2]s -d client_secret=%[4]s | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
  curl -s %[1]s/v1/ -H "Authorization: Bearer $TOKEN"
  curl -s "%[1]s/v1/videos?query=water&size=3" -H "Authorization: Bearer $TOKEN"
`, base, demoClient, demoOperator, demoSecret)
}

// caughtUp reports whether searches show all that the catalogue holds.
func (s *service) caughtUp(ctx context.Context) bool {
	head, err := s.catalogue.Head(ctx)
	if err != nil {
		return false
	}
	position, err := s.derived.index.Position(ctx)
	return err == nil && s.derived.follower.Ready() && position >= head
}
