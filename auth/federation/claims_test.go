package federation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/federation"
)

// TestClaims checks that the different forms in which providers send claims give the same identity.
func TestClaims(t *testing.T) {
	ann := federation.Identity{Email: "ann@school.example", EmailVerified: true, GivenName: "Ann", FamilyName: "Lee", Complete: true}
	with := func(change func(*federation.Identity)) federation.Identity {
		changed := ann
		change(&changed)
		return changed
	}
	for name, test := range map[string]struct {
		claims, userinfo map[string]any
		want             federation.Identity
	}{
		"Keycloak":             {map[string]any{"azp": clientID, "preferred_username": "ann", "aud": []string{clientID}}, nil, ann},
		"several audiences":    {map[string]any{"azp": clientID, "aud": []string{"account", clientID}}, nil, ann},
		"verified as text":     {map[string]any{"email_verified": "true"}, nil, ann},
		"not verified as text": {map[string]any{"email_verified": "false"}, nil, with(func(i *federation.Identity) { i.EmailVerified = false })},
		"nothing of verified":  {map[string]any{"email_verified": nil}, nil, with(func(i *federation.Identity) { i.EmailVerified = false })},
		"at userinfo": {
			map[string]any{"email": nil, "email_verified": nil, "given_name": nil, "family_name": nil},
			map[string]any{"email": "ann@school.example", "email_verified": "true", "given_name": "Ann", "family_name": "Lee"}, ann,
		},
		"a name in one piece": {
			map[string]any{"given_name": nil, "family_name": nil, "name": "Ann Lee"}, nil,
			with(func(i *federation.Identity) { i.GivenName, i.FamilyName = "Ann Lee", "" }),
		},
		"a username that is an address": {
			map[string]any{"email": nil, "preferred_username": "ann@school.example"}, nil,
			with(func(i *federation.Identity) { i.EmailVerified = false }),
		},
		"no address anywhere": {
			map[string]any{"email": nil, "preferred_username": "ann"}, nil,
			with(func(i *federation.Identity) { i.Email, i.EmailVerified = "", false }),
		},
		"texts that do not fit": {
			map[string]any{"email": strings.Repeat("x", 254) + "@school.example", "given_name": strings.Repeat("x", 201), "family_name": "L\x00e"}, nil,
			with(func(i *federation.Identity) { i.Email, i.EmailVerified, i.GivenName, i.FamilyName = "", false, "", "" }),
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			p.claims, p.userinfo = test.claims, test.userinfo
			got := *mustSignIn(t, newClient(federation.Config{}), p, p.identityProvider())
			got.AuthTime, got.Issuer, got.Subject = time.Time{}, "", ""
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			user := account.User{ID: strings.Repeat("0", 24), AccountID: "demo", Issuer: p.URL, Subject: "user-1", Email: got.Email, GivenName: got.GivenName, FamilyName: got.FamilyName}
			if faults := user.Validate(); faults != nil {
				t.Error(faults)
			}
		})
	}
}
