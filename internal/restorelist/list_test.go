package restorelist

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

func openList(t *testing.T) *List {
	t.Helper()
	list, err := Open(filepath.Join(t.TempDir(), FileName))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func add(t *testing.T, list *List, entries ...Entry) {
	t.Helper()
	if err := list.append(t.Context(), entries...); err != nil {
		t.Fatal(err)
	}
}

// TestAppendFromManyProcesses checks that no entry is lost or torn, and that nobody else can read the list.
func TestAppendFromManyProcesses(t *testing.T) {
	list := openList(t)
	var running sync.WaitGroup
	for writer := range 8 {
		running.Go(func() {
			other, err := Open(list.path)
			if err != nil {
				t.Error(err)
				return
			}
			for n := range 20 {
				if err := other.append(t.Context(), Entry{Kind: kindKeys, Purpose: "signing", Keys: []string{fmt.Sprint(writer, n)}}); err != nil {
					t.Error(err)
				}
				if n == 10 {
					if err := other.Trim(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	running.Wait()
	entries, err := Read(list.path)
	if err != nil || len(entries) != 160 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	info, err := os.Stat(list.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// TestTornLine checks that a process that ended while it wrote a line damages neither earlier nor later entries.
func TestTornLine(t *testing.T) {
	list := openList(t)
	add(t, list, Entry{Kind: kindNotBefore})
	text, err := os.ReadFile(list.path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(text)-1; cut++ {
		if err := os.WriteFile(list.path, append(text[:len(text):len(text)], text[:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		if entries, err := Read(list.path); err != nil || len(entries) != 1 {
			t.Fatalf("torn after %d: %d entries, %v", cut, len(entries), err)
		}
		add(t, list, Entry{Kind: kindNotBefore})
		if entries, err := Read(list.path); err != nil || len(entries) != 2 {
			t.Fatalf("torn after %d, and another: %d entries, %v", cut, len(entries), err)
		}
	}
}

// TestReadRejects checks that Read rejects unknown and incomplete entries. A restore that ignored them could bring back
// revoked data.
func TestReadRejects(t *testing.T) {
	at := `{"at":"2026-01-01T00:00:00Z",`
	for line, want := range map[string]string{
		at + `"kind":"later"}`:                   `"later" are not known`,
		at + `"kind":"person"}`:                  "not complete",
		at + `"kind":"tokens","marks":["m"]}`:    "not complete",
		at + `"kind":"credential"}`:              "not complete",
		at + `"kind":"keys","purpose":"signing"`: "", // a torn line
		`{"kind":"notBefore"}`:                   "not complete",
		`{"at":"yesterday","kind":"notBefore"}`:  "list:1:",
		`text`:                                   "list:1:",
	} {
		path := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(path, []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %s", line, err, want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a list that is missing: %v", err)
	}
}

// TestTrim checks that Trim removes only tokens that have expired.
func TestTrim(t *testing.T) {
	list := openList(t)
	now := time.Now()
	add(t, list,
		Entry{Kind: kindTokens, Marks: []string{"over"}, Until: now.Add(-time.Second)}, Entry{Kind: kindTokens, Marks: []string{"on"}, Until: now.Add(time.Hour)},
		Entry{Kind: kindPerson, User: "u"}, Entry{Kind: kindCredential, Record: &Record{account.KindClient, "c"}, Credential: "secret:1", Until: now.Add(-time.Hour)})
	if err := list.Trim(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, err := Read(list.path)
	if err != nil || len(entries) != 3 || entries[0].Marks[0] != "on" {
		t.Errorf("left are %+v, %v", entries, err)
	}
}

// TestAListThatCannotBeWritten checks that a list that cannot be written returns Unavailable, so that nothing is
// revoked and the caller can retry.
func TestAListThatCannotBeWritten(t *testing.T) {
	list := openList(t)
	if err := os.Remove(list.path); err != nil {
		t.Fatal(err)
	}
	if err := list.append(t.Context(), Entry{Kind: kindNotBefore}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("the error is %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "nowhere", FileName)); err == nil || !strings.Contains(err.Error(), "restore list") {
		t.Errorf("the error is %v", err)
	}
}

// TestChanges checks what each change of a record revokes.
func TestChanges(t *testing.T) {
	key, past, soon := []byte("key"), time.Unix(1, 0), time.Unix(2, 0)
	secret := func(id string, end *time.Time) account.Secret { return account.Secret{ID: id, ExpiresAt: end} }
	for name, c := range map[string]struct {
		before, after account.Entity
		want          string
	}{
		"new":                  {nil, &account.Client{ID: "c"}, ""},
		"new and blocked":      {nil, &account.User{ID: "u", Disabled: true}, "blocked user u true"},
		"renamed":              {&account.Client{ID: "c"}, &account.Client{ID: "c", Name: "n"}, ""},
		"another secret":       {&account.Client{ID: "c", Secrets: []account.Secret{secret("1", nil)}}, &account.Client{ID: "c", Secrets: []account.Secret{secret("1", nil), secret("2", nil)}}, ""},
		"a secret less":        {&account.Client{ID: "c", Secrets: []account.Secret{secret("1", nil)}}, &account.Client{ID: "c", Secrets: []account.Secret{secret("2", nil)}}, "credential client c secret:1 0"},
		"a secret that ends":   {&account.Client{ID: "c", Secrets: []account.Secret{secret("1", nil)}}, &account.Client{ID: "c", Secrets: []account.Secret{secret("1", &soon)}}, "credential client c secret:1 2"},
		"one that ends sooner": {&account.Client{ID: "c", Secrets: []account.Secret{secret("1", &soon)}}, &account.Client{ID: "c", Secrets: []account.Secret{secret("1", &past)}}, "credential client c secret:1 1"},
		"one that ends later":  {&account.Client{ID: "c", Secrets: []account.Secret{secret("1", &past)}}, &account.Client{ID: "c", Secrets: []account.Secret{secret("1", &soon)}}, ""},
		"blocked":              {&account.Client{ID: "c"}, &account.Client{ID: "c", Disabled: true}, "blocked client c true"},
		"no longer":            {&account.Client{ID: "c", Disabled: true}, &account.Client{ID: "c"}, "blocked client c false"},
		"suspended":            {&account.Account{ID: "a"}, &account.Account{ID: "a", Status: account.Suspended}, "blocked account a true"},
		"another password": {&account.User{ID: "u", PasswordHash: "old"}, &account.User{ID: "u", PasswordHash: "new"},
			"credential user u " + passwordCredential(key, &account.User{PasswordHash: "old"}) + " 0"},
		"first password": {&account.User{ID: "u"}, &account.User{ID: "u", PasswordHash: "new"}, ""},
		"no provider": {&account.Account{ID: "a", IdentityProviders: []account.IdentityProvider{{Alias: "p"}}}, &account.Account{ID: "a"},
			"credential account a " + providerCredential(key, account.IdentityProvider{Alias: "p"}) + " 0"},
		"another name of it": {&account.Account{ID: "a", IdentityProviders: []account.IdentityProvider{{Alias: "p"}}},
			&account.Account{ID: "a", IdentityProviders: []account.IdentityProvider{{Alias: "p", Name: "P"}}}, ""},
		"another identity": {&account.User{ID: "u", Issuer: "i", Subject: "s"}, &account.User{ID: "u"},
			"credential user u " + identityCredential(key, &account.User{Issuer: "i", Subject: "s"}) + " 0"},
		"policy":      {nil, &account.Policy{NotBefore: soon}, "notBefore 2"},
		"same policy": {&account.Policy{NotBefore: soon}, &account.Policy{NotBefore: soon, KeysRotated: past}, ""},
		"clear":       {&account.Policy{NotBefore: soon}, &account.Policy{}, "notBefore 0"},
		"a tier":      {&account.Tier{ID: "t", Name: "a"}, &account.Tier{ID: "t"}, ""},
	} {
		var got []string
		for _, e := range changes(key, c.before, c.after) {
			until := int64(0)
			if !e.Until.IsZero() {
				until = e.Until.Unix()
			}
			switch e.Kind {
			case kindBlocked:
				got = append(got, fmt.Sprint(e.Kind, " ", e.Record.Kind, " ", e.Record.ID, " ", e.Blocked))
			case kindCredential:
				got = append(got, fmt.Sprint(e.Kind, " ", e.Record.Kind, " ", e.Record.ID, " ", e.Credential, " ", until))
			default:
				got = append(got, fmt.Sprint(e.Kind, " ", until))
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}

// TestCarry carries the entries of a copy to another list, where later entries stand already. An entry that is in both counts
// once.
func TestCarry(t *testing.T) {
	copied, list := openList(t), openList(t)
	add(t, copied, Entry{Kind: kindNotBefore}, Entry{Kind: kindDeleted, Record: &Record{"user", "1"}})
	add(t, list, Entry{Kind: kindDeleted, Record: &Record{"user", "2"}})
	if entries, err := Read(copied.path, copied.path); err != nil || len(entries) != 2 {
		t.Errorf("a list twice: %d entries, %v", len(entries), err)
	}
	for range 2 {
		if err := Carry(t.Context(), list.path, copied.path, list.path); err != nil {
			t.Fatal(err)
		}
		if entries, err := Read(list.path); err != nil || len(entries) != 3 || entries[2].Record.ID != "2" {
			t.Errorf("carried: %+v, %v", entries, err)
		}
	}
	made := filepath.Join(t.TempDir(), FileName)
	if err := Carry(t.Context(), made, copied.path); err != nil {
		t.Fatal(err)
	}
	if entries, err := Read(made); err != nil || len(entries) != 2 {
		t.Errorf("a new list: %d entries, %v", len(entries), err)
	}
}
