package embed_test

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/embed"
)

const (
	video = catalogue.ID("0123456789abcdef01234567")
	other = catalogue.ID("1123456789abcdef01234567")

	lessons = "https://lessons.example"
	library = "https://library.example"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func keyOf(fill byte) account.Key {
	return account.Key{ID: string(fill), Secret: bytes.Repeat([]byte{fill}, 32)}
}

func signerOf(keys ...account.Key) *embed.Signer {
	return embed.NewSigner(func() []account.Key { return keys })
}

func whole() embed.Grant {
	return embed.Grant{
		Video: video, Client: "a client & more", User: "2123456789abcdef01234567", Issued: noon, Expires: noon.Add(time.Hour),
		Start: 1.5, End: 60.25, Origins: []string{lessons, library},
	}
}

// taken splits a URL into the ID of its video and its parameters.
func taken(t *testing.T, address string) (catalogue.ID, url.Values) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return catalogue.ID(strings.TrimPrefix(u.Path, embed.Path)), u.Query()
}

// TestSignedAddressVerifies checks that Verify returns the grant that a URL was signed for, whichever key of the signer
// signed it.
func TestSignedAddressVerifies(t *testing.T) {
	for _, grant := range []embed.Grant{whole(), {Video: video, Client: "c", Issued: noon, Expires: noon.Add(time.Minute)}} {
		for _, by := range []*embed.Signer{signerOf(keyOf('a')), signerOf(keyOf('b'), keyOf('a')), signerOf(keyOf('a'), keyOf('b'))} {
			id, values := taken(t, by.Sign(grant))
			got, err := signerOf(keyOf('a'), keyOf('b')).Verify(id, values, noon)
			if err != nil || got.Video != grant.Video || got.Client != grant.Client || got.User != grant.User || !got.Issued.Equal(grant.Issued) ||
				!got.Expires.Equal(grant.Expires) || got.Start != grant.Start || got.End != grant.End || !slices.Equal(got.Origins, grant.Origins) {
				t.Errorf("got %+v, %v, want %+v", got, err, grant)
			}
		}
	}
}

// TestChangedAddressIsRejected checks that Verify rejects a URL in which any part is changed, missing or repeated.
func TestChangedAddressIsRejected(t *testing.T) {
	signer := signerOf(keyOf('a'))
	rejects := func(what string, id catalogue.ID, values url.Values) {
		t.Helper()
		grant, err := signer.Verify(id, values, noon)
		if fault.CodeOf(err) != fault.Forbidden || errors.Is(err, embed.ErrExpired) || grant.Client != "" {
			t.Errorf("%s: got %+v, %v", what, grant, err)
		}
	}
	id, values := taken(t, signer.Sign(whole()))
	rejects("another video", other, values)
	rejects("no video", "video", values)
	rejects("nothing", id, nil)
	for name := range values {
		for what, change := range map[string]func(url.Values){
			"without":      func(v url.Values) { v.Del(name) },
			"empty":        func(v url.Values) { v.Set(name, "") },
			"another":      func(v url.Values) { v.Set(name, v.Get(name)+"1") },
			"twice":        func(v url.Values) { v.Add(name, v.Get(name)) },
			"not a number": func(v url.Values) { v.Set(name, "NaN") },
			"endless":      func(v url.Values) { v.Set(name, "Inf") },
		} {
			_, changed := taken(t, signer.Sign(whole()))
			change(changed)
			rejects(what+" "+name, id, changed)
		}
	}
	values.Set("more", "1")
	rejects("an unknown parameter", id, values)
	id, values = taken(t, signerOf(keyOf('b')).Sign(whole()))
	rejects("an unknown key", id, values)
	id, values = taken(t, signer.Sign(whole()))
	slices.Reverse(values["origin"])
	rejects("another order", id, values)
	many := whole()
	many.Origins = slices.Repeat([]string{lessons}, embed.MaxOrigins+1)
	id, values = taken(t, signer.Sign(many))
	rejects("more origins than an address may name", id, values)
}

// TestAddressesExpire checks that a URL expires to the second, and that its error differs from all others.
func TestAddressesExpire(t *testing.T) {
	signer := signerOf(keyOf('a'))
	id, values := taken(t, signer.Sign(whole()))
	if _, err := signer.Verify(id, values, noon.Add(time.Hour-time.Nanosecond)); err != nil {
		t.Error(err)
	}
	grant, err := signer.Verify(id, values, noon.Add(time.Hour))
	if !errors.Is(err, embed.ErrExpired) || fault.CodeOf(err) != fault.Forbidden || grant.Client == "" {
		t.Errorf("got %+v, %v", grant, err)
	}
}

