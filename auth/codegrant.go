package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// grantAuthorizationCode implements RFC 6749 section 4.1.3. Reusing a code revokes all tokens issued for it (section
// 4.1.2).
func (s *Service) grantAuthorizationCode(ctx context.Context, request grantRequest, fresh account.Grant) (granted, error) {
	notBefore, err := s.notBefore(ctx)
	if err != nil {
		return granted{}, err
	}
	code, err := s.accounts.RedeemCode(ctx, hashOf(request.form["code"]), request.now, fresh,
		func(code account.Code) error {
			return checkCode(code, request, notBefore, s.rosters.now().records.RequiresPKCE(request.client))
		})
	switch {
	case errors.Is(err, account.ErrCodeReused):
		s.config.Logger.WarnContext(ctx, "authorization code used twice; its tokens are revoked", "client", code.ClientID)
		if err := s.revoke(ctx, code.Family); err != nil {
			return granted{}, err
		}
		return granted{}, invalidGrant("the code was used before; all tokens issued for it are revoked", err)
	case errors.Is(err, account.ErrCodeUnknown):
		return granted{}, unknownCode(err)
	case err != nil:
		return granted{}, err
	}
	given := granted{
		identity: identity{
			clientID: code.ClientID, scope: code.Scope, family: code.Family, session: code.Session, authTime: code.AuthTime,
		},
		nonce: code.Nonce,
	}
	user, err := s.userOf(ctx, request.client, code.User)
	if err != nil {
		return granted{}, errors.Join(err, s.accounts.DropGrants(ctx, account.GrantFilter{Family: code.Family}))
	}
	given.setUser(user)
	return given, nil
}

// checkCode compares a token request with the authorization request of the code, and the code's age with the policy's
// NotBefore.
func checkCode(code account.Code, request grantRequest, notBefore time.Time, requirePKCE bool) error {
	switch {
	case code.ClientID != request.client.ID || code.IssuedAt().Before(notBefore):
		return unknownCode(nil)
	case code.RedirectURI != request.form["redirect_uri"]:
		return invalidGrant("redirect_uri differs from that of the authorization request", nil)
	}
	return checkVerifier(code.Challenge, request.form["code_verifier"], requirePKCE)
}

// checkVerifier implements RFC 7636 section 4.6. It rejects a verifier for a code requested without a challenge,
// because an attacker may have removed the challenge (RFC 9700 section 2.1.1).
func checkVerifier(challenge, verifier string, required bool) error {
	switch {
	case challenge == "" && verifier != "":
		return invalidGrant("code_verifier is present, but the authorization request had no code_challenge", nil)
	case challenge == "" && required:
		return invalidGrant("the client must send a code_challenge with authorization requests", nil)
	case challenge == "":
		return nil
	case verifier == "":
		return invalidGrant("code_verifier is required because the authorization request had a code_challenge", nil)
	}
	sum := sha256.Sum256([]byte(verifier))
	if subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 0 {
		return invalidGrant("code_verifier does not match the code_challenge", nil)
	}
	return nil
}

// unknownCode does not reveal whether the code belongs to another client.
func unknownCode(cause error) *oauthError {
	return invalidGrant("the code is unknown, expired or belongs to another client", cause)
}
