package storetest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

var codeTests = map[string]func(o *accountsFixture){
	"a code is used once":                testRedeem,
	"rejected uses of a code":            testRedeemRefused,
	"a code used again revokes":          testCodeReuse,
	"a used code revokes past its end":   testLateCodeReuse,
	"one of many uses wins":              testRedeemTogether,
	"a code used again beside rotations": testCodeReuseBesideRotation,
}

// code returns a code that is valid for one minute from noon.
func code(token, family string) account.Code {
	return account.Code{
		Hash: hashOf("code " + token), ClientID: "client", RedirectURI: "https://learn.example/back?a=b", User: "user", Scope: "openid",
		Nonce: "nonce", Challenge: "challenge", Family: family, Session: "session", AuthTime: noon.Add(-time.Minute), Expires: noon.Add(time.Minute),
	}
}

func anyCode(account.Code) error { return nil }

// redeem redeems a code at noon. The refresh token is valid for one hour.
func (o *accountsFixture) redeem(token, next string) (account.Code, error) {
	return redeemAt(o, o.Accounts, token, next)
}

func redeemAt(o *accountsFixture, at store.SignIns, token, next string) (account.Code, error) {
	fresh := account.Grant{Hash: hashOf(next), Family: "mine", ClientID: "me", User: "me", IssuedAt: noon, Expires: noon.Add(time.Hour)}
	return at.RedeemCode(o.Context(), hashOf("code "+token), noon, fresh, anyCode)
}

func testRedeem(o *accountsFixture) {
	want := code("1", "family")
	o.must(o.PutCode(o.Context(), want))
	o.wantError("a second code with the hash", o.PutCode(o.Context(), want), fault.Conflict)
	got, err := o.redeem("1", "token")
	o.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		o.Error("the code (-want +got):\n", diff)
	}
	grant, err := o.Grant(o.Context(), hashOf("token"), noon)
	o.must(err)
	wantGrant := account.Grant{
		Hash: hashOf("token"), Family: "family", ClientID: "client", User: "user", Scope: "openid",
		IssuedAt: noon, Expires: noon.Add(time.Hour), Session: "session", AuthTime: want.AuthTime,
	}
	if diff := cmp.Diff(wantGrant, grant); diff != "" {
		o.Error("the grant (-want +got):\n", diff)
	}
	bare := account.Code{Hash: hashOf("code bare"), ClientID: "client", Family: "f", Expires: noon.Add(time.Minute)}
	o.must(o.PutCode(o.Context(), bare))
	if got, err := o.redeem("bare", "token 2"); err != nil || got != bare {
		o.Errorf("got %+v (%v), want %+v", got, err, bare)
	}
}

func testRedeemRefused(o *accountsFixture) {
	late := code("late", "f1")
	late.Expires = noon
	o.must(o.PutCode(o.Context(), late))
	o.must(o.PutCode(o.Context(), code("good", "f2")))
	for _, token := range []string{"unknown", "late"} {
		if got, err := o.redeem(token, "never"); !errors.Is(err, account.ErrCodeUnknown) || got != (account.Code{}) {
			o.Errorf("%s: got %+v (%v)", token, got, err)
		}
	}
	redeemRejected := func() error {
		_, err := o.RedeemCode(o.Context(), hashOf("code good"), noon, grant("never", ""), func(seen account.Code) error {
			if seen != code("good", "f2") {
				o.Errorf("check was called with %+v", seen)
			}
			return errPlanned
		})
		return err
	}
	if err := redeemRejected(); !errors.Is(err, errPlanned) {
		o.Errorf("a rejected code: %v", err)
	}
	if _, err := o.Grant(o.Context(), hashOf("never"), noon); !errors.Is(err, store.ErrGrantUnknown) {
		o.Errorf("a rejected code issued a token (%v)", err)
	}
	if _, err := o.redeem("good", "1"); err != nil {
		o.Errorf("after a rejection: %v", err)
	}
	if err := redeemRejected(); !errors.Is(err, errPlanned) {
		o.Errorf("a used code that is rejected: %v", err)
	}
	if _, err := o.Grant(o.Context(), hashOf("1"), noon); err != nil {
		o.Errorf("a client that may not use a code has revoked its tokens (%v)", err)
	}
}

