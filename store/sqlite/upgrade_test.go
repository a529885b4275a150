package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store/storetest"
)

// TestAccountsOfBefore: accounts of the release before are taken over with all they hold, and that release
// goes on beside this one.
func TestAccountsOfBefore(t *testing.T) {
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "accounts.db")
	first, err := migrations.ReadFile("migrations/accounts/00001_accounts.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrate(ctx, file, fstest.MapFS{"00001_accounts.sql": {Data: first}}, settingsOf(nil)); err != nil {
		t.Fatal(err)
	}
	before := openBefore(t, file)
	before.do("INSERT INTO keys (purpose, id, secret, created_at) VALUES ('signing', 'k', x'01', 1)")
	before.do("UPDATE versions SET version = 7")
	before.do("INSERT INTO grants (hash, family, client_id, user_id, scope, expires, replaced) VALUES (?, 'f', 'c', 'u', 's', ?, 0)", hash(1), micros(later))

	a, err := OpenAccounts(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if keys, err := a.Keys(ctx, "signing"); err != nil || len(keys) != 1 {
		t.Errorf("%d keys (%v)", len(keys), err)
	}
	version, err := a.RosterVersion(ctx)
	if err != nil || version.Records <= 7 {
		t.Errorf("the version is %+v (%v)", version, err)
	}
	if tiers, err := a.Records(ctx, account.KindTier, "", "", 10); err != nil || len(tiers) != len(account.BuiltInTiers()) {
		t.Errorf("%d tiers (%v)", len(tiers), err)
	}
	want := account.Grant{Hash: [32]byte(hash(1)), Family: "f", ClientID: "c", User: "u", Scope: "s", Expires: later}
	if got, err := a.Grant(ctx, want.Hash, time.Now()); err != nil || got != want {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	if err := rotate(ctx, a, 1, 2, time.Unix(1, 0)); !errors.Is(err, account.ErrGrantUnknown) {
		t.Errorf("nobody knows when it was issued, and it outlives an instant: %v", err)
	}
	if err := rotate(ctx, a, 1, 2, time.Time{}); err != nil {
		t.Error(err)
	}

	// The release before rotates what has a session.
	started := account.Grant{Hash: [32]byte(hash(3)), Family: "g", ClientID: "c", User: "u", Session: "s", IssuedAt: time.Now(), Expires: later}
	if err := a.PutGrant(ctx, started); err != nil {
		t.Fatal(err)
	}
	before.do("UPDATE grants SET replaced = 1 WHERE hash = ?", hash(3))
	before.do("INSERT INTO grants (hash, family, client_id, user_id, scope, expires, replaced) VALUES (?, 'g', 'c', 'u', 's', ?, 0)", hash(4), micros(later))
	before.do("UPDATE versions SET version = version + 1 WHERE one = 1")
	if now, err := a.RosterVersion(ctx); err != nil || now.Records != version.Records+1 {
		t.Errorf("a key that the release before adds takes the version from %+v to %+v (%v)", version, now, err)
	}
	if err := a.DropGrants(ctx, account.Of{Session: "s"}); err != nil {
		t.Fatal(err)
	}
	if err := rotate(ctx, a, 4, 5, time.Time{}); !errors.Is(err, account.ErrGrantUnknown) {
		t.Errorf("a token of a session that has ended: %v", err)
	}
}

var later = time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)

// hash is that of a token by its number.
func hash(n byte) []byte {
	sum := [32]byte{n}
	return sum[:]
}

func rotate(ctx context.Context, a *Accounts, old, next byte, notBefore time.Time) error {
	_, _, err := a.RotateGrant(ctx, [32]byte(hash(old)), "c", account.Grant{Hash: [32]byte(hash(next)), IssuedAt: time.Now(), Expires: later}, time.Now(), notBefore)
	return err
}

// releaseBefore writes to a file as the release before does.
type releaseBefore struct {
	*testing.T
	handle *sql.DB
}

func openBefore(t *testing.T, file string) releaseBefore {
	t.Helper()
	handle, err := sql.Open("sqlite", address(file, busyTimeout(time.Second)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = handle.Close() })
	return releaseBefore{t, handle}
}

func (r releaseBefore) do(statement string, args ...any) {
	r.Helper()
	if _, err := r.handle.ExecContext(r.Context(), statement, args...); err != nil {
		r.Fatal(err)
	}
}

// TestTrailBytes: no byte of the trail's rows is of a sum, a hash or a provider's secret.
func TestTrailBytes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "accounts.db")
	a, err := OpenAccounts(t.Context(), file, WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	secrets, err := storetest.EditSecrets(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	var raw []byte
	rows, err := openBefore(t, file).handle.QueryContext(t.Context(), "SELECT CAST(before AS BLOB), CAST(after AS BLOB), client || user || kind || id || owner FROM trail")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var before, after, others []byte
		if err := rows.Scan(&before, &after, &others); err != nil {
			t.Fatal(err)
		}
		raw = slices.Concat(raw, before, after, others)
	}
	if len(raw) == 0 || rows.Err() != nil {
		t.Fatalf("the trail has %d bytes (%v)", len(raw), rows.Err())
	}
	for _, secret := range secrets {
		if bytes.Contains(raw, secret) {
			t.Errorf("the trail holds %q", secret)
		}
	}
}
