package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// TestAnyText checks that the store keeps every text that the port accepts unchanged, although PostgreSQL texts cannot
// contain U+0000 or invalid UTF-8, and that a lookup of a text that cannot be stored finds nothing.
func TestAnyText(t *testing.T) {
	d := open(t, emptyDatabase(t))
	c, a := d.Catalogue(), d.Accounts()
	ctx := t.Context()
	const odd = "a\x00b\xff\u00e9"
	v := video(1)
	v.Source, v.Reference = odd, "r\x00"
	must(t, put(ctx, c, append(directory(), v)))
	read, err := c.Videos(ctx, []catalogue.ID{"\x00", v.ID, "\xff"})
	if err != nil || len(read) != 1 || read[0].Source != odd || read[0].Reference != "r\x00" {
		t.Errorf("got %d videos (%v)", len(read), err)
	}
	err = c.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		ids, err := tx.Of(ctx, catalogue.KindVideo, odd, "", 10)
		if err != nil || len(ids) != 1 {
			t.Errorf("of the source there are %v (%v)", ids, err)
		}
		ids, err = tx.Of(ctx, catalogue.KindVideo, "a\x00", "", 10)
		if len(ids) > 0 {
			t.Errorf("of another source there are %v", ids)
		}
		broken := video(2)
		broken.Title, broken.LegacyID = "\x00", "1\x00"
		outcomes, errPut := tx.Put(ctx, []catalogue.Item{broken, &catalogue.Tag{Meta: catalogue.Meta{ID: "\x00"}, Label: "\x00"}, video(3)})
		if errPut != nil || outcomes[0].Status != store.Rejected || outcomes[1].Status != store.Rejected || outcomes[2].Status != store.Added {
			t.Errorf("got %+v (%v)", outcomes, errPut)
		}
		return err
	})
	must(t, err)
	if ids, err := c.Aliases(ctx, []string{"1\x00", "\xff"}); err != nil || len(ids) > 0 {
		t.Errorf("got %v (%v)", ids, err)
	}
	must(t, c.Attest(ctx, odd, 1))
	if known, err := c.Attested(ctx, odd, 1); err != nil || !known {
		t.Errorf("the token is known: %t (%v)", known, err)
	}
	must(t, a.Revoke(ctx, []string{odd}, time.Now()))
	grant := store.Grant{Hash: [32]byte{1}, Family: odd, ClientID: odd, User: odd, Scope: odd, Expires: time.Now().Add(time.Hour)}
	must(t, a.PutGrant(ctx, grant))
	got, _, err := a.RotateGrant(ctx, grant.Hash, odd, store.Grant{Hash: [32]byte{2}, Expires: grant.Expires}, time.Now(), time.Time{})
	if err != nil || got.User != odd || got.Scope != odd || got.Family != odd {
		t.Errorf("got %+v (%v)", got, err)
	}
}
