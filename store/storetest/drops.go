package storetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
)

var dropTests = map[string]func(o *accountsFixture){
	"grants are dropped by each part":  testDropGrants,
	"an empty filter drops nothing":    testDropNothing,
	"a drop leaves no rotation behind": testDropBesideRotation,
	"a drop leaves no code behind":     testDropBesideRedeem,
}

// parts returns filters for one grant or code, by each of its parts.
func parts(n int) map[string]account.GrantFilter {
	return map[string]account.GrantFilter{
		"family": {Family: fmt.Sprint("family ", n)}, "session": {Session: fmt.Sprint("session ", n)},
		"user": {User: fmt.Sprint("user ", n)}, "client": {Client: fmt.Sprint("client ", n)},
	}
}

// ownGrant returns a grant that shares no part with grants of other numbers.
func ownGrant(n int) store.Grant {
	own := grant(fmt.Sprint("token ", n), fmt.Sprint("family ", n))
	own.Session, own.User, own.ClientID = fmt.Sprint("session ", n), fmt.Sprint("user ", n), fmt.Sprint("client ", n)
	return own
}

func ownCode(n int) account.Code {
	own := code(fmt.Sprint(n), fmt.Sprint("family ", n))
	own.Session, own.User, own.ClientID = fmt.Sprint("session ", n), fmt.Sprint("user ", n), fmt.Sprint("client ", n)
	return own
}

// rotateOwn replaces the token of ownGrant.
func (o *accountsFixture) rotateOwn(at store.SignIns, n int, old, next string) error {
	_, _, err := at.RotateGrant(o.Context(), hashOf(old), fmt.Sprint("client ", n),
		store.Grant{Hash: hashOf(next), IssuedAt: noon, Expires: noon.Add(time.Hour)}, noon, time.Time{})
	return err
}

// wantUnknown checks that a token is unknown, also as a replaced token.
func (o *accountsFixture) wantUnknown(n int, token string) {
	o.Helper()
	if err := o.rotateOwn(o.Accounts, n, token, "never "+token); !errors.Is(err, store.ErrGrantUnknown) {
		o.Errorf("%s exists: %v", token, err)
	}
}

func testDropGrants(o *accountsFixture) {
	n := 0
	for part := range parts(0) {
		n += 2
		for _, own := range []int{n, n + 1} {
			o.must(o.PutGrant(o.Context(), ownGrant(own)))
			o.must(o.rotateOwn(o.Accounts, own, fmt.Sprint("token ", own), fmt.Sprint("next ", own)))
			o.must(o.PutCode(o.Context(), ownCode(own)))
		}
		o.must(o.DropGrants(o.Context(), parts(n)[part]))
		o.wantUnknown(n, fmt.Sprint("token ", n))
		o.wantUnknown(n, fmt.Sprint("next ", n))
		if _, err := o.redeem(fmt.Sprint(n), fmt.Sprint("of code ", n)); !errors.Is(err, account.ErrCodeUnknown) {
			o.Errorf("%s: the code exists: %v", part, err)
		}
		if err := o.rotateOwn(o.Accounts, n+1, fmt.Sprint("next ", n+1), fmt.Sprint("last ", n+1)); err != nil {
			o.Errorf("%s: the other's token: %v", part, err)
		}
		if _, err := o.redeem(fmt.Sprint(n+1), fmt.Sprint("of code ", n+1)); err != nil {
			o.Errorf("%s: the other's code: %v", part, err)
		}
	}
}

// testDropNothing checks that an empty session or user in a filter does not drop grants that have no session or user.
func testDropNothing(o *accountsFixture) {
	o.must(o.PutGrant(o.Context(), store.Grant{Hash: hashOf("bare"), ClientID: "client 1", Expires: noon.Add(time.Hour)}))
	o.must(o.PutSession(o.Context(), browser("b", "")))
	for _, of := range []account.GrantFilter{{}, {Session: "session 1"}, {User: "user 1"}, {Client: "client 2"}, {Family: "family 1"}} {
		o.must(o.DropGrants(o.Context(), of))
	}
	o.must(o.DropSessions(o.Context(), "", ""))
	o.must(o.rotateOwn(o.Accounts, 1, "bare", "next"))
	if found, err := o.Session(o.Context(), hashOf("b"), noon); err != nil || found == nil {
		o.Errorf("the session is %v (%v)", found, err)
	}
}

// testDropBesideRotation checks that a concurrent rotation in another process leaves no token behind, whichever filter
// drops the grants.
func testDropBesideRotation(o *accountsFixture) {
	other := o.openAnother()
	n := 0
	for range 5 {
		for part := range parts(0) {
			n++
			o.must(o.PutGrant(o.Context(), ownGrant(n)))
			token, next := fmt.Sprint("token ", n), fmt.Sprint("next ", n)
			together(2, func(i int) {
				if i == 0 {
					if err := o.DropGrants(o.Context(), parts(n)[part]); err != nil {
						o.Error(err)
					}
				} else if err := o.rotateOwn(other, n, token, next); err != nil && !errors.Is(err, store.ErrGrantUnknown) {
					o.Error(err)
				}
			})
			o.wantUnknown(n, token)
			o.wantUnknown(n, next)
		}
	}
}

// testDropBesideRedeem is testDropBesideRotation for a code that is being redeemed.
func testDropBesideRedeem(o *accountsFixture) {
	other := o.openAnother()
	n := 0
	for range 5 {
		for part := range parts(0) {
			n++
			o.must(o.PutCode(o.Context(), ownCode(n)))
			next := fmt.Sprint("next ", n)
			together(2, func(i int) {
				if i == 0 {
					if err := o.DropGrants(o.Context(), parts(n)[part]); err != nil {
						o.Error(err)
					}
				} else if _, err := redeemAt(o, other, fmt.Sprint(n), next); err != nil && !errors.Is(err, account.ErrCodeUnknown) {
					o.Error(err)
				}
			})
			o.wantUnknown(n, next)
		}
	}
}
