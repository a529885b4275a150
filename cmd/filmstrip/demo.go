package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/password"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store"
)

// The demo's accounts, each with a client of its name. Their secret, which is the teacher's password too,
// is known to everybody, which is why they work in demo mode only.
const (
	demoAccount  = "demo"
	demoBasic    = "demo-basic"
	demoPlus     = "demo-plus"
	demoOperator = "demo-operator"
	demoWeb      = "demo-web"
	demoWatch    = "demo-watch"
	demoTeacher  = "teacher"
	demoSecret   = "demo-secret"

	demoRedirect = "http://127.0.0.1:8765/callback"
	demoSignOut  = "http://127.0.0.1:8765/"
	// demoOrigin is that of the page that docs/player.md puts a video into.
	demoOrigin = "http://127.0.0.1:8765"

	// demoActor is what the trail says of accounts that nobody but this program made. It is no id of a client.
	demoActor = "demo mode"

	demoVideos = 1000
	demoSeed   = 1
	demoWords  = 120
	// demoSchools are of twenty districts in two states.
	demoSchools = 200
)

// teacherID is the ID of the demo's user.
var teacherID = string(catalogue.DeriveID("user", demoAccount, demoTeacher))

// demoRecords are the accounts with all that belongs to them, those that others refer to first.
func demoRecords() []account.Entity {
	customer := func(id, tier, contentPackage string) *account.Account {
		return &account.Account{
			ID: id, Name: "Demo: " + tier, Tier: tier, ContentPackage: contentPackage, Products: account.Products(),
			Type: account.Demo, Status: account.Active, Environment: account.Live,
		}
	}
	demo := customer(demoAccount, "premium", "")
	demo.PasswordSignIn = true
	demo.AllowedOrigins = []string{demoOrigin}
	basic := customer(demoBasic, "basic", demoBasic)
	basic.Environment = account.Sandbox // what it plays is counted and not billed
	operator := customer(demoOperator, "", "")
	operator.Name, operator.Operator = "Demo: the operator", true
	return []account.Entity{
		&account.ContentPackage{ID: demoBasic, Name: "Demo: lessons of the operator's own", Rules: []catalogue.AccessRule{
			{Type: catalogue.IncludedVideoTypes, Values: []string{string(catalogue.Instructional)}},
			{Type: catalogue.ExcludedPlaybackSources, Values: []string{string(catalogue.ProviderYouTube)}},
		}},
		&account.ContentPackage{ID: demoPlus, Name: "Demo: no news", Rules: []catalogue.AccessRule{
			{Type: catalogue.ExcludedVideoTypes, Values: []string{string(catalogue.News), string(catalogue.HistoricalNewsArchive)}},
		}},
		demo, basic, customer(demoPlus, "plus", demoPlus), operator,
		demoClientOf(demoAccount), demoClientOf(demoBasic), demoClientOf(demoPlus), demoClientOf(demoOperator),
		&account.Client{
			ID: demoWeb, AccountID: demoAccount, Name: "A web application",
			RedirectURIs: []string{demoRedirect}, PostLogoutRedirectURIs: []string{demoSignOut},
		},
		&account.Client{ID: demoWatch, AccountID: demoAccount, Name: "Filmstrip's share page", RequirePKCE: true},
	}
}

func demoClientOf(id string) *account.Client {
	hash := sha256.Sum256([]byte(demoSecret))
	made := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	return &account.Client{
		ID: id, AccountID: id, Name: "Demo",
		Secrets: []account.Secret{{ID: "demo", Hash: hash[:], CreatedAt: made}},
	}
}

// settleDemo adds what the demo's accounts lack, at a server of this base address; what an operator has changed of
// them stays.
func (s *service) settleDemo(ctx context.Context, base string) error {
	hash, err := password.Hash(ctx, demoSecret)
	if err != nil {
		return err
	}
	teacher := &account.User{
		ID: teacherID, AccountID: demoAccount,
		Username: demoTeacher, PasswordHash: hash, GivenName: "Ada", FamilyName: "Teacher",
		Email: "teacher@school.example", EmailVerified: true,
	}
	return s.stores.accounts.Edit(ctx, account.Actor{Client: demoActor}, func(ctx context.Context, tx store.RegistryTx) error {
		for _, record := range append(demoRecords(), teacher) {
			known, err := tx.Entity(ctx, record.Key())
			if err != nil {
				return err
			}
			if known != nil {
				continue
			}
			if err := tx.Put(ctx, record); err != nil {
				return err
			}
		}
		return letComeBack(ctx, tx, base)
	})
}

