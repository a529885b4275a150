package password_test

import (
	"context"
	"encoding/base64"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/argon2"

	"github.com/filmstrip/filmstrip/auth/password"
	"github.com/filmstrip/filmstrip/fault"
)

func hash(t *testing.T, text string) string {
	t.Helper()
	encoded, err := password.Hash(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

func wantVerify(t *testing.T, encoded, text string, want bool) {
	t.Helper()
	if got, err := password.Verify(t.Context(), encoded, text); err != nil || got != want {
		t.Errorf("%q: got %v, %v", text, got, err)
	}
}

func TestHashAndVerify(t *testing.T) {
	encoded := hash(t, "correct horse")
	if !strings.HasPrefix(encoded, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the hash is %s", encoded)
	}
	if other := hash(t, "correct horse"); other == encoded {
		t.Error("two hashes share a salt")
	}
	wantVerify(t, encoded, "correct horse", true)
	for _, wrong := range []string{"", "correct hors", "correct horse ", "Correct horse", strings.Repeat("x", 2000), "\xff"} {
		wantVerify(t, encoded, wrong, false)
	}
	wantVerify(t, "", "", false)
	wantVerify(t, "", "correct horse", false)
}

// TestComposedAndDecomposed checks that the Unicode composition of a character does not matter in a password.
func TestComposedAndDecomposed(t *testing.T) {
	wantVerify(t, hash(t, "cafe\u0301 cr\u00e8me"), "caf\u00e9 cre\u0300me", true)
}

// TestForeignParameters checks that a hash by another program is verified with the parameters that the hash contains.
func TestForeignParameters(t *testing.T) {
	salt := []byte("0123456789abcdef")
	sum := argon2.IDKey([]byte("correct horse"), salt, 3, 4096, 4, 24)
	encode := base64.RawStdEncoding.EncodeToString
	wantVerify(t, "$argon2id$v=19$m=4096,t=3,p=4$"+encode(salt)+"$"+encode(sum), "correct horse", true)
}

func TestRefusedPasswords(t *testing.T) {
	for _, text := range []string{"", "1234567", "\xff12345678", strings.Repeat("x", 1001)} {
		if _, err := password.Hash(t.Context(), text); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q: %v", text, err)
		}
	}
	hash(t, strings.Repeat("x", 1000))
}

func TestUnreadableHashes(t *testing.T) {
	good := hash(t, "correct horse")
	for name, encoded := range map[string]string{
		"plain text":    "correct horse",
		"argon2i":       strings.Replace(good, "argon2id", "argon2i", 1),
		"version":       strings.Replace(good, "v=19", "v=16", 1),
		"all memory":    strings.Replace(good, "m=19456", "m=4194304", 1),
		"no memory":     strings.Replace(good, "m=19456", "m=0", 1),
		"no pass":       strings.Replace(good, "t=2", "t=0", 1),
		"many passes":   strings.Replace(good, "t=2", "t=1000000", 1),
		"no lane":       strings.Replace(good, "p=1", "p=0", 1),
		"negative":      strings.Replace(good, "p=1", "p=-1", 1),
		"leading zero":  strings.Replace(good, "t=2", "t=02", 1),
		"no sum":        good[:strings.LastIndex(good, "$")+1],
		"no salt":       good[:strings.LastIndex(good, "$")],
		"padded":        good + "=",
		"more after it": good + "$x",
		"very long":     good + strings.Repeat("A", 1<<20),
	} {
		ok, err := password.Verify(t.Context(), encoded, "correct horse")
		if err == nil || ok {
			t.Errorf("%s: got %v, %v", name, ok, err)
		} else if strings.Contains(err.Error(), encoded) {
			t.Errorf("%s: the error holds the hash", name)
		}
	}
}

// TestConcurrencyIsBounded checks that Verify refuses concurrent calls that would need too much memory, and works
// afterwards.
func TestConcurrencyIsBounded(t *testing.T) {
	encoded := hash(t, "correct horse")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var (
		wait             sync.WaitGroup
		mu               sync.Mutex
		refused, checked int
	)
	for range 300 {
		wait.Go(func() {
			ok, err := password.Verify(t.Context(), encoded, "correct horse")
			mu.Lock()
			defer mu.Unlock()
			switch {
			case fault.CodeOf(err) == fault.Unavailable:
				refused++
			case err != nil || !ok:
				t.Errorf("got %v, %v", ok, err)
			default:
				checked++
			}
		})
	}
	wait.Wait()
	runtime.ReadMemStats(&after)
	if refused == 0 || checked < 64 {
		t.Errorf("%d checked, %d refused", checked, refused)
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 1<<30 {
		t.Errorf("the flood took %d MiB", grown>>20)
	}
	wantVerify(t, encoded, "correct horse", true)
}

func TestCanceledCallerStopsWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var wait sync.WaitGroup
	for range 50 {
		wait.Go(func() { _, _ = password.Verify(t.Context(), "", "x") })
	}
	canceled := 0
	for range 20 {
		if _, err := password.Verify(ctx, "", "x"); errors.Is(err, context.Canceled) {
			canceled++
		}
	}
	wait.Wait()
	if canceled == 0 {
		t.Error("nobody who had gone away was let go")
	}
}
