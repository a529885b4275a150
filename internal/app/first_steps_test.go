package app

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/store"
)

// TestFirstSteps verifies that a server without accounts says how to add one, where its data are, that a server without an
// owner says how to invite one, and that a server with both says neither.
func TestFirstSteps(t *testing.T) {
	data := t.TempDir()
	s := openWith(t, "--data="+data)
	settings := apptest.Must(parseSettings(t, "--data="+data))(t)
	var out bytes.Buffer
	s.announce(t.Context(), settings, &out)
	for _, part := range []string{"Filmstrip serves http://", "accounts create house --name \"Our own\" --operator --data " + data, "clients create console --account house --data " + data} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the output does not contain %q:\n%s", part, &out)
		}
	}
	err := s.stores.Accounts.Edit(t.Context(), account.Actor{Client: "test"}, func(ctx context.Context, tx store.RegistryTx) error {
		return tx.Put(ctx, &account.Account{ID: "house", Name: "Our own", Operator: true, Type: account.Standard, Status: account.Active, Environment: account.Live, Products: account.Products()})
	})
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	s.announce(t.Context(), settings, &out)
	if lines := strings.Split(out.String(), "\n"); len(lines) != 3 || !strings.Contains(lines[1], "filmstrip owner invite you@films.example --base-url http://") || !strings.HasSuffix(lines[1], " --data "+data) {
		t.Errorf("a server without an owner says:\n%s", &out)
	}
	err = s.stores.Accounts.Edit(t.Context(), account.Actor{Client: "test"}, func(ctx context.Context, tx store.RegistryTx) error {
		user := &account.User{ID: account.NewUserID(), AccountID: "house", Username: "ada"}
		return errors.Join(tx.Put(ctx, user), tx.Put(ctx, &account.StaffMember{ID: user.ID, AccountID: "house", Role: account.Owner}))
	})
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	s.announce(t.Context(), settings, &out)
	if strings.Count(out.String(), "\n") != 1 {
		t.Errorf("a server with an owner says:\n%s", &out)
	}
}
