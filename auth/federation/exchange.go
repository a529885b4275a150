package federation

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/egress"
)

func sameSecret(a, b string) bool {
	return b != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

// exchange exchanges a code for tokens. It logs why a token endpoint is not available, because the user learns nothing more.
func (c *Client) exchange(ctx context.Context, k *providerConfig, p *account.IdentityProvider, redirectURI, code, verifier string) (*oauth2.Token, error) {
	token, refused, err := c.tryExchange(ctx, k, p, redirectURI, code, verifier)
	if refused != nil {
		err = tokenEndpointError(refused)
	}
	if unanswered := (*fault.Error)(nil); errors.As(err, &unanswered) && ctx.Err() == nil {
		c.logger.WarnContext(ctx, "an identity provider's token endpoint cannot be used", "issuer", p.Issuer, "error", logText(unanswered.Cause))
	}
	return token, err
}

// tryExchange tries the client authentication methods in order until one is not rejected with invalid_client, which does
// not use up the code. It returns the tokens, or the provider's refusal, or an error with the code Unavailable.
func (c *Client) tryExchange(
	ctx context.Context, k *providerConfig, p *account.IdentityProvider, redirectURI, code, verifier string,
) (token *oauth2.Token, refused *oauth2.RetrieveError, err error) {
	config := oauth2.Config{ClientID: p.ClientID, ClientSecret: p.ClientSecret, Endpoint: k.Endpoint(), RedirectURL: redirectURI}
	for _, style := range k.authStyles(p) {
		config.Endpoint.AuthStyle = style
		token, err := config.Exchange(oidc.ClientContext(ctx, c.http), code, oauth2.VerifierOption(verifier))
		if err == nil {
			return token, nil, nil
		}
		if !errors.As(err, &refused) {
			return nil, nil, unavailable(err)
		}
		if refused.ErrorCode != invalidClient {
			break
		}
	}
	return nil, refused, nil
}

// invalidClient is the error code for a client that is unknown or failed to authenticate (RFC 6749 section 5.2).
const invalidClient = "invalid_client"

// authStyles returns the authentication methods for the token endpoint (OpenID Connect Core, section 9), the
// preferred one first. A discovery document without methods means client_secret_basic (Discovery, section 3).
func (k *providerConfig) authStyles(p *account.IdentityProvider) []oauth2.AuthStyle {
	if p.ClientSecret == "" {
		return []oauth2.AuthStyle{oauth2.AuthStyleInParams} // a public client: client_id alone
	}
	methods := k.metadata.AuthMethods
	var styles []oauth2.AuthStyle
	if len(methods) == 0 || slices.Contains(methods, "client_secret_basic") {
		styles = append(styles, oauth2.AuthStyleInHeader)
	}
	if slices.Contains(methods, "client_secret_post") {
		styles = append(styles, oauth2.AuthStyleInParams)
	}
	if styles == nil {
		styles = []oauth2.AuthStyle{oauth2.AuthStyleInHeader}
	}
	return styles
}

// tokenEndpointError returns the error for an error response of the token endpoint. It omits the response's text,
// which may repeat secrets that were sent.
func tokenEndpointError(answer *oauth2.RetrieveError) error {
	err := fmt.Errorf("the token endpoint returned %d %s", answer.Response.StatusCode, printable(answer.ErrorCode))
	if answer.Response.StatusCode >= http.StatusInternalServerError || answer.Response.StatusCode == http.StatusTooManyRequests {
		return unavailable(err)
	}
	return untrusted("%w", err)
}

// logText returns an error's text for the log, shortened to one line. If a connection was refused, that error is
// used, because its text names the setting that allows it.
func logText(err error) string {
	if refused, ok := errors.AsType[*egress.Refused](err); ok {
		err = refused
	}
	return printable(err.Error())
}

func printable(text string) string {
	const most = 200
	var kept []rune
	for _, char := range text {
		if len(kept) == most {
			break
		}
		if char < ' ' || char == 0x7f {
			char = ' '
		}
		kept = append(kept, char)
	}
	return string(kept)
}
