package limit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/limit"
)

// TestRejection checks the status, the headers and the body of a rejection.
func TestRejection(t *testing.T) {
	c := noon()
	c.pass(48 * time.Second)
	handler := open(t, limit.Config{Rates: limit.Rates{Client: 600}, Clock: c.time}).Client(ok)
	passed(t, handler, 600, func() *http.Request { return as("client", nil) })
	w := answer(handler, as("client", nil))
	for name, want := range map[string]string{
		"Retry-After": "13", "RateLimit": `"client";r=0;t=13`, "RateLimit-Policy": `"client";q=600;w=60`,
		"Content-Type": "application/json", "Cache-Control": "no-store",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	var body struct {
		Error, Message, Path string
		Status               int
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	if w.Code != 429 || body.Status != 429 || body.Error != "Too Many Requests" || body.Path != "/v1/videos" ||
		body.Message != "the limit client of 600 requests a minute is reached; try again in 13 s" {
		t.Errorf("status %d, body %+v", w.Code, body)
	}
}

// TestClient checks that each client has its own count, and that the account's rate overrides the setting.
func TestClient(t *testing.T) {
	post := func(client, path string) *http.Request {
		r := as(client, nil)
		r.Method, r.URL.Path = http.MethodPost, path
		return r
	}
	strict, mild := &account.Account{ID: "strict", RequestsPerMinute: 3}, &account.Account{ID: "mild", RequestsPerMinute: 50}
	for name, test := range map[string]struct {
		rates   limit.Rates
		request func() *http.Request
		want    int
	}{
		"the setting":            {limit.Rates{Client: 10}, func() *http.Request { return as("a", nil) }, 10},
		"the account asks less":  {limit.Rates{Client: 10}, func() *http.Request { return as("a", strict) }, 3},
		"the account asks more":  {limit.Rates{Client: 10}, func() *http.Request { return as("a", mild) }, 50},
		"the account alone":      {limit.Rates{}, func() *http.Request { return as("a", strict) }, 3},
		"no limit":               {limit.Rates{}, func() *http.Request { return as("a", nil) }, 100},
		"nobody":                 {limit.Rates{Client: 10}, func() *http.Request { return from("192.0.2.1:80") }, 100},
		"events":                 {limit.Rates{Client: 10}, func() *http.Request { return post("a", "/v1/events/playback") }, 100},
		"events of a video":      {limit.Rates{Client: 10}, func() *http.Request { return post("a", "/v1/videos/1/events") }, 100},
		"shared links":           {limit.Rates{Client: 10}, func() *http.Request { return post("a", "/v1/collections/1/track-share-link") }, 100},
		"events by their rate":   {limit.Rates{Client: 10, Events: 20}, func() *http.Request { return post("a", "/v1/events/playback/batch") }, 20},
		"no events":              {limit.Rates{Client: 10}, func() *http.Request { return post("a", "/graphql") }, 10},
		"HEAD is work as well":   {limit.Rates{Client: 10}, func() *http.Request { r := as("a", nil); r.Method = http.MethodHead; return r }, 10},
		"a question of browsers": {limit.Rates{Client: 10}, func() *http.Request { r := as("a", nil); r.Method = http.MethodOptions; return r }, 100},
	} {
		handler := open(t, limit.Config{Rates: test.rates, Clock: noon().time}).Client(ok)
		if got := passed(t, handler, 100, test.request); got != test.want {
			t.Errorf("%s: %d of 100 passed, want %d", name, got, test.want)
		}
		if test.want < 100 && !passes(t, handler, as("b", mild)) {
			t.Errorf("%s: another client is refused", name)
		}
	}
}

// TestAddress checks which addresses share a count.
func TestAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for name, test := range map[string]struct {
		one, other *http.Request
		together   bool
	}{
		"ports of an address":           {from("192.0.2.1:80"), from("192.0.2.1:81"), true},
		"two addresses":                 {from("192.0.2.1:80"), from("192.0.2.2:80"), false},
		"a /64":                         {from("[2001:db8::1]:80"), from("[2001:db8::ffff:2]:80"), true},
		"two /64":                       {from("[2001:db8::1]:80"), from("[2001:db8:0:1::1]:80"), false},
		"a zone":                        {from("[fe80::1%eth0]:80"), from("[fe80::1%eth1]:80"), true},
		"IPv4 in IPv6":                  {from("[::ffff:192.0.2.1]:80"), from("192.0.2.1:80"), true},
		"an untrusted header":           {from("192.0.2.1:80", "192.0.2.8"), from("192.0.2.1:80", "192.0.2.9"), true},
		"behind a proxy":                {from("10.0.0.1:80", "192.0.2.8"), from("10.0.0.1:80", "192.0.2.9"), false},
		"behind two proxies":            {from("10.0.0.1:80", "192.0.2.8"), from("10.0.0.2:80", "192.0.2.8"), true},
		"behind a chain":                {from("10.0.0.1:80", "192.0.2.8, 10.1.1.1"), from("192.0.2.8:80"), true},
		"in two lines":                  {from("10.0.0.1:80", "192.0.2.8", "10.1.1.1"), from("192.0.2.8:80"), true},
		"written by the client":         {from("10.0.0.1:80", "1.1.1.1, 192.0.2.8"), from("10.0.0.1:80", "2.2.2.2,192.0.2.8"), true},
		"written by it in another line": {from("10.0.0.1:80", "1.1.1.1", "192.0.2.8"), from("192.0.2.8:80"), true},
		"with a port":                   {from("10.0.0.1:80", "192.0.2.8:1234"), from("192.0.2.8:80"), true},
		"IPv6 with a port":              {from("10.0.0.1:80", "[2001:db8::1]:1234"), from("[2001:db8::2]:80"), true},
		"IPv6 in brackets":              {from("10.0.0.1:80", "[2001:db8::1]"), from("[2001:db8::2]:80"), true},
		"an IPv6 proxy":                 {from("[fd00::1]:80", "192.0.2.8"), from("192.0.2.8:80"), true},
		"proxies alone":                 {from("10.0.0.1:80", "10.0.0.7, 10.0.0.8"), from("10.0.0.7:80"), true},
		"no address":                    {from("10.0.0.1:80", "192.0.2.8, unknown"), from("10.0.0.1:80"), true},
		"empty":                         {from("10.0.0.1:80", ""), from("10.0.0.1:80"), true},
		"an empty element":              {from("10.0.0.1:80", "192.0.2.8,"), from("10.0.0.1:80"), true},
		"a connection without one":      {from("@"), from(""), true},
	} {
		handler := open(t, limit.Config{Proxies: proxies, Clock: noon().time}).Address("token", 1, ok)
		if !passes(t, handler, test.one) {
			t.Errorf("%s: the first request is refused", name)
		}
		if passes(t, handler, test.other) == test.together {
			t.Errorf("%s: together is %v", name, !test.together)
		}
	}
}

func TestAddressesOfTwoMounts(t *testing.T) {
	l := open(t, limit.Config{Clock: noon().time})
	token, login, open := l.Address("token", 2, ok), l.Address("login", 3, ok), l.Address("open", 0, ok)
	request := func() *http.Request { return from("192.0.2.1:80") }
	other := l.Address("token", 2, ok) // shares the count of the first
	for want, handler := range map[int]http.Handler{3: login, 50: open} {
		if got := passed(t, handler, 50, request); got != want {
			t.Errorf("%d passed, want %d", got, want)
		}
	}
	if got := passed(t, token, 1, request) + passed(t, other, 48, request) + passed(t, token, 1, request); got != 2 {
		t.Errorf("%d passed, want 2", got)
	}
	if w := answer(token, request()); w.Header().Get("RateLimit-Policy") != `"token";q=2;w=60` {
		t.Errorf("the policy is %s", w.Header().Get("RateLimit-Policy"))
	}
	if got := l.Stats().Refused; got["token"] != 49 || got["login"] != 47 || got["client"] != 0 || len(got) != 14 {
		t.Errorf("the refused requests are %v", got)
	}
}

// TestLogin checks that failed guesses from one address never lock the user out elsewhere, that guesses from many
// addresses are limited too, and that no other user is affected.
func TestLogin(t *testing.T) {
	l := open(t, limit.Config{Rates: limit.Rates{Login: 5}, Clock: noon().time})
	attempt := func(host int, customer, username, policy string) bool {
		w := answer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if l.Login(w, r, customer, username) {
				w.WriteHeader(http.StatusNoContent)
			}
		}), from(fmt.Sprintf("192.0.2.%d:80", host)))
		if w.Code != http.StatusNoContent && w.Header().Get("RateLimit-Policy") != policy {
			t.Errorf("status %d, %v", w.Code, w.Header())
		}
		return w.Code == http.StatusNoContent
	}
	spellings := []string{"teacher", "Teacher", "TEACHER"}
	let := 0
	for i := range 60 {
		if attempt(1, "demo", spellings[i%3], `"login";q=5;w=60`) {
			let++
		}
	}
	if let != 5 || !attempt(2, "demo", "teacher", "") {
		t.Errorf("%d attempts from one address, want 5, and the owner is let in from another", let)
	}
	for host := 3; host < 100; host++ {
		if attempt(host, "demo", spellings[host%3], `"login-user";q=50;w=60`) {
			let++
		}
	}
	if let != 49 {
		t.Errorf("%d guesses from all addresses beside the owner's, want 49", let)
	}
	for _, other := range [][2]string{{"demo", "pupil"}, {"other", "teacher"}, {"dem", "oteacher"}, {"demot", "eacher"}} {
		if !attempt(1, other[0], other[1], "") {
			t.Errorf("%s is refused", other)
		}
	}
	l = open(t, limit.Config{})
	for range 50 {
		if !attempt(1, "demo", "teacher", "") {
			t.Fatal("refused without a limit")
		}
	}
}

