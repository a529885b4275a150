package storetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

var sessionTests = map[string]func(o *accountsFixture){
	"sessions are readable until they end": testSessions,
	"sessions of a user are listed":        testUserSessions,
	"sessions are dropped":                 testDropSessions,
	"revocations count until they end":     testRevoked,
	"expired entries are swept":            testSweep,
	"a step is used once":                  testUseStep,
	"one of many uses of a step wins":      testUseStepTogether,
}

// browser returns a session that lasts until one hour after noon.
func browser(cookie, user string) account.Session {
	return account.Session{
		Hash: hashOf(cookie), ID: "session of " + cookie, AccountID: "account", User: user, Provider: "school",
		AuthTime: noon.Add(-time.Minute), Expires: noon.Add(time.Hour),
	}
}

func (o *accountsFixture) session(cookie string, now time.Time) *account.Session {
	o.Helper()
	found, err := o.Session(o.Context(), hashOf(cookie), now)
	o.must(err)
	return found
}

func testSessions(o *accountsFixture) {
	want := browser("1", "user")
	o.must(o.PutSession(o.Context(), want))
	if diff := cmp.Diff(&want, o.session("1", noon.Add(time.Hour-time.Microsecond))); diff != "" {
		o.Error("(-want +got):\n", diff)
	}
	if found := o.session("1", noon.Add(time.Hour)); found != nil {
		o.Errorf("at its end: %+v", found)
	}
	if found := o.session("2", noon); found != nil {
		o.Errorf("of another cookie: %+v", found)
	}
	same := browser("2", "user")
	same.ID = want.ID
	o.wantError("a second session with the hash", o.PutSession(o.Context(), want), fault.Conflict)
	o.wantError("a second session with the ID", o.PutSession(o.Context(), same), fault.Conflict)
}

func testUserSessions(o *accountsFixture) {
	late := browser("3", "a")
	late.AuthTime, late.Provider = noon, ""
	for _, session := range []account.Session{browser("1", "a"), browser("2", "b"), late} {
		o.must(o.PutSession(o.Context(), session))
	}
	for token, client := range map[string]string{"t1": "web", "t2": "app", "t3": "web"} {
		given := grant(token, "family "+token)
		given.User, given.ClientID, given.Session, given.IssuedAt = "a", client, "session of 1", noon.Add(time.Duration(token[1])*time.Second)
		o.must(o.PutGrant(o.Context(), given))
	}
	want := []account.UserSession{
		{ID: "session of 3", AuthTime: noon, Expires: noon.Add(time.Hour)},
		{ID: "session of 1", Provider: "school", AuthTime: noon.Add(-time.Minute), Expires: noon.Add(time.Hour), Clients: []string{"app", "web"}, LastUsed: noon.Add('3' * time.Second)},
	}
	got, err := o.UserSessions(o.Context(), "a", noon)
	o.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		o.Error("(-want +got):\n", diff)
	}
	if got, err := o.UserSessions(o.Context(), "a", noon.Add(time.Hour)); err != nil || len(got) > 0 {
		o.Errorf("at their end: %v, %v", got, err)
	}
}

func (o *accountsFixture) useStep(user string, step int64) bool {
	o.Helper()
	used, err := o.UseStep(o.Context(), user, step, noon.Add(time.Minute))
	o.must(err)
	return used
}

func testUseStep(o *accountsFixture) {
	for i, use := range []struct {
		user string
		step int64
		want bool
	}{{"a", 7, true}, {"a", 7, false}, {"a", 6, false}, {"b", 7, true}, {"a", 8, true}, {"a", 7, false}, {"b", 8, true}} {
		if got := o.useStep(use.user, use.step); got != use.want {
			o.Errorf("use %d, of step %d of %s: %t", i, use.step, use.user, got)
		}
	}
	o.must(o.Sweep(o.Context(), noon.Add(time.Minute)))
	if o.useStep("a", 8) {
		o.Error("a used step was swept before it ended")
	}
	o.must(o.Sweep(o.Context(), noon.Add(time.Minute+time.Microsecond)))
	if !o.useStep("a", 8) {
		o.Error("a used step was not swept after it ended")
	}
}

