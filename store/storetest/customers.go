package storetest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// me is the actor of the edits.
var me = account.Actor{Client: "operator", User: "someone"}

var equalRecords = cmpopts.IgnoreFields(account.Meta{}, "Version", "CreatedAt", "UpdatedAt")

func customer(id string) *account.Account {
	ends := catalogue.Date(20000)
	return &account.Account{
		ID: id, Name: "Customer " + id, Tier: "plus", Type: account.Standard, Status: account.Active,
		Products: []account.Product{"LTI"}, AccessExpiresOn: &ends, Subjects: []catalogue.ID{idOf(catalogue.KindSubject, 1)},
		AllowedOrigins: []string{"https://learn.example"}, IgnoresServiceUserID: true, Environment: account.Live, PasswordSignIn: true,
		IdentityProviders: []account.IdentityProvider{{
			Alias: "school", Name: "School", Issuer: "https://id.example", ClientID: "us", ClientSecret: providerSecret,
			Scopes: []string{"email"}, Domains: []string{"school.example"},
		}},
		EmbedsTakenOver: []string{"0123456789abcdef01234567"}, RequestsPerMinute: 5, RequestsPerMonth: 6,
	}
}

// Secrets that the audit log must not contain.
const (
	providerSecret = "provider-secret-4711"
	passwordHash   = "$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaC00NzEx"
)

func secretClient(id, owner string) *account.Client {
	sum, ends := sha256.Sum256([]byte("secret of "+id)), noon.Add(time.Hour)
	return &account.Client{
		ID: id, AccountID: owner, Name: "Client", RequireSecret: true, RequirePKCE: true, Roles: []account.Permission{account.ViewVideos},
		Secrets:      []account.Secret{{ID: "s1", Hash: sum[:], CreatedAt: noon, ExpiresAt: &ends}},
		RedirectURIs: []string{"https://learn.example/back?a=<b>"}, PostLogoutRedirectURIs: []string{"https://learn.example/"}, Disabled: true,
	}
}

func factorOf(user *account.User) *account.SecondFactor {
	return &account.SecondFactor{
		ID: user.ID, AccountID: user.AccountID, Secret: strings.Repeat("A", 32), RecoveryHashes: []string{strings.Repeat("0f", 32)},
	}
}

func person(n int, owner string) *account.User {
	return &account.User{
		ID: fmt.Sprintf("%024x", n), AccountID: owner, ExternalID: fmt.Sprint("ext ", n), Username: fmt.Sprint("User", n),
		PasswordHash: passwordHash, Issuer: "https://id.example", Subject: fmt.Sprint("sub ", n), Email: "a@school.example",
		EmailVerified: true, GivenName: "Ada", FamilyName: "Ä & <L>", Disabled: true,
	}
}

// logoOf returns a logo of an account: a PNG image whose noise fills several kilobytes.
func logoOf(owner string) *account.Logo {
	picture := image.NewRGBA(image.Rect(0, 0, 64, 64))
	rand.NewChaCha8([32]byte{}).Read(picture.Pix) //nolint:errcheck // never fails
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, picture); err != nil {
		panic(err)
	}
	logo, problem := account.NewLogo(owner, encoded.Bytes())
	if problem != "" {
		panic(problem)
	}
	return logo
}

func contentPackage(id, name string) *account.ContentPackage {
	return &account.ContentPackage{ID: id, Name: name, Rules: []catalogue.AccessRule{}}
}

// pricePlan returns a plan with a fee of 12.50.
func pricePlan(id string) *account.PricePlan {
	fee, err := billing.ParseDecimal("12.50")
	if err != nil {
		panic(err)
	}
	return &account.PricePlan{ID: id, Name: "Plan", Terms: billing.Terms{
		Currency: "EUR", MonthlyFee: fee, Components: []billing.Component{{Unit: billing.Minute, Allowance: 3, Steps: []billing.Step{{UpTo: 5, Price: fee}, {Price: fee}}}},
	}}
}

// invoiceOf returns the invoice of an account for a month of 2026, whose number is the month's.
func invoiceOf(owner string, month time.Month) *account.Invoice {
	at, of := noon, usage.Month{Year: 2026, Month: month}
	terms := pricePlan("").Terms
	lines := terms.Lines(of, billing.Quantities{Seconds: 1000}, nil)
	return &account.Invoice{ID: account.InvoiceID(owner, of), Invoice: billing.Invoice{
		Account: owner, Month: of, State: billing.Issued, Number: billing.Number(2026, int(month)), IssuedAt: &at, Customer: billing.Party{Name: "Ä"},
		Plan: "plan", PlanName: "Plan", Terms: terms, Lines: lines, Total: terms.Total(lines), Milliseconds: 5, Channels: []billing.ChannelTime{{Channel: "c", Milliseconds: 5}},
	}}
}