// TestCodes checks that all addresses together may enter codes of one user at the rate of one address.
func TestCodes(t *testing.T) {
	l := open(t, limit.Config{Rates: limit.Rates{Login: 5}, Clock: noon().time})
	for range 5 {
		if err := l.Codes(t.Context(), "ada"); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Codes(t.Context(), "ada"); fault.CodeOf(err) != fault.TooMany {
		t.Errorf("a sixth code: %v", err)
	}
	if err := errors.Join(l.Codes(t.Context(), "bob"), open(t, limit.Config{}).Codes(t.Context(), "ada")); err != nil {
		t.Error(err)
	}
}

// TestMemoryIsBounded checks that addresses that occur once take no memory permanently, whether or not counts are
// shared.
func TestMemoryIsBounded(t *testing.T) {
	c := noon()
	l := open(t, limit.Config{MaxSubjects: 1000, Clock: c.time, Counters: stuck{}, Rates: limit.Rates{Unauthorized: 5}})
	handler := l.Guard(nil, refuseAll)(ok)
	flood := func(seed byte) uint64 {
		for i := range 30_000 {
			answer(handler, from(netip.AddrPortFrom(netip.AddrFrom4([4]byte{seed, byte(i >> 16), byte(i >> 8), byte(i)}), 80).String()))
		}
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := flood(20)
	if after := flood(30); after > before+2<<20 {
		t.Errorf("30,000 more addresses took %d KB", (after-before)>>10)
	}
	// The limiter still counts addresses that come often.
	for range 20 {
		answer(handler, from("192.0.2.1:80"))
	}
	if w := answer(handler, from("192.0.2.1:80")); w.Code != http.StatusTooManyRequests {
		t.Errorf("status %d after twenty attempts at a limit of five", w.Code)
	}
}