func testUseStepTogether(o *accountsFixture) {
	const attempts = 8
	won := make(chan bool, attempts)
	for range attempts {
		go func() {
			used, err := o.UseStep(o.Context(), "a", 7, noon)
			won <- err == nil && used
		}()
	}
	winners := 0
	for range attempts {
		if <-won {
			winners++
		}
	}
	if winners != 1 {
		o.Errorf("%d of %d concurrent uses of a step won", winners, attempts)
	}
}

func testDropSessions(o *accountsFixture) {
	for cookie, user := range map[string]string{"1": "a", "2": "a", "3": "b", "4": "b", "5": "c"} {
		o.must(o.PutSession(o.Context(), browser(cookie, user)))
	}
	o.must(o.DropSessions(o.Context(), "", "a"))
	o.must(o.DropSessions(o.Context(), "session of 3", ""))
	o.must(o.DropSessions(o.Context(), "unknown", ""))
	for cookie, want := range map[string]bool{"1": false, "2": false, "3": false, "4": true, "5": true} {
		if found := o.session(cookie, noon); (found != nil) != want {
			o.Errorf("%s exists: %t", cookie, found != nil)
		}
	}
}

func testRevoked(o *accountsFixture) {
	later := noon.Add(time.Hour)
	o.must(o.Revoke(o.Context(), []string{"a", "b"}, noon))
	o.must(o.Revoke(o.Context(), []string{"b", "user:c", "odd\x00\xff"}, later))
	o.must(o.Revoke(o.Context(), []string{"user:c"}, noon))
	all := map[string]time.Time{"a": noon, "b": later, "user:c": later, "odd\x00\xff": later}
	for _, step := range []struct {
		now  time.Time
		left []string
	}{{noon.Add(-time.Microsecond), []string{"a", "b", "user:c", "odd\x00\xff"}}, {noon, []string{"b", "user:c", "odd\x00\xff"}}, {later, nil}} {
		want := map[string]time.Time{}
		for _, mark := range step.left {
			want[mark] = all[mark]
		}
		got, err := o.Revoked(o.Context(), step.now)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			o.Errorf("%v: %v (-want +got):\n%s", step.now, err, diff)
		}
	}
}

func testSweep(o *accountsFixture) {
	ends := noon.Add(time.Hour)
	for i, end := range []time.Time{ends.Add(-time.Microsecond), ends} {
		name := fmt.Sprint(i)
		endingCode, endingGrant, endingSession := code(name, "family"), grant(name, "family"), browser(name, "user")
		endingCode.Expires, endingGrant.Expires, endingSession.Expires = end, end, end
		o.must(o.PutCode(o.Context(), endingCode))
		o.must(o.PutGrant(o.Context(), endingGrant))
		o.must(o.PutSession(o.Context(), endingSession))
		o.must(o.Revoke(o.Context(), []string{name}, end))
	}
	o.must(o.put(customer("one")))
	entries := len(o.auditEntries(store.AuditQuery{}))
	o.must(o.Sweep(o.Context(), ends))
	marks, err := o.Revoked(o.Context(), noon)
	o.must(err)
	for i, name := range []string{"0", "1"} {
		_, codeErr := o.redeem(name, "of code "+name)
		_, grantErr := o.Grant(o.Context(), hashOf(name), noon)
		_, marked := marks[name]
		left := []bool{!errors.Is(codeErr, account.ErrCodeUnknown), !errors.Is(grantErr, store.ErrGrantUnknown), o.session(name, noon) != nil, marked}
		for what, there := range left {
			if there != (i == 1) {
				o.Errorf("%s, number %d exists: %t", name, what, there)
			}
		}
	}
	if now := len(o.auditEntries(store.AuditQuery{})); now != entries {
		o.Errorf("the audit log went from %d entries to %d", entries, now)
	}
}
