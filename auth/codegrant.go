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

// grantAuthorizationCode is RFC 6749 section 4.1.3. A code that comes twice revokes all that it gave
// (section 4.1.2).
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
		s.config.Logger.WarnContext(ctx, "authorisation code used twice; what it gave is revoked", "client", code.ClientID)
		if err := s.revoke(ctx, code.Family); err != nil {
			return granted{}, err
		}
		return granted{}, invalidGrant("the code was used before; all that it gave is revoked", err)
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

// checkCode holds a token request against the authorisation request that the code came from, and the code
// against the instant before which nothing counts.
func checkCode(code account.Code, request grantRequest, notBefore time.Time, requirePKCE bool) error {
	switch {
	case code.ClientID != request.client.ID || code.IssuedAt().Before(notBefore):
		return unknownCode(nil)
	case code.RedirectURI != request.form["redirect_uri"]:
		return invalidGrant("redirect_uri is not the one that the code was asked for with", nil)
	}
	return checkVerifier(code.Challenge, request.form["code_verifier"], requirePKCE)
}

// checkVerifier is RFC 7636 section 4.6. A verifier for a code that was asked for without a challenge is
// refused: somebody has taken the challenge away (RFC 9700 section 2.1.1).
func checkVerifier(challenge, verifier string, required bool) error {
	switch {
	case challenge == "" && verifier != "":
		return invalidGrant("code_verifier is given, but the code was asked for without a code_challenge", nil)
	case challenge == "" && required:
		return invalidGrant("the client must ask for codes with a code_challenge", nil)
	case challenge == "":
		return nil
	case verifier == "":
		return invalidGrant("code_verifier is required: the code was asked for with a code_challenge", nil)
	}
	sum := sha256.Sum256([]byte(verifier))
	if subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 0 {
		return invalidGrant("code_verifier does not match the code_challenge", nil)
	}
	return nil
}

// unknownCode does not say whether the code is another client's.
func unknownCode(cause error) *oauthError {
	return invalidGrant("the code is unknown, expired or of another client", cause)
}