// TestSnippetsAreEscaped checks that Snippet escapes titles and URLs, so that neither can leave its attribute.
func TestSnippetsAreEscaped(t *testing.T) {
	snippet := embed.Snippet("https://catalogue.example/embed/1?a=1&b=\"", `"><script>alert(1)</script>'`)
	if strings.Count(snippet, "<") != 2 || strings.Count(snippet, ">") != 2 || strings.Count(snippet, `"`) != 16 || strings.Contains(snippet, "&b") {
		t.Errorf("got %s", snippet)
	}
}

// world contains an account with a client, and one video.
type world struct {
	account account.Account
	client  account.Client
	policy  account.Policy
	now     time.Time
	tokens  []string
	embeds  []account.Embed
	ended   []string // IDs of users
}

func newWorld() *world {
	return &world{
		account: account.Account{ID: "school", Tier: "tier", Status: account.Active, AllowedOrigins: []string{lessons, library}},
		client:  account.Client{ID: "lms", AccountID: "school"}, now: noon,
	}
}

func (w *world) open(grant embed.Grant) (embed.Opened, error) {
	address, _ := url.Parse(signerOf(keyOf('a')).Sign(grant))
	return w.opener().Open(context.Background(), string(grant.Video), address.Query())
}

// renew requests the next token of a page, with the given viewing parameters.
func (w *world) renew(grant embed.Grant, viewings ...string) (embed.Opened, error) {
	address, _ := url.Parse(signerOf(keyOf('a')).Sign(grant))
	values := address.Query()
	values[embed.ViewingParameter] = viewings
	return w.opener().Renew(context.Background(), string(grant.Video), values)
}

func (w *world) opener() *embed.Opener {
	signer := signerOf(keyOf('a'))
	return embed.NewOpener(embed.Config{
		Signer: signer, Now: func() time.Time { return w.now },
		Roster: func() *account.Roster {
			return account.NewRoster([]account.Entity{&w.account, &w.client, &account.Tier{ID: "tier"}, &w.policy})
		},
		Token: func(client string, of account.Embed, by time.Time) (string, time.Time, error) {
			w.tokens = append(w.tokens, client+" "+string(of.Video)+" "+by.Format(time.TimeOnly))
			w.embeds = append(w.embeds, of)
			return "token", w.now.Add(time.Minute), nil
		},
		Ended: func(_ context.Context, of, user string) (bool, error) {
			if of != "school" {
				return false, errors.New("another account")
			}
			return slices.Contains(w.ended, user), nil
		},
		Find: func(_ context.Context, id catalogue.ID, access catalogue.Access, today catalogue.Date) (embed.Found, error) {
			if id != video || today != catalogue.DateOf(w.now) {
				return embed.Found{}, fault.Errorf(fault.NotFound, "there is none")
			}
			return embed.Found{ID: other, Title: "A video"}, nil
		},
	})
}

func granted() embed.Grant {
	return embed.Grant{Video: video, Client: "lms", Issued: noon.Add(-time.Minute), Expires: noon.Add(time.Hour)}
}

// TestOpen checks that a valid URL gives a token for its video, and the account's current origins.
func TestOpen(t *testing.T) {
	w := newWorld()
	opened, err := w.open(granted())
	if err != nil || opened.ID != other || opened.Title != "A video" || opened.Token != "token" || opened.Life != time.Minute ||
		!slices.Equal(opened.Origins, []string{lessons, library}) || !slices.Equal(w.tokens, []string{"lms " + string(other) + " 13:00:00"}) {
		t.Errorf("got %+v, %v, %v", opened, err, w.tokens)
	}
	named := granted()
	named.Origins = []string{library, "https://gone.example"}
	if opened, err := w.open(named); err != nil || !slices.Equal(opened.Origins, []string{library}) {
		t.Errorf("got %v, %v", opened.Origins, err)
	}
	w.account.AllowedOrigins = []string{"https://a.example;script-src", "https://b.example c", lessons}
	if opened, err := w.open(granted()); err != nil || !slices.Equal(opened.Origins, []string{lessons}) {
		t.Errorf("got %v, %v", opened.Origins, err)
	}
}

