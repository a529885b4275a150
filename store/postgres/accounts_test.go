package postgres_test

import (
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/storetest"
)

// TestAccountsOfBefore: accounts of the release before are taken over with all they hold, and that release
// goes on beside this one.
func TestAccountsOfBefore(t *testing.T) {
	ctx, where := t.Context(), testservers.SharedPostgreSQL(t).URL
	migrateTo(t, where, 1)
	const (
		first = `'\x0100000000000000000000000000000000000000000000000000000000000000'`
		third = `'\x0300000000000000000000000000000000000000000000000000000000000000'`
		next  = `'\x0400000000000000000000000000000000000000000000000000000000000000'`
		grant = `INSERT INTO grants (hash, family, client_id, user_id, scope, expires, replaced) VALUES (`
		later = 4102444800000000
	)
	execute(t, where, `INSERT INTO keys (purpose, id, secret, created_at) VALUES ('signing', 'k', '\x01', 1)`,
		`UPDATE versions SET version = 7`, grant+first+`, 'f', 'c', 'u', 's', 4102444800000000, false)`)
	if _, err := postgres.Migrate(ctx, where); err != nil {
		t.Fatal(err)
	}
	a := open(t, where).Accounts()
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
	ends := time.UnixMicro(later).UTC()
	want := account.Grant{Hash: [32]byte{1}, Family: "f", ClientID: "c", User: "u", Scope: "s", Expires: ends}
	if got, err := a.Grant(ctx, want.Hash, time.Now()); err != nil || got != want {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	rotate := func(old, next byte, notBefore time.Time) error {
		_, _, err := a.RotateGrant(ctx, [32]byte{old}, "c", account.Grant{Hash: [32]byte{next}, IssuedAt: time.Now(), Expires: ends}, time.Now(), notBefore)
		return err
	}
	if err := rotate(1, 2, time.Unix(1, 0)); !errors.Is(err, account.ErrGrantUnknown) {
		t.Errorf("nobody knows when it was issued, and it outlives an instant: %v", err)
	}
	must(t, rotate(1, 2, time.Time{}))

	// The release before rotates what has a session, and adds a key.
	must(t, a.PutGrant(ctx, account.Grant{Hash: [32]byte{3}, Family: "g", ClientID: "c", User: "u", Session: "s", IssuedAt: time.Now(), Expires: ends}))
	execute(t, where, `UPDATE grants SET replaced = true WHERE hash = `+third, grant+next+`, 'g', 'c', 'u', 's', 4102444800000000, false)`,
		`UPDATE versions SET version = version + 1 WHERE one`)
	if now, err := a.RosterVersion(ctx); err != nil || now.Records != version.Records+1 {
		t.Errorf("a key that the release before adds takes the version from %+v to %+v (%v)", version, now, err)
	}
	must(t, a.DropGrants(ctx, account.Of{Session: "s"}))
	if err := rotate(4, 5, time.Time{}); !errors.Is(err, account.ErrGrantUnknown) {
		t.Errorf("a token of a session that has ended: %v", err)
	}
}

// migrateTo takes the first steps of the schema.
func migrateTo(t *testing.T, where string, version int64) {
	t.Helper()
	config, err := pgx.ParseConfig(where)
	must(t, err)
	handle := stdlib.OpenDB(*config)
	defer handle.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, handle, os.DirFS("migrations"), goose.WithTableName("filmstrip_migrations"))
	must(t, err)
	_, err = provider.UpTo(t.Context(), version)
	must(t, err)
}

// TestTrailBytes: no byte of the trail's rows is of a sum, a hash or a provider's secret.
func TestTrailBytes(t *testing.T) {
	where := emptyDatabase(t)
	secrets, err := storetest.EditSecrets(t.Context(), open(t, where).Accounts())
	must(t, err)
	trail := ask(t, where, `SELECT string_agg(trail::text, '') FROM trail`) // bytea are hexadecimal there
	if !strings.Contains(trail, hex.EncodeToString([]byte(`"Renamed"`))) {
		t.Fatalf("the trail is %q", trail)
	}
	for _, secret := range secrets {
		if strings.Contains(trail, hex.EncodeToString(secret)) {
			t.Errorf("the trail holds %q", secret)
		}
	}
}
