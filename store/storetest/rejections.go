package storetest

import (
	"context"
	"fmt"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

var rejectionTests = map[string]func(o *accountsFixture){
	"records that are rejected":          testRecordsRefused,
	"needed records stay":                testDeleteLinked,
	"an edit that fails changes nothing": testEditFails,
}

func testRecordsRefused(o *accountsFixture) {
	o.must(o.put(customer("one"), contentPackage("p", "Name"), person(1, "one")))
	before := o.everything()
	unlinked := customer("two")
	unlinked.Tier, unlinked.ContentPackage = "gone", "gone"
	faulty := customer("three")
	faulty.Name, faulty.Status = "", "ODD"
	double := person(2, "one")
	double.Username = "USER1"
	for name, step := range map[string]struct {
		record account.Entity
		code   fault.Code
		faults int
	}{
		"links that lead nowhere":   {unlinked, fault.Invalid, 2},
		"faults":                    {faulty, fault.Invalid, 2},
		"a client without account":  {secretClient("c", "gone"), fault.Invalid, 1},
		"a package's name, folded":  {contentPackage("q", "NAME"), fault.Conflict, 0},
		"a user's name of the same": {double, fault.Conflict, 0},
	} {
		err := o.put(customer("four"), step.record)
		o.wantError(name, err, step.code)
		if got := reasonsOf(err); len(got) != step.faults {
			o.Errorf("%s: the reasons are %q", name, got)
		}
	}
	o.wantError("deleting nothing", o.drop(account.KindTier, "gone"), fault.NotFound)
	if diff := cmp.Diff(before, o.everything()); diff != "" {
		o.Error("(-want +got):\n", diff)
	}
	double.Username = "USER2"
	o.must(o.put(double))
}

func testDeleteLinked(o *accountsFixture) {
	limited := customer("one")
	limited.ContentPackage = "p"
	o.must(o.put(contentPackage("p", "p"), limited, secretClient("c", "one"), person(1, "one")))
	for _, key := range []account.EntityKey{{Kind: account.KindTier, ID: "plus"}, {Kind: account.KindContentPackage, ID: "p"}, {Kind: account.KindAccount, ID: "one"}} {
		o.wantError(fmt.Sprint(key), o.drop(key.Kind, key.ID), fault.Conflict)
	}
	limited = customer("one")
	limited.Tier = "basic"
	o.must(o.put(limited))
	o.must(o.drop(account.KindContentPackage, "p"))
	o.must(o.drop(account.KindTier, "plus"))
	o.must(o.drop(account.KindClient, "c"))
	o.wantError("an account with a user", o.drop(account.KindAccount, "one"), fault.Conflict)
	o.must(o.drop(account.KindUser, person(1, "").ID))
	o.must(o.drop(account.KindAccount, "one"))
	o.must(o.drop(account.KindTier, "basic"))
}

func testEditFails(o *accountsFixture) {
	before, version := o.everything(), o.version()
	var left store.RegistryTx
	err := o.Edit(o.Context(), me, func(ctx context.Context, tx store.RegistryTx) error {
		left = tx
		o.must(tx.Put(ctx, customer("one")))
		if got, err := tx.Entity(ctx, customer("one").Key()); err != nil || got == nil {
			o.Errorf("the transaction sees %v (%v)", got, err)
		}
		o.must(tx.Put(ctx, person(1, "one")))
		if got, err := tx.EntitiesOf(ctx, account.KindUser, []string{"one", "two"}, "", 10); err != nil || len(got) != 1 {
			o.Errorf("the transaction sees %v of the account (%v)", got, err)
		}
		return errPlanned
	})
	if err != errPlanned {
		o.Errorf("got %v", err)
	}
	err = o.Edit(o.Context(), me, func(ctx context.Context, tx store.RegistryTx) error {
		o.must(tx.Put(ctx, customer("one")))
		if err := tx.Delete(ctx, customer("gone").Key()); err == nil {
			o.Error("a missing record was deleted")
		}
		return nil
	})
	o.wantError("an error that the edit ignores", err, fault.NotFound)
	if err := left.Put(o.Context(), customer("late")); err == nil {
		o.Error("an ended transaction accepts records")
	}
	entries, err := o.Audit(o.Context(), store.AuditQuery{}, 0, 10)
	if diff := cmp.Diff(before, o.everything()); diff != "" || err != nil || len(entries) > 0 || o.version() != version {
		o.Errorf("version %+v after %+v, %d entries (%v); records (-want +got):\n%s", o.version(), version, len(entries), err, diff)
	}
}

func reasonsOf(err error) []string {
	known, ok := err.(*fault.Error)
	if !ok {
		return nil
	}
	return known.Reasons
}
