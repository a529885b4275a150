package media_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/media"
)

const (
	video        = catalogue.ID("5c542aba5438cdbcb56de630")
	otherVideo   = catalogue.ID("5c542aba5438cdbcb56de631")
	documentLife = time.Hour
)

var noon = time.Date(2026, 3, 1, 12, 10, 0, 0, time.UTC)

func key(fill byte) account.Key {
	return account.Key{ID: string(fill), Secret: bytes.Repeat([]byte{fill}, 32)}
}

func newSigner(t testing.TB, keys ...account.Key) *media.Signer {
	t.Helper()
	signer, err := media.NewSigner(keys, documentLife)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// tokenOf splits a signed path into its token and its ID.
func tokenOf(t testing.TB, path string) (token string, id catalogue.ID) {
	t.Helper()
	parts := strings.Split(strings.TrimPrefix(path, media.StreamsPath), "/")
	if !strings.HasPrefix(path, media.StreamsPath) || len(parts) != 3 || parts[2] != "playlist.m3u8" {
		t.Fatalf("the signed path is %s", path)
	}
	return parts[0], catalogue.ID(parts[1])
}

func TestSignaturesLastFromTheEndOfTheHour(t *testing.T) {
	signer := newSigner(t, key(1))
	token, id := tokenOf(t, signer.Sign(video, noon))
	if id != video {
		t.Fatalf("the path names the video %s", id)
	}
	expiry := time.Date(2026, 3, 3, 14, 0, 0, 0, time.UTC) // 48 hours after 13:00, plus one hour
	for _, moment := range []struct {
		now  time.Time
		good bool
	}{
		{noon, true}, {noon.Add(-time.Hour), true}, {expiry, true},
		{expiry.Add(time.Second), false}, {expiry.Add(240 * time.Hour), false},
	} {
		err := signer.Verify(token, video, moment.now)
		if (err == nil) != moment.good {
			t.Errorf("at %s: %v", moment.now, err)
		}
		if err != nil && fault.CodeOf(err) != fault.Forbidden {
			t.Errorf("at %s the code is %s", moment.now, fault.CodeOf(err))
		}
	}
}

func TestSignaturesOfOneHourAreEqual(t *testing.T) {
	signer := newSigner(t, key(1))
	hour := noon.Truncate(time.Hour)
	path := signer.Sign(video, hour)
	if signer.Sign(video, hour.Add(time.Hour-time.Nanosecond)) != path {
		t.Error("the address changed within an hour")
	}
	if signer.Sign(video, hour.Add(time.Hour)) == path {
		t.Error("the address did not change with the hour")
	}
	if signer.Sign(otherVideo, hour) == path {
		t.Error("two videos have one address")
	}
	if got := string(signer.AppendPath([]byte("x"), []byte(video), hour)); got != "x"+path {
		t.Errorf("AppendPath appends %s", got)
	}
}

func TestAnyChangedCharacterIsRejected(t *testing.T) {
	signer := newSigner(t, key(1), key(2))
	token, _ := tokenOf(t, signer.Sign(video, noon))
	const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n\r%\x00é"
	try := func(token string, id catalogue.ID) {
		t.Helper()
		if err := signer.Verify(token, id, noon); err == nil {
			t.Errorf("%q for %q is accepted", token, id)
		}
	}
	for i := range token {
		for _, c := range characters {
			if token[i] != byte(c) || c > 127 {
				try(token[:i]+string(c)+token[i+1:], video)
			}
		}
		try(token[:i], video)
		try(token[:i]+token[i+1:], video)
		try(token[:i]+"\n"+token[i:], video)
	}
	for i := range video {
		for _, c := range characters {
			if video[i] != byte(c) {
				try(token, video[:i]+catalogue.ID(c)+video[i+1:])
			}
		}
	}
	for _, id := range []catalogue.ID{"", video[1:], video + "0", catalogue.ID(strings.ToUpper(string(video)))} {
		try(token, id)
	}
	for _, more := range []string{"=", "A", "AA", "\n", token} {
		try(token+more, video)
	}
}

func TestKeysRotate(t *testing.T) {
	old, rotating := newSigner(t, key(1)), newSigner(t, key(1))
	before, _ := tokenOf(t, old.Sign(video, noon))
	if err := rotating.Rotate([]account.Key{key(2), key(1)}); err != nil {
		t.Fatal(err)
	}
	if err := rotating.Verify(before, video, noon); err != nil {
		t.Errorf("a signature of the older key is rejected: %v", err)
	}
	after, _ := tokenOf(t, rotating.Sign(video, noon))
	if err := old.Verify(after, video, noon); err == nil {
		t.Error("the newest key does not sign")
	}
	if err := rotating.Rotate([]account.Key{key(2)}); err != nil {
		t.Fatal(err)
	}
	if err := rotating.Verify(before, video, noon); err == nil {
		t.Error("a signature of a dropped key is accepted")
	}
}

func TestSignerRejectsMissingAndShortKeys(t *testing.T) {
	for _, keys := range [][]account.Key{nil, {{ID: "short", Secret: []byte("secret")}}} {
		if _, err := media.NewSigner(keys, 0); err == nil {
			t.Errorf("%v make a signer", keys)
		}
	}
}

func FuzzVerify(f *testing.F) {
	signer := newSigner(f, key(1))
	token, _ := tokenOf(f, signer.Sign(video, noon))
	for _, seed := range []string{token, "", strings.Repeat("A", len(token)), token[:len(token)-1] + "\n", token + "="} {
		f.Add(seed, string(video))
	}
	f.Add(token, string(otherVideo))
	f.Fuzz(func(t *testing.T, candidate, id string) {
		err := signer.Verify(candidate, catalogue.ID(id), noon)
		if signed := candidate == token && id == string(video); signed != (err == nil) {
			t.Errorf("%q for %q: %v", candidate, id, err)
		}
		if err != nil && fault.CodeOf(err) != fault.Forbidden {
			t.Errorf("the code is %s", fault.CodeOf(err))
		}
	})
}

func BenchmarkSign100(b *testing.B) {
	signer := newSigner(b, key(1))
	b.ReportAllocs()
	for b.Loop() {
		for range 100 {
			signer.Sign(video, noon)
		}
	}
}

func BenchmarkAppendPath100(b *testing.B) {
	signer := newSigner(b, key(1))
	buffer := make([]byte, 0, 16<<10)
	b.ReportAllocs()
	for b.Loop() {
		buffer = buffer[:0]
		for range 100 {
			buffer = signer.AppendPath(buffer, []byte(video), noon)
		}
	}
}