func testCodeReuse(o *accountsFixture) {
	want := code("1", "family")
	o.must(o.PutCode(o.Context(), want))
	o.must(o.PutGrant(o.Context(), grant("other", "another family")))
	_, err := o.redeem("1", "a")
	o.must(err)
	_, err = o.rotate("a", "b", noon)
	o.must(err)
	for range 2 {
		if got, err := o.redeem("1", "c"); !errors.Is(err, account.ErrCodeReused) || got != want {
			o.Errorf("got %+v (%v)", got, err)
		}
	}
	for _, token := range []string{"a", "b", "c"} {
		o.wantRotateError(token, store.ErrGrantUnknown)
	}
	if _, err := o.rotate("other", "other 2", noon); err != nil {
		o.Errorf("the other family: %v", err)
	}
}

// testLateCodeReuse checks that a used code is remembered while a token that it issued is valid, and that its reuse
// revokes that token.
func testLateCodeReuse(o *accountsFixture) {
	for _, token := range []string{"1", "2"} {
		o.must(o.PutCode(o.Context(), code(token, "family "+token)))
		_, err := o.redeem(token, "of "+token)
		o.must(err)
	}
	late := func(token string, now time.Time) error {
		fresh := account.Grant{Hash: hashOf("never"), IssuedAt: now, Expires: now.Add(time.Hour)}
		_, err := o.RedeemCode(o.Context(), hashOf("code "+token), now, fresh, anyCode)
		return err
	}
	o.must(o.Sweep(o.Context(), noon.Add(time.Hour)))
	if err := late("1", noon.Add(time.Hour-time.Microsecond)); !errors.Is(err, account.ErrCodeReused) {
		o.Errorf("before its token expires: %v", err)
	}
	o.wantRotateError("of 1", store.ErrGrantUnknown)
	o.must(o.Sweep(o.Context(), noon.Add(time.Hour+time.Microsecond)))
	if err := late("2", noon.Add(2*time.Hour)); !errors.Is(err, account.ErrCodeUnknown) {
		o.Errorf("after its token has expired: %v", err)
	}
}

// testRedeemTogether checks concurrent uses of one code in two processes. One use succeeds. The others are reuse and
// revoke the token that the first use issued.
func testRedeemTogether(o *accountsFixture) {
	others := []store.Accounts{o.Accounts, o.openAnother()}
	for round := range 5 {
		token := fmt.Sprint("code ", round)
		o.must(o.PutCode(o.Context(), code(token, fmt.Sprint("family ", round))))
		next := func(i int) string { return fmt.Sprint(round, " next ", i) }
		var won, reused atomic.Int32
		together(8, func(i int) {
			switch _, err := redeemAt(o, others[i%2], token, next(i)); {
			case err == nil:
				won.Add(1)
			case errors.Is(err, account.ErrCodeReused):
				reused.Add(1)
			default:
				o.Error(err)
			}
		})
		if won.Load() != 1 || reused.Load() != 7 {
			o.Errorf("%d won, %d were reuse", won.Load(), reused.Load())
		}
		for i := range 8 {
			o.wantRotateError(next(i), store.ErrGrantUnknown)
		}
	}
}

// testCodeReuseBesideRotation checks that reuse of a code during the rotation of its token also revokes the
// replacement.
func testCodeReuseBesideRotation(o *accountsFixture) {
	other := o.openAnother()
	for round := range 10 {
		token := func(n int) string { return fmt.Sprint(round, ".", n) }
		o.must(o.PutCode(o.Context(), code(token(0), fmt.Sprint("family ", round))))
		_, err := o.redeem(token(0), token(1))
		o.must(err)
		together(2, func(i int) {
			if i == 0 {
				if _, err := redeemAt(o, other, token(0), token(9)); !errors.Is(err, account.ErrCodeReused) {
					o.Error(err)
				}
			} else if _, err := o.rotate(token(1), token(2), noon); err != nil && !errors.Is(err, store.ErrGrantUnknown) {
				o.Error(err)
			}
		})
		o.wantRotateError(token(1), store.ErrGrantUnknown)
		o.wantRotateError(token(2), store.ErrGrantUnknown)
	}
}