// withoutDemo are the accounts as a process outside demo mode sees them: those of the demo, whose secrets
// everybody knows, are suspended, and its user is disabled as long as everybody knows the password, though
// another process may serve a demo on the same store.
type withoutDemo struct{ store.Accounts }

// Roster implements store.Registry.
func (a withoutDemo) Roster(ctx context.Context) ([]account.Entity, account.RosterVersion, error) {
	records, version, err := a.Accounts.Roster(ctx)
	wellKnown := map[string]bool{}
	for _, record := range records {
		if client, ok := record.(*account.Client); ok && hasDemoSecret(client) {
			client.Disabled, wellKnown[client.AccountID] = true, true
		}
	}
	for _, record := range records {
		if of, ok := record.(*account.Account); ok && wellKnown[of.ID] && of.Type == account.Demo {
			of.Status = account.Suspended
		}
	}
	return records, version, err
}

// Record implements store.Registry.
func (a withoutDemo) Entity(ctx context.Context, key account.EntityKey) (account.Entity, error) {
	record, err := a.Accounts.Entity(ctx, key)
	if err != nil {
		return nil, err
	}
	return withoutTeacher(ctx, record)
}

// Named implements store.Registry.
func (a withoutDemo) Named(ctx context.Context, name string) (account.Entity, error) {
	record, err := a.Accounts.Named(ctx, name)
	if err != nil {
		return nil, err
	}
	return withoutTeacher(ctx, record)
}

// withoutTeacher disables the demo's user, unless the password is another by now: the account may be in use,
// if an operator took it over.
func withoutTeacher(ctx context.Context, record account.Entity) (account.Entity, error) {
	teacher, ok := record.(*account.User)
	if !ok || teacher.ID != teacherID || teacher.PasswordHash == "" {
		return record, nil
	}
	wellKnown, err := password.Verify(ctx, teacher.PasswordHash, demoSecret)
	if err != nil {
		return nil, err
	}
	teacher.Disabled = teacher.Disabled || wellKnown
	return teacher, nil
}

func hasDemoSecret(client *account.Client) bool {
	wellKnown := sha256.Sum256([]byte(demoSecret))
	return slices.ContainsFunc(client.Secrets, func(secret account.Secret) bool {
		return bytes.Equal(secret.Hash, wellKnown[:])
	})
}

// prepareDemo fills an empty catalogue.
func (s *service) prepareDemo(ctx context.Context) error {
	if n, err := s.catalogue.CountVideos(ctx); err != nil || n > 0 {
		return err
	}
	lines, writer := io.Pipe()
	go func() {
		options := generate.Options{
			Videos: demoVideos, Seed: demoSeed, TranscriptWords: demoWords, Material: true, Schools: demoSchools,
		}
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

  accounts  %[2]s (everything), %[3]s, %[4]s (less of it), %[5]s (the operator)
  clients   of the same names, with the secret %[6]s
  users     %[7]s of %[2]s, with the password %[6]s; they sign in through the client %[8]s
  GraphiQL  %[1]s/graphiql
  a video   %[1]s%[9]s plays it to the user above

Try it:

  TOKEN=$(curl -s %[1]s/v1/token -d grant_type=client_credentials -d client_id=%[2]s -d client_secret=%[6]s | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
  curl -s %[1]s/v1/ -H "Authorization: Bearer $TOKEN"
  curl -s "%[1]s/v1/videos?query=water&size=3" -H "Authorization: Bearer $TOKEN"
`, base, demoAccount, demoBasic, demoPlus, demoOperator, demoSecret, demoTeacher, demoWeb, s.demoVideo(ctx))
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
