package app

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/password"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/store"
)

// TestTheTeacherOutsideTheDemo verifies that outside demo mode no user can sign in with the public password of the
// demo, even if an operator has taken over parts of the demo.
func TestTheTeacherOutsideTheDemo(t *testing.T) {
	const own = "a password of one's own"
	removed := func(ctx context.Context, tx store.RegistryTx) error {
		return tx.Delete(ctx, account.EntityKey{Kind: account.KindClient, ID: demo.Account})
	}
	for _, test := range []struct {
		name, password string
		change         func(ctx context.Context, tx store.RegistryTx) error
		lets           bool
	}{
		{"the client with the secret is gone", demo.Secret, removed, false},
		{"the account is a customer's", demo.Secret, func(ctx context.Context, tx store.RegistryTx) error {
			return change(ctx, tx, account.KindAccount, demo.Account, func(of *account.Account) { of.Type = account.Standard })
		}, false},
		{"the password is another", own, func(ctx context.Context, tx store.RegistryTx) error {
			hash, err := password.Hash(ctx, own)
			if err != nil {
				return err
			}
			if err := removed(ctx, tx); err != nil {
				return err
			}
			return change(ctx, tx, account.KindUser, demo.TeacherID, func(of *account.User) { of.PasswordHash = hash })
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := openWith(t, "--data="+t.TempDir())
			if err := demo.AddAccounts(t.Context(), s.stores.Accounts, "http://127.0.0.1:8080"); err != nil {
				t.Fatal(err)
			}
			if err := s.stores.Accounts.Edit(t.Context(), account.Actor{Client: "test"}, test.change); err != nil {
				t.Fatal(err)
			}
			if err := s.identity.tokens.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			b := apptest.NewBrowser(t)
			b.Client.Transport = direct{s.handler}
			b.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			web := oauth2.Config{
				ClientID: demo.WebClient, RedirectURL: demo.RedirectURI, Endpoint: oauth2.Endpoint{AuthURL: "http://127.0.0.1:8080/v1/authorize"},
			}
			form, _ := b.Open(http.MethodGet, web.AuthCodeURL("here", oauth2.S256ChallengeOption(oauth2.GenerateVerifier())), nil)
			answer, page := b.Send(form, demo.Teacher, test.password)
			back, err := url.Parse(answer.Header.Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			if lets := back.Query().Has("code"); lets != test.lets || !lets && !bytes.Contains(page, []byte("password is wrong")) {
				t.Errorf("%s to %q: %s", answer.Status, back, page)
			}
		})
	}
}

// TestAuditLogOfTheDemo verifies that the audit log attributes the records of the demo to a name that no client can
// have.
func TestAuditLogOfTheDemo(t *testing.T) {
	s := openWith(t, "--demo", "--data="+t.TempDir())
	entries, err := s.stores.Accounts.Audit(t.Context(), store.AuditQuery{}, 0, 100)
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for _, entry := range entries {
		if faults := (&account.Client{ID: entry.Actor.Client, AccountID: demo.Account}).Validate(); faults == nil {
			t.Errorf("a client may be called %q, who added %s %s", entry.Actor.Client, entry.Key.Kind, entry.Key.ID)
		}
	}
}

// TestTheDemoHasSomeOfEveryKind verifies that the demo contains items of every kind, so that no list is empty.
func TestTheDemoHasSomeOfEveryKind(t *testing.T) {
	s := openWith(t, "--demo", "--data="+t.TempDir())
	if err := demo.FillCatalogue(t.Context(), s.catalogue); err != nil {
		t.Fatal(err)
	}
	directory, err := s.catalogue.Directory(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range catalogue.Kinds() {
		n := len(directory.ItemsOf(kind, "", 1))
		switch {
		case kind == catalogue.KindVideo:
			n, err = s.catalogue.CountVideos(t.Context())
		case kind.IsRecord():
			n, _, err = s.catalogue.CountOwnedItems(t.Context(), kind)
		}
		if err != nil || n == 0 {
			t.Errorf("the demo has no %s (%v)", kind, err)
		}
	}
}

// TestPastOfTheDemo verifies that a new demo has usage of its three customers in a hundred days, sealed months that bill
// the customers who are not in a sandbox, and searches with and without results; and that a restart adds nothing.
func TestPastOfTheDemo(t *testing.T) {
	s := openWith(t, "--demo", "--data="+t.TempDir())
	if err := s.fillDemo(t.Context()); err != nil || !await(t.Context(), s.caughtUp) {
		t.Fatal(err)
	}
	if err := s.addPast(t.Context()); err != nil {
		t.Fatal(err)
	}
	head, err := s.stores.Events.Head(t.Context())
	if err != nil || head < 18_000 {
		t.Fatalf("the log has %d events (%v)", head, err)
	}
	seals, err := s.stores.Usage.Seals(t.Context())
	if err != nil || len(seals) < 2 || len(seals) > 4 {
		t.Fatalf("the seals are %v (%v)", seals, err)
	}
	today := catalogue.DateOf(time.Now())
	found, err := s.stores.Queries.Report(t.Context(), store.SearchLogQuery{From: today - 110, To: today, Sandbox: true, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	searches, empty, clicks := int64(0), 0, int64(0)
	for _, row := range found {
		searches, clicks = searches+row.Searches, clicks+row.Clicks
		if row.Found != nil && *row.Found == 0 {
			empty++
		}
	}
	if searches < 1_000 || empty < 3 || empty > len(found)/2 || clicks == 0 {
		t.Errorf("%d searches for %d texts, of which %d found nothing, and %d clicks", searches, len(found), empty, clicks)
	}
	if err := s.addPast(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again, err := s.stores.Events.Head(t.Context()); again != head || err != nil {
		t.Errorf("a restart added %d events (%v)", again-head, err)
	}
}

// TestDemoOnOwnData verifies that a demo on an operator's own catalogue adds no collections, no usage and no seal.
func TestDemoOnOwnData(t *testing.T) {
	s := openWith(t, "--demo", "--data="+t.TempDir())
	fillGenerated(t, s.catalogue)
	if err := s.fillDemo(t.Context()); err != nil || !await(t.Context(), s.caughtUp) {
		t.Fatal(err)
	}
	if err := s.addPast(t.Context()); err != nil {
		t.Fatal(err)
	}
	if page := send(s, "GET", "/", "", "Accept", browserAccepts); page.Code != http.StatusOK || strings.Contains(page.Body.String(), "watch/") || !strings.Contains(page.Body.String(), demo.PlusAccount) {
		t.Errorf("the landing page shows videos that do not exist, or no accounts:\n%s", page.Body)
	}
	lists, listsErr := s.stores.Collections.Head(t.Context())
	events, eventsErr := s.stores.Events.Head(t.Context())
	seals, sealsErr := s.stores.Usage.Seals(t.Context())
	if err := errors.Join(listsErr, eventsErr, sealsErr); err != nil || lists > 0 || events > 0 || len(seals) > 0 {
		t.Errorf("the demo added %d changes of collections, %d events and %d seals (%v)", lists, events, len(seals), err)
	}
}

// TestReadinessOfADemo verifies that /readyz answers 503 until the content of a demo is complete.
func TestReadinessOfADemo(t *testing.T) {
	s := openWith(t, "--demo")
	for _, filling := range []bool{true, false} {
		s.filling.Store(filling)
		want := http.StatusOK
		if filling {
			want = http.StatusServiceUnavailable
		}
		if got := send(s, "GET", "/readyz", ""); got.Code != want || strings.Contains(got.Body.String(), "not complete yet") != filling {
			t.Errorf("filling is %v: got %d: %s", filling, got.Code, got.Body)
		}
	}
}

func change[R account.Entity](ctx context.Context, tx store.RegistryTx, kind account.Kind, id string, fn func(R)) error {
	record, err := tx.Entity(ctx, account.EntityKey{Kind: kind, ID: id})
	if err != nil {
		return err
	}
	fn(record.(R))
	return tx.Put(ctx, record)
}

// direct sends requests to a handler, without a listener.
type direct struct{ http.Handler }

// RoundTrip implements http.RoundTripper.
func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	request := httptest.NewRequestWithContext(r.Context(), r.Method, r.URL.String(), r.Body)
	request.Header = r.Header
	recorder := httptest.NewRecorder()
	d.ServeHTTP(recorder, request)
	answer := recorder.Result()
	answer.Request = r
	return answer, nil
}
