package account_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// filled returns an entity of the given kind in which every text field contains its own name.
func filled(t *testing.T, kind account.Kind) account.Entity {
	t.Helper()
	record := account.NewEntity(account.EntityKey{Kind: kind, ID: "id"})
	if record == nil {
		t.Fatalf("no entity of kind %s", kind)
	}
	fill(reflect.ValueOf(record).Elem(), "")
	return record
}

func fill(v reflect.Value, name string) {
	if v.Type() == reflect.TypeFor[usage.Month]() {
		v.Set(reflect.ValueOf(usage.Month{Year: 2026, Month: time.October}))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && v.Type() != reflect.TypeFor[account.Meta]() {
				fill(v.Field(i), strings.ToLower(field.Name))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		if v.Type().Elem().Kind() == reflect.Uint8 && v.Type().Elem().Name() == "uint8" {
			v.SetBytes([]byte("value-of-" + name))
			return
		}
		fill(v.Index(0), name)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.String:
		v.SetString("value-of-" + name)
	}
}

// secretField matches names of confidential fields, but not Client.RequireSecret and PasswordSignIn.
var secretField = regexp.MustCompile(`(secret|hash|password|sum)$|hash`)

// TestRedacted checks that redacted copies contain no secrets, and that redacting leaves the original unchanged.
func TestRedacted(t *testing.T) {
	secrets := 0
	for _, kind := range account.Kinds() {
		record := filled(t, kind)
		whole, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := json.Marshal(record.Redacted())
		if err != nil {
			t.Fatal(err)
		}
		if after, _ := json.Marshal(record); !bytes.Equal(after, whole) {
			t.Errorf("%s: redacting changed the entity", kind)
		}
		for _, field := range fieldsOf(reflect.TypeOf(record).Elem()) {
			value := "value-of-" + strings.ToLower(field)
			encoded := base64.StdEncoding.EncodeToString([]byte(value))
			in := func(text []byte) bool {
				return bytes.Contains(text, []byte(`"`+value+`"`)) || bytes.Contains(text, []byte(encoded))
			}
			isSecret := secretField.MatchString(strings.ToLower(field))
			tooLarge := kind == account.KindLogo && field == "Data" || kind == account.KindInvoice && field == "Channel"
			if isSecret && in(whole) {
				secrets++
			}
			if in(shown) != (in(whole) && !isSecret && !tooLarge) {
				t.Errorf("%s: %s is stored: %t, shown: %t\n%s", kind, field, in(whole), in(shown), shown)
			}
		}
	}
	if secrets != 5 {
		t.Errorf("found %d secrets, want 5: of an identity provider, a client and a user, and two of a second factor", secrets)
	}
	plain := (&account.User{ID: "u"}).Redacted().(*account.User)
	if plain.PasswordHash != "" {
		t.Error("a user without a password looks as if it had one")
	}
}

// fieldsOf returns the names of all fields of a struct, including nested ones.
func fieldsOf(of reflect.Type) (names []string) {
	for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[account.Meta]() {
		return nil
	}
	for i := range of.NumField() {
		names = append(names, of.Field(i).Name)
		names = append(names, fieldsOf(of.Field(i).Type)...)
	}
	return names
}

// TestJSONRoundTrip checks that the JSON encoding contains everything except Meta.
func TestJSONRoundTrip(t *testing.T) {
	for _, kind := range account.Kinds() {
		record := filled(t, kind)
		record.Head().Version = 7
		body, err := json.Marshal(record)
		if err != nil || bytes.Contains(body, []byte("ersion")) {
			t.Fatalf("%s: %s, %v", kind, body, err)
		}
		read := account.NewEntity(record.Key())
		if err := json.Unmarshal(body, read); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if read.Key() != record.Key() || read.Key().Kind != kind || read.Owner() != record.Owner() || !slices.Equal(read.Names(), record.Names()) {
			t.Errorf("%s: %+v is decoded as %+v", kind, record, read)
		}
		*record.Head() = account.Meta{}
		if again, _ := json.Marshal(read); !bytes.Equal(again, body) {
			t.Errorf("%s: %s is encoded again as %s", kind, body, again)
		}
	}
	if record := account.NewEntity(account.EntityKey{Kind: "collection"}); record != nil {
		t.Errorf("an unknown kind: %+v", record)
	}
}

func TestOwnersNamesAndLinks(t *testing.T) {
	of := account.EntityKey{Kind: account.KindAccount, ID: "a"}
	for name, c := range map[string]struct {
		record account.Entity
		owner  string
		names  []string
		links  []account.EntityKey
	}{
		"account":         {&account.Account{ID: "a"}, "a", nil, []account.EntityKey{{Kind: account.KindTier}}},
		"operator":        {&account.Account{ID: "a", Operator: true}, "a", nil, nil},
		"account in full": {&account.Account{ID: "a", Tier: "t", ContentPackage: "p"}, "a", nil, []account.EntityKey{{Kind: account.KindTier, ID: "t"}, {Kind: account.KindContentPackage, ID: "p"}}},
		"client":          {&account.Client{ID: "c", AccountID: "a"}, "a", nil, []account.EntityKey{of}},
		"staff member":    {&account.StaffMember{ID: "u", AccountID: "a"}, "a", nil, []account.EntityKey{{Kind: account.KindUser, ID: "u"}}},
		"second factor":   {&account.SecondFactor{ID: "u", AccountID: "a"}, "a", nil, []account.EntityKey{{Kind: account.KindUser, ID: "u"}}},
		"user":            {&account.User{ID: "u", AccountID: "a"}, "a", nil, []account.EntityKey{of}},
		"user in full": {
			&account.User{ID: "u", AccountID: "a", ExternalID: "E", Username: "Ann ", Issuer: "i", Subject: "s"}, "a",
			[]string{account.ExternalUserName("a", "E"), account.LocalUserName("a", "ann"), account.FederatedUserName("a", "i", "s")},
			[]account.EntityKey{of},
		},
		"tier":                {&account.Tier{ID: "t"}, "", nil, nil},
		"package":             {&account.ContentPackage{ID: "p", Name: "Some  Films"}, "", (&account.ContentPackage{Name: "some films"}).Names(), nil},
		"policy":              {&account.Policy{}, "", nil, nil},
		"account with prices": {&account.Account{ID: "a", PricePlan: "p"}, "a", nil, []account.EntityKey{{Kind: account.KindTier}, {Kind: account.KindPricePlan, ID: "p"}}},
		"draft":               {&account.Invoice{Invoice: billing.Invoice{Account: "a"}}, "a", nil, nil},
		"invoice":             {&account.Invoice{Invoice: billing.Invoice{Account: "a", Number: "2026-0001"}}, "a", []string{account.NameOf("invoice", "2026-0001")}, nil},
	} {
		if c.record.Owner() != c.owner || !slices.Equal(c.record.Names(), c.names) || !slices.Equal(c.record.Links(), c.links) {
			t.Errorf("%s: owner %q, names %q, links %v", name, c.record.Owner(), c.record.Names(), c.record.Links())
		}
	}
	if account.ExternalUserName("a", "E") == account.ExternalUserName("a", "e") {
		t.Error("Service-User-Ids are compared regardless of case")
	}
	if account.LocalUserName("a", "x") == account.ExternalUserName("a", "x") || account.LocalUserName("a", "x") == account.LocalUserName("b", "x") {
		t.Error("names of different kinds or accounts are the same")
	}
}

// TestNameOf checks that different parts give different names.
func TestNameOf(t *testing.T) {
	parts := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`[0-9:a]{0,4}`), rapid.String()), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		if (account.NameOf(a...) == account.NameOf(b...)) != slices.Equal(a, b) {
			t.Fatalf("%q and %q are %q and %q", a, b, account.NameOf(a...), account.NameOf(b...))
		}
		// The same text, split at another position.
		text := strings.Join(a, "")
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		if cut := []string{text[:at], text[at:]}; (account.NameOf(cut...) == account.NameOf(a...)) != slices.Equal(cut, a) {
			t.Fatalf("%q and %q share a name", a, cut)
		}
	})
}

func TestBuiltInTiers(t *testing.T) {
	var before *account.Tier
	for _, tier := range account.BuiltInTiers() {
		if faults := tier.Validate(); faults != nil {
			t.Errorf("%s: %v", tier.ID, faults)
		}
		if before != nil && account.PermissionsOf(before.Roles...)&^account.PermissionsOf(tier.Roles...) != 0 {
			t.Errorf("%s lacks what %s has", tier.ID, before.ID)
		}
		before = tier
	}
}
