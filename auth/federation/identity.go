package federation

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/filmstrip/filmstrip/account"
)

// Identity is who a provider says has signed in.
type Identity struct {
	// Issuer and Subject name the user for good (OpenID Connect Core, section 5.7): an e-mail address
	// may become another's.
	Issuer, Subject string
	// Email, GivenName and FamilyName are "" where the provider does not tell them.
	Email, GivenName, FamilyName string
	EmailVerified                bool
	// Complete reports whether all that the provider tells of the user has been read; where it is not,
	// an empty field says nothing.
	Complete bool
	// AuthTime is when the user proved who they are, at most now.
	AuthTime time.Time
}

// The longest texts of a user, in characters (account.User.Validate). A claim that is longer is left out.
const (
	maxSubject = 255 // OpenID Connect Core, section 2
	maxEmail   = 254
)

// claims are the claims of an ID token or of userinfo that matter here.
type claims struct {
	Subject           string      `json:"sub"`
	AuthorizedParty   string      `json:"azp"`
	AuthTime          *float64    `json:"auth_time"`
	Email             string      `json:"email"`
	EmailVerified     lenientBool `json:"email_verified"`
	GivenName         string      `json:"given_name"`
	FamilyName        string      `json:"family_name"`
	Name              string      `json:"name"`
	PreferredUsername string      `json:"preferred_username"`
}

// truth is a boolean that some providers write as a string. Anything else is false.
type lenientBool bool

// UnmarshalJSON takes what it can read.
func (t *lenientBool) UnmarshalJSON(text []byte) error {
	*t = string(text) == "true" || string(text) == `"true"`
	return nil
}

// identify verifies the ID token (OpenID Connect Core, section 3.1.3.7) and reads who it is about.
func (c *Client) identify(ctx context.Context, k *providerConfig, p *account.IdentityProvider, pending Pending, token *oauth2.Token) (*Identity, error) {
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return nil, untrusted("there is no ID token")
	}
	now := c.clock()
	verifier := k.Verifier(&oidc.Config{ClientID: p.ClientID, Now: func() time.Time { return now.Add(-leeway) }})
	verified, err := verifier.Verify(oidc.ClientContext(ctx, c.http), raw)
	if err != nil {
		return nil, untrusted("%s", logText(err))
	}
	var said claims
	if err := verified.Claims(&said); err != nil {
		return nil, untrusted("its claims cannot be read")
	}
	if err := checkClaims(verified, said, p, pending, token, now); err != nil {
		return nil, err
	}
	complete := c.addUserInfo(ctx, k, &said, token)
	if said.Subject != verified.Subject {
		return nil, untrusted("userinfo is about another user")
	}
	return identityOf(k.issuer, said, complete, now), nil
}

// judge holds a signed ID token against this sign-in.
func checkClaims(verified *oidc.IDToken, said claims, p *account.IdentityProvider, pending Pending, token *oauth2.Token, now time.Time) error {
	switch {
	case !sameSecret(verified.Nonce, pending.Nonce):
		return untrusted("its nonce is another's")
	case verified.Subject == "" || utf8.RuneCountInString(verified.Subject) > maxSubject || !isPlainText(verified.Subject):
		return untrusted("its sub is not 1 to %d characters", maxSubject)
	case said.AuthorizedParty != "" && said.AuthorizedParty != p.ClientID:
		return untrusted("it was issued to another party")
	case len(verified.Audience) > 1 && said.AuthorizedParty == "":
		return untrusted("it has several audiences and names no party")
	case verified.IssuedAt.After(now.Add(5 * leeway)):
		return untrusted("it was issued in the future")
	case verified.AccessTokenHash != "" && verified.VerifyAccessToken(token.AccessToken) != nil:
		return untrusted("it belongs to another access token")
	}
	return checkAuthAge(said, pending.MaxAge, now)
}

// judgeAge requires auth_time where max_age was asked for (OpenID Connect Core, section 3.1.2.1).
func checkAuthAge(said claims, maxAge *int64, now time.Time) error {
	if maxAge == nil {
		return nil
	}
	if said.AuthTime == nil {
		return untrusted("it does not say when the user signed in, which was asked for")
	}
	if now.Sub(seconds(*said.AuthTime)) > time.Duration(*maxAge)*time.Second+leeway {
		return untrusted("the user signed in longer ago than was asked for")
	}
	return nil
}

// complete adds what userinfo tells where the ID token tells too little, and reports whether all that
// there is has been read. A userinfo endpoint that fails keeps nobody out: who the user is is known.
func (c *Client) addUserInfo(ctx context.Context, k *providerConfig, said *claims, token *oauth2.Token) bool {
	if said.Email != "" && (said.GivenName != "" || said.FamilyName != "" || said.Name != "") || k.UserInfoEndpoint() == "" {
		return true
	}
	info, err := k.UserInfo(oidc.ClientContext(ctx, c.http), oauth2.StaticTokenSource(token))
	if err != nil {
		c.logger.WarnContext(ctx, "an identity provider's userinfo cannot be read", "issuer", k.issuer, "error", logText(err))
		return false
	}
	var more claims
	if err := info.Claims(&more); err != nil {
		c.logger.WarnContext(ctx, "an identity provider's userinfo cannot be read", "issuer", k.issuer)
		return false
	}
	said.Subject = more.Subject // it must be the ID token's (OpenID Connect Core, section 5.3.2)
	if said.Email == "" {
		said.Email, said.EmailVerified = more.Email, more.EmailVerified
	}
	for _, field := range []struct {
		into *string
		from string
	}{{&said.GivenName, more.GivenName}, {&said.FamilyName, more.FamilyName}, {&said.Name, more.Name}, {&said.PreferredUsername, more.PreferredUsername}} {
		if *field.into == "" {
			*field.into = field.from
		}
	}
	return true
}

// identityOf reads claims as a user. A preferred_username that is an address serves as one where there
// is no other, never as a verified one; a name in one piece stands as the given name.
func identityOf(issuer string, said claims, complete bool, now time.Time) *Identity {
	identity := &Identity{
		Issuer: issuer, Subject: said.Subject, Email: said.Email, EmailVerified: bool(said.EmailVerified),
		GivenName: said.GivenName, FamilyName: said.FamilyName, Complete: complete, AuthTime: now,
	}
	if identity.Email == "" && strings.Contains(said.PreferredUsername, "@") {
		identity.Email, identity.EmailVerified = said.PreferredUsername, false
	}
	if !fits(identity.Email, maxEmail) || !strings.Contains(identity.Email, "@") {
		identity.Email, identity.EmailVerified = "", false
	}
	if identity.GivenName == "" && identity.FamilyName == "" {
		identity.GivenName = said.Name
	}
	for _, name := range []*string{&identity.GivenName, &identity.FamilyName} {
		if !fits(*name, account.MaxNameLength) {
			*name = ""
		}
	}
	if said.AuthTime != nil {
		if at := seconds(*said.AuthTime); at.Before(now) && at.Unix() > 0 {
			identity.AuthTime = at
		}
	}
	return identity
}

func fits(text string, most int) bool {
	return utf8.RuneCountInString(text) <= most && isPlainText(text)
}

func isPlainText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// seconds reads a NumericDate (RFC 7519 section 2).
func seconds(date float64) time.Time {
	const latest = 1 << 40 // beyond, a float is no instant any more
	return time.Unix(int64(max(0, min(date, latest))), 0).UTC()
}
