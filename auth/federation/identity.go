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

// Identity is a user who signed in at a provider.
type Identity struct {
	// Issuer and Subject are the only permanent identifier of the user (OpenID Connect Core, section 5.7); an e-mail
	// address may be reassigned.
	Issuer, Subject string
	// Email, GivenName and FamilyName are "" if the provider does not return them.
	Email, GivenName, FamilyName string
	EmailVerified                bool
	// Complete reports whether everything the provider offers about the user was read. If not, an empty field means
	// nothing.
	Complete bool
	// AuthTime is when the user authenticated, at most now.
	AuthTime time.Time
}

// Maximum lengths in characters (account.User.Validate). Longer claims are dropped.
const (
	maxSubject = 255 // OpenID Connect Core, section 2
	maxEmail   = 254
)

// claims are the claims of an ID token or of userinfo that this package uses.
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

// lenientBool is a boolean that some providers encode as a string. Any other value is false.
type lenientBool bool

// UnmarshalJSON never fails.
func (t *lenientBool) UnmarshalJSON(text []byte) error {
	*t = string(text) == "true" || string(text) == `"true"`
	return nil
}

// identify verifies the ID token (OpenID Connect Core, section 3.1.3.7) and returns its user.
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

// checkClaims checks the claims of a signed ID token against this sign-in.
func checkClaims(verified *oidc.IDToken, said claims, p *account.IdentityProvider, pending Pending, token *oauth2.Token, now time.Time) error {
	switch {
	case !sameSecret(verified.Nonce, pending.Nonce):
		return untrusted("the nonce does not match")
	case verified.Subject == "" || utf8.RuneCountInString(verified.Subject) > maxSubject || !isPlainText(verified.Subject):
		return untrusted("its sub is not 1 to %d characters", maxSubject)
	case said.AuthorizedParty != "" && said.AuthorizedParty != p.ClientID:
		return untrusted("it was issued to another party")
	case len(verified.Audience) > 1 && said.AuthorizedParty == "":
		return untrusted("it has several audiences and no azp")
	case verified.IssuedAt.After(now.Add(5 * leeway)):
		return untrusted("it was issued in the future")
	case verified.AccessTokenHash != "" && verified.VerifyAccessToken(token.AccessToken) != nil:
		return untrusted("it belongs to another access token")
	}
	return checkAuthAge(said, pending.MaxAge, now)
}

// checkAuthAge requires a recent auth_time if max_age was requested (OpenID Connect Core, section 3.1.2.1).
func checkAuthAge(said claims, maxAge *int64, now time.Time) error {
	if maxAge == nil {
		return nil
	}
	if said.AuthTime == nil {
		return untrusted("auth_time is missing although max_age was requested")
	}
	if now.Sub(seconds(*said.AuthTime)) > time.Duration(*maxAge)*time.Second+leeway {
		return untrusted("auth_time is older than max_age allows")
	}
	return nil
}

// addUserInfo adds claims from userinfo if the ID token lacks some, and reports whether everything was read. A
// failing userinfo endpoint does not prevent the sign-in, because the user is already identified.
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

// identityOf converts claims to an Identity. If there is no email claim, a preferred_username that is an e-mail
// address is used as an unverified one. A name without parts becomes the given name.
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

// seconds converts a NumericDate (RFC 7519 section 2).
func seconds(date float64) time.Time {
	const latest = 1 << 40 // beyond, a float is no instant any more
	return time.Unix(int64(max(0, min(date, latest))), 0).UTC()
}
