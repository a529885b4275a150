package secondfactor_test

import (
	"context"
	"encoding/base32"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/secondfactor"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

var (
	// secret is that of the test vectors in RFC 6238, appendix B.
	secret = base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	ada    = account.User{ID: strings.Repeat("a", 24), AccountID: "school", Username: "ada", PasswordHash: "x"}
	actor  = account.Actor{Client: "test"}
)

// enrolled returns a store in which Ada has a second factor, and her recovery codes.
func enrolled(t *testing.T) (*sqlite.Accounts, *account.SecondFactor, []string) {
	t.Helper()
	accounts, err := sqlite.OpenAccounts(t.Context(), filepath.Join(t.TempDir(), "accounts.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = accounts.Close() })
	user := ada
	err = accounts.Edit(t.Context(), actor, func(ctx context.Context, tx store.RegistryTx) error {
		school := &account.Account{ID: "school", Name: "School", Tier: "basic", Type: account.Standard, Status: account.Active, Environment: account.Live}
		if err := tx.Put(ctx, school); err != nil {
			return err
		}
		return tx.Put(ctx, &user)
	})
	if err != nil {
		t.Fatal(err)
	}
	codes, err := secondfactor.Enroll(t.Context(), accounts, actor, &user, secret, "755224", time.Unix(0, 0)) // RFC 4226, appendix D
	if err != nil {
		t.Fatal(err)
	}
	factor, err := secondfactor.Of(t.Context(), accounts, user.ID)
	if err != nil || factor == nil {
		t.Fatal(factor, err)
	}
	user.Version++
	if _, err := secondfactor.Enroll(t.Context(), accounts, actor, &user, secret, "287082", time.Unix(59, 0)); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("a user who has changed: %v", err)
	}
	return accounts, factor, codes
}

// TestPasswords checks the SHA-1 vectors of RFC 6238, appendix B, of which six-digit passwords are the end.
func TestPasswords(t *testing.T) {
	accounts, factor, _ := enrolled(t)
	for _, vector := range []struct {
		at       int64
		password string
	}{{1111111109, "081804"}, {1111111111, "050471"}, {1234567890, "005924"}, {2000000000, "279037"}, {20000000000, "353130"}} {
		use := func(after int64) error {
			return secondfactor.Use(t.Context(), accounts, actor, factor, vector.password, time.Unix(vector.at+after, 0))
		}
		if err := errors.Join(use(-60), use(60)); !errors.Is(err, secondfactor.ErrWrong) || len(err.(interface{ Unwrap() []error }).Unwrap()) != 2 {
			t.Errorf("outside its window, %s: %v", vector.password, err)
		}
		if err := use(0); err != nil {
			t.Errorf("%s at %d: %v", vector.password, vector.at, err)
		}
		if err := use(0); !errors.Is(err, secondfactor.ErrWrong) {
			t.Errorf("%s again: %v", vector.password, err)
		}
	}
}

// TestRecoveryCodesTogether checks that concurrent uses of one recovery code give one success, and that every code differs.
func TestRecoveryCodesTogether(t *testing.T) {
	accounts, factor, codes := enrolled(t)
	if distinct := slices.Compact(slices.Sorted(slices.Values(codes))); len(distinct) != account.MaxRecoveryCodes {
		t.Errorf("the codes are %q", codes)
	}
	var (
		wait sync.WaitGroup
		mu   sync.Mutex
		won  int
	)
	for range 6 {
		wait.Go(func() {
			err := secondfactor.Use(t.Context(), accounts, actor, factor, codes[0], time.Unix(0, 0))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			} else if !errors.Is(err, secondfactor.ErrWrong) {
				t.Error(err)
			}
		})
	}
	if wait.Wait(); won != 1 {
		t.Errorf("%d of 6 uses of one code won", won)
	}
}

func TestQRCode(t *testing.T) {
	address := secondfactor.Address("House: ours", "ada@films.example", secret)
	if !strings.HasPrefix(address, "otpauth://totp/House%20ours:ada@films.example?secret="+secret+"&issuer=House%20ours&") {
		t.Error(address)
	}
	if code, err := secondfactor.QRCode(address); err != nil || !strings.HasPrefix(code, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 57 57"`) {
		t.Errorf("%.100s, %v", code, err)
	}
	if _, err := secondfactor.QRCode(secondfactor.Address(strings.Repeat("\U0001F3AC", 200), strings.Repeat("\U0001F3AC", 200), secret)); err != nil {
		t.Errorf("of long names: %v", err)
	}
	if code, err := secondfactor.QRCode(strings.Repeat("x", 5000)); err == nil {
		t.Errorf("a text that is too long: %.100s", code)
	}
}