// TestAddressesAreInvalidated checks that everything that ends the access of the client ends its URLs at once, and
// that nobody gets a token.
func TestAddressesAreInvalidated(t *testing.T) {
	yesterday := catalogue.DateOf(noon) - 1
	for name, test := range map[string]struct {
		change func(w *world, grant *embed.Grant)
		code   fault.Code
		label  string
	}{
		"its time":                      {func(_ *world, g *embed.Grant) { g.Expires = noon }, fault.Forbidden, "Address expired"},
		"a suspended account":           {func(w *world, _ *embed.Grant) { w.account.Status = account.Suspended }, fault.Forbidden, "Access ended"},
		"an expired account":            {func(w *world, _ *embed.Grant) { w.account.AccessExpiresOn = &yesterday }, fault.Forbidden, "Access ended"},
		"a disabled client":             {func(w *world, _ *embed.Grant) { w.client.Disabled = true }, fault.Forbidden, "Access ended"},
		"a client that is gone":         {func(_ *world, g *embed.Grant) { g.Client = "gone" }, fault.Forbidden, "Access ended"},
		"the policy":                    {func(w *world, _ *embed.Grant) { w.policy.NotBefore = noon.Add(-time.Second) }, fault.Forbidden, "Access ended"},
		"a client that was added again": {func(w *world, g *embed.Grant) { w.client.CreatedAt = g.Issued.Add(time.Second) }, fault.Forbidden, "Access ended"},
		"its user":                      {func(w *world, g *embed.Grant) { g.User, w.ended = ada, []string{ada} }, fault.Forbidden, "Access ended"},
		"no origins":                    {func(w *world, _ *embed.Grant) { w.account.AllowedOrigins = nil }, fault.Forbidden, "No allowed origin"},
		"other origins":                 {func(_ *world, g *embed.Grant) { g.Origins = []string{"https://gone.example"} }, fault.Forbidden, "No allowed origin"},
		"another package":               {func(_ *world, g *embed.Grant) { g.Video = other }, fault.NotFound, ""},
	} {
		w, grant := newWorld(), granted()
		test.change(w, &grant)
		opened, err := w.open(grant)
		var cause *fault.Error
		if !errors.As(err, &cause) || cause.Code != test.code || cause.Label != test.label || opened.Token != "" || len(w.tokens) > 0 {
			t.Errorf("%s: got %+v, %v", name, opened, err)
		}
	}
}

const ada = "2123456789abcdef01234567"

// TestEmbedsOfUsers checks that a user's URLs end with the user unless the account has taken them over, and that no
// other URLs end.
func TestEmbedsOfUsers(t *testing.T) {
	w, grant := newWorld(), granted()
	grant.User = ada
	if _, err := w.open(grant); err != nil || w.embeds[0].User != ada || w.embeds[0].Address == "" || w.embeds[0].Address != grant.Fingerprint() {
		t.Errorf("got %+v, %v", w.embeds, err)
	}
	w.ended = []string{ada}
	if _, err := w.open(grant); fault.CodeOf(err) != fault.Forbidden {
		t.Errorf("the embed of an ended user: %v", err)
	}
	if _, err := w.open(granted()); err != nil {
		t.Errorf("the client's own: %v", err)
	}
	w.account.EmbedsTakenOver = []string{ada}
	if _, err := w.open(grant); err != nil {
		t.Errorf("the embed that the account has taken over: %v", err)
	}
	if other := grant; other.Fingerprint() == granted().Fingerprint() || len(grant.Fingerprint()) != 16 {
		t.Errorf("two addresses have one fingerprint, %s", grant.Fingerprint())
	}
}

// TestViewings checks that opening a page begins a viewing, which only the next tokens of the page continue.
func TestViewings(t *testing.T) {
	w := newWorld()
	grant := granted()
	first, err := w.open(grant)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := w.open(grant)
	begun := w.embeds[0].Viewing
	if len(begun.ID) < 22 || !begun.Opened.Equal(w.now) || begun.ID == w.embeds[1].Viewing.ID || first.Viewing == second.Viewing {
		t.Errorf("the viewings are %+v", w.embeds)
	}
	w.now = w.now.Add(10 * time.Minute)
	if _, err := w.renew(grant, first.Viewing); err != nil || w.embeds[2].Viewing.ID != begun.ID || !w.embeds[2].Viewing.Opened.Equal(begun.Opened) {
		t.Errorf("the next token is of %+v, %v", w.embeds[2], err)
	}
	other := grant
	other.Expires = other.Expires.Add(time.Second)
	elsewhere, _ := w.open(other)
	id, rest, _ := strings.Cut(first.Viewing, ".")
	opened, proof, _ := strings.Cut(rest, ".")
	for _, forged := range []string{"", "a", ".", "..", elsewhere.Viewing, id + "." + opened + "." + proof + "A", id + "A." + opened + "." + proof,
		id + "." + opened + "0." + proof, id + "." + opened, proof} {
		if _, err := w.renew(grant, forged); fault.CodeOf(err) != fault.Forbidden {
			t.Errorf("%q: got %v", forged, err)
		}
	}
	if _, err := w.renew(grant, first.Viewing, first.Viewing); fault.CodeOf(err) != fault.Forbidden {
		t.Errorf("twice: got %v", err)
	}
}
