package storetest

import (
	std "cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

var grantTests = map[string]func(o *accountsFixture){
	"a token rotates":                 testRotate,
	"a token is read":                 testGrant,
	"rejected rotations":              testRotateRefused,
	"no token older than an instant":  testNotBefore,
	"reuse revokes the family":        testReuse,
	"one of many rotations wins":      testRotateTogether,
	"reuse beside a rotation revokes": testReuseBesideRotation,
	"expired tokens are swept":        testSweepGrants,
	"late reuse revokes the family":   testLateReuse,
	"a repeated rotation":             testRepeat,
	"when a repetition is reuse":      testNoRepeat,
	"rotations to one successor":      testRepeatTogether,
}

func hashOf(token string) [32]byte { return sha256.Sum256([]byte(token)) }

// grant returns the grant of a token, which is valid until one hour after noon.
func grant(token, family string) store.Grant {
	return store.Grant{
		Hash: hashOf(token), Family: family, ClientID: "client", User: "user", Scope: "profile email",
		IssuedAt: noon.Add(-time.Minute), Expires: noon.Add(time.Hour),
		Session: "session", AuthTime: noon.Add(-2 * time.Minute),
	}
}

func (o *accountsFixture) rotate(old, next string, now time.Time) (store.Grant, error) {
	got, _, err := o.RotateGrant(o.Context(), hashOf(old), "client", successorOf(next, now), now, time.Time{})
	return got, err
}

// successorOf returns a token that replaces another, with fields that the rotation uses and fields that it must ignore.
func successorOf(next string, now time.Time) store.Grant {
	return store.Grant{
		Hash: hashOf(next), Family: "mine", ClientID: "me", User: "me", Scope: "all", Session: "mine",
		IssuedAt: now, Expires: now.Add(time.Hour),
	}
}

// wantRotateError checks that a rotation fails with want.
func (o *accountsFixture) wantRotateError(old string, want error) {
	o.Helper()
	got, err := o.rotate(old, "never-"+old, noon)
	if !errors.Is(err, want) || (got.Hash == hashOf(old)) != errors.Is(want, store.ErrGrantReused) {
		o.Errorf("%s: got %v, %v, want %v", old, got, err, want)
	}
}

func testRotate(o *accountsFixture) {
	first := grant("1", "family")
	o.must(o.PutGrant(o.Context(), first))
	got, err := o.rotate("1", "2", noon.Add(time.Minute))
	o.must(err)
	if diff := cmp.Diff(first, got); diff != "" {
		o.Error("the first (-want +got):\n", diff)
	}
	got, err = o.rotate("2", "3", noon.Add(2*time.Minute))
	o.must(err)
	want := first
	want.Hash, want.IssuedAt, want.Expires = hashOf("2"), noon.Add(time.Minute), noon.Add(time.Hour+time.Minute)
	if diff := cmp.Diff(want, got); diff != "" {
		o.Error("its successor (-want +got):\n", diff)
	}
}

func testGrant(o *accountsFixture) {
	first := grant("1", "family")
	o.must(o.PutGrant(o.Context(), first))
	o.wantError("a second token with the hash", o.PutGrant(o.Context(), first), fault.Conflict)
	if got, err := o.Grant(o.Context(), hashOf("1"), noon); err != nil || got != first {
		o.Errorf("got %+v (%v), want %+v", got, err, first)
	}
	_, err := o.rotate("1", "2", noon)
	o.must(err)
	for token, now := range map[string]time.Time{"1": noon, "2": noon.Add(time.Hour), "3": noon} {
		if got, err := o.Grant(o.Context(), hashOf(token), now); !errors.Is(err, store.ErrGrantUnknown) || got != (store.Grant{}) {
			o.Errorf("%s: got %+v (%v)", token, got, err)
		}
	}
	if _, err := o.Grant(o.Context(), hashOf("2"), noon.Add(time.Hour-time.Microsecond)); err != nil {
		o.Error(err)
	}
	bare := store.Grant{Hash: hashOf("bare"), Family: "f", ClientID: "client", Expires: noon.Add(time.Hour)}
	o.must(o.PutGrant(o.Context(), bare))
	if got, err := o.Grant(o.Context(), bare.Hash, noon); err != nil || got != bare {
		o.Errorf("got %+v (%v), want %+v", got, err, bare)
	}
}

// testNotBefore checks that the instant invalidates tokens that were issued before it, and that reuse is still
// detected.
func testNotBefore(o *accountsFixture) {
	o.must(o.PutGrant(o.Context(), grant("1", "family")))
	issued := grant("", "").IssuedAt
	rotate := func(old, next string, notBefore time.Time) error {
		_, _, err := o.RotateGrant(o.Context(), hashOf(old), "client", store.Grant{
			Hash: hashOf(next), IssuedAt: noon, Expires: noon.Add(time.Hour),
		}, noon, notBefore)
		return err
	}
	if err := rotate("1", "2", issued.Add(time.Microsecond)); !errors.Is(err, store.ErrGrantUnknown) {
		o.Errorf("of before the instant: %v", err)
	}
	if err := rotate("1", "2", issued); err != nil {
		o.Errorf("of exactly the instant: %v", err)
	}
	if err := rotate("1", "3", noon); !errors.Is(err, store.ErrGrantReused) {
		o.Errorf("reuse of an old one: %v", err)
	}
	o.wantRotateError("2", store.ErrGrantUnknown)
}

func testRotateRefused(o *accountsFixture) {
	foreign, late := grant("foreign", "f1"), grant("late", "f2")
	foreign.ClientID, late.Expires = "another", noon
	o.must(o.PutGrant(o.Context(), foreign))
	o.must(o.PutGrant(o.Context(), late))
	for _, token := range []string{"unknown", "foreign", "late"} {
		o.wantRotateError(token, store.ErrGrantUnknown)
		o.wantRotateError("never-"+token, store.ErrGrantUnknown)
	}
	if _, err := o.rotate("late", "in time", noon.Add(-time.Microsecond)); err != nil {
		o.Errorf("a microsecond before its end: %v", err)
	}
	if _, _, err := o.RotateGrant(o.Context(), hashOf("foreign"), "another", grant("x", ""), noon, time.Time{}); err != nil {
		o.Errorf("the other client's own: %v", err)
	}
}

func testReuse(o *accountsFixture) {
	o.must(o.PutGrant(o.Context(), grant("1", "family")))
	o.must(o.PutGrant(o.Context(), grant("other", "another family")))
	for _, step := range [][2]string{{"1", "2"}, {"2", "3"}} {
		_, err := o.rotate(step[0], step[1], noon)
		o.must(err)
	}
	o.wantRotateError("1", store.ErrGrantReused)
	for _, token := range []string{"1", "2", "3"} {
		o.wantRotateError(token, store.ErrGrantUnknown)
	}
	if _, err := o.rotate("other", "other 2", noon); err != nil {
		o.Errorf("the other family: %v", err)
	}
}

// testRotateTogether checks concurrent rotations of one token. One succeeds. The next is reuse and revokes the token
// that the first issued.
func testRotateTogether(o *accountsFixture) {
	o.must(o.PutGrant(o.Context(), grant("1", "family")))
	var won, reused, unknown atomic.Int32
	together(6, func(i int) {
		switch _, err := o.rotate("1", fmt.Sprint("next ", i), noon); {
		case err == nil:
			won.Add(1)
		case errors.Is(err, store.ErrGrantReused):
			reused.Add(1)
		case errors.Is(err, store.ErrGrantUnknown):
			unknown.Add(1)
		default:
			o.Error(err)
		}
	})
	if won.Load() != 1 || reused.Load() != 1 || unknown.Load() != 4 {
		o.Errorf("%d won, %d were reuse, %d unknown", won.Load(), reused.Load(), unknown.Load())
	}
	for i := range 6 {
		o.wantRotateError(fmt.Sprint("next ", i), store.ErrGrantUnknown)
	}
}

// testReuseBesideRotation checks that reuse detected during the rotation of the family's newest token also revokes the
// replacement.
func testReuseBesideRotation(o *accountsFixture) {
	for round := range 10 {
		token := func(n int) string { return fmt.Sprint(round, ".", n) }
		o.must(o.PutGrant(o.Context(), grant(token(1), fmt.Sprint("family ", round))))
		_, err := o.rotate(token(1), token(2), noon)
		o.must(err)
		together(2, func(i int) {
			if i == 0 {
				o.wantRotateError(token(1), store.ErrGrantReused)
			} else if _, err := o.rotate(token(2), token(3), noon); err != nil && !errors.Is(err, store.ErrGrantUnknown) {
				o.Error(err)
			}
		})
		o.wantRotateError(token(2), store.ErrGrantUnknown)
		o.wantRotateError(token(3), store.ErrGrantUnknown)
	}
}

// testSweepGrants checks that a replaced token is remembered while any token of its family is valid, so that its reuse
// revokes that token.
func testSweepGrants(o *accountsFixture) {
	family := func(first string) {
		o.must(o.PutGrant(o.Context(), grant(first+"1", "family "+first)))
		for n := range 2 {
			_, err := o.rotate(fmt.Sprint(first, n+1), fmt.Sprint(first, n+2), noon.Add(time.Duration(n+1)*time.Minute))
			o.must(err)
		}
	}
	for _, first := range []string{"a", "b", "c"} {
		family(first)
	}
	o.must(o.Sweep(o.Context(), noon.Add(time.Hour+2*time.Minute))) // when the third token of each family expires
	o.wantReuse("a1", noon.Add(time.Hour+time.Minute))
	o.wantRotateError("a3", store.ErrGrantUnknown)
	if _, err := o.rotate("b3", "b4", noon.Add(time.Hour)); err != nil {
		o.Errorf("the newest of its family: %v", err)
	}
	o.must(o.Sweep(o.Context(), noon.Add(time.Hour+2*time.Minute+time.Microsecond)))
	o.wantRotateError("c1", store.ErrGrantUnknown)
	o.wantRotateError("c3", store.ErrGrantUnknown)
	o.wantReuse("b2", noon.Add(90*time.Minute))
	o.wantRotateError("b4", store.ErrGrantUnknown)
}

// wantReuse checks that a rotation at a given time is detected as reuse.
func (o *accountsFixture) wantReuse(old string, now time.Time) {
	o.Helper()
	if _, err := o.rotate(old, "never-"+old, now); !errors.Is(err, store.ErrGrantReused) {
		o.Errorf("%s: %v, want its reuse to be seen", old, err)
	}
}

// testLateReuse checks that reuse of a replaced token after its expiry revokes its family like any other reuse.
func testLateReuse(o *accountsFixture) {
	o.must(o.PutGrant(o.Context(), grant("1", "family")))
	_, err := o.rotate("1", "2", noon.Add(30*time.Minute))
	o.must(err)
	late := noon.Add(time.Hour)
	o.must(o.Sweep(o.Context(), late))
	o.wantReuse("1", late)
	if _, err := o.rotate("2", "3", late); !errors.Is(err, store.ErrGrantUnknown) {
		o.Errorf("its successor: %v", err)
	}
}

// testRepeat checks that a rotation that is repeated in time returns the same successor and changes nothing.
func testRepeat(o *accountsFixture) {
	first := grant("1", "family")
	o.must(o.PutGrant(o.Context(), first))
	want := first
	want.Hash, want.IssuedAt, want.Expires = hashOf("2"), noon, noon.Add(time.Hour)
	for _, after := range []time.Duration{0, 0, time.Second, account.RefreshGrace - time.Microsecond} {
		now := noon.Add(after)
		old, successor, err := o.RotateGrant(o.Context(), first.Hash, "client", successorOf("2", now), now, noon.Add(-time.Minute))
		o.must(err)
		if diff := cmp.Diff([]store.Grant{first, want}, []store.Grant{old, successor}); diff != "" {
			o.Errorf("after %s (-want +got):\n%s", after, diff)
		}
	}
	if got, err := o.Grant(o.Context(), hashOf("2"), noon); err != nil || got != want {
		o.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	// The repeated token may have expired meanwhile if its successor has not.
	late := grant("late", "late family")
	late.Expires = noon.Add(time.Second)
	o.must(o.PutGrant(o.Context(), late))
	for _, after := range []time.Duration{0, time.Second} {
		if _, err := o.rotate("late", "late 2", noon.Add(after)); err != nil {
			o.Errorf("after %s: %v", after, err)
		}
	}
}

// testNoRepeat checks that any other repetition is reuse, and that a repetition by another client is unknown.
func testNoRepeat(o *accountsFixture) {
	for name, test := range map[string]struct {
		use       bool // uses the successor before the repetition
		client    string
		after     time.Duration
		notBefore time.Time
		lifetime  time.Duration // of the successor
		want      error
	}{
		"too late":                         {after: account.RefreshGrace, want: store.ErrGrantReused},
		"its successor is used":            {use: true, want: store.ErrGrantReused},
		"its successor has expired":        {lifetime: time.Second, after: time.Second, want: store.ErrGrantReused},
		"its successor is from before":     {notBefore: noon.Add(time.Microsecond), after: time.Second, want: store.ErrGrantReused},
		"another client's, which finds no": {client: "another", want: store.ErrGrantUnknown},
	} {
		first, second, third := name+" 1", name+" 2", name+" 3"
		next := successorOf(second, noon)
		next.Expires = noon.Add(std.Or(test.lifetime, time.Hour))
		o.must(o.PutGrant(o.Context(), grant(first, name)))
		_, _, err := o.RotateGrant(o.Context(), hashOf(first), "client", next, noon, time.Time{})
		o.must(err)
		if test.use {
			_, err := o.rotate(second, third, noon)
			o.must(err)
		}
		_, _, err = o.RotateGrant(o.Context(), hashOf(first), std.Or(test.client, "client"), next, noon.Add(test.after), test.notBefore)
		if !errors.Is(err, test.want) {
			o.Errorf("%s: %v, want %v", name, err, test.want)
		}
		for _, token := range []string{second, third} {
			_, err := o.Grant(o.Context(), hashOf(token), noon)
			if gone, want := errors.Is(err, store.ErrGrantUnknown), test.want == store.ErrGrantReused || token == third; gone != want {
				o.Errorf("%s: %q is gone: %t, want %t", name, token, gone, want)
			}
		}
	}
	// A successor with the name of another family's token is no repetition.
	o.must(o.PutGrant(o.Context(), grant("mine", "mine")))
	o.must(o.PutGrant(o.Context(), grant("theirs", "theirs")))
	_, err := o.rotate("mine", "mine 2", noon)
	o.must(err)
	if _, err := o.rotate("mine", "theirs", noon); !errors.Is(err, store.ErrGrantReused) {
		o.Errorf("another family's token as successor: %v", err)
	}
}

// testRepeatTogether checks that concurrent rotations of one token to the same successor all succeed with that
// successor, and that concurrent reuse with another successor revokes the family.
func testRepeatTogether(o *accountsFixture) {
	o.must(o.PutGrant(o.Context(), grant("1", "family")))
	var expires [6]time.Time
	together(len(expires), func(i int) {
		now := noon.Add(time.Duration(i) * time.Second)
		_, successor, err := o.RotateGrant(o.Context(), hashOf("1"), "client", successorOf("2", now), now, time.Time{})
		if err != nil {
			o.Error(err)
		}
		expires[i] = successor.Expires
	})
	for _, at := range expires {
		if at != expires[0] || at.IsZero() {
			o.Errorf("the successors end at %v", expires)
		}
	}
	if _, err := o.rotate("2", "3", noon); err != nil {
		o.Errorf("the successor: %v", err)
	}
	o.wantRotateError("1", store.ErrGrantReused)
	o.wantRotateError("3", store.ErrGrantUnknown)
}
