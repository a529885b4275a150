package federation

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"

	"github.com/filmstrip/filmstrip/account"
)

// Check reads the configuration and the keys of a provider, without the cache, and offers the token endpoint a code that
// does not exist, because the answer shows whether the provider knows the client and its secret. It returns the problem that
// would prevent sign-ins, or "" if it finds none. It cannot know whether the redirect URI is registered.
func (c *Client) Check(ctx context.Context, p *account.IdentityProvider, redirectURI string) string {
	known, err := c.fetch(ctx, p.Issuer)
	if err != nil {
		return "its configuration cannot be read: " + logText(err)
	}
	if err := c.checkKeys(ctx, known.metadata.JWKS); err != nil {
		return "its keys cannot be read: " + logText(err)
	}
	const noCode = "connection-test"
	_, refused, err := c.tryExchange(ctx, known, p, redirectURI, noCode, oauth2.GenerateVerifier())
	switch {
	case err != nil:
		return "its token endpoint cannot be reached"
	case refused == nil:
		return "its token endpoint accepts codes that it has not issued"
	case refused.ErrorCode == invalidClient || refused.ErrorCode == "unauthorized_client":
		return fmt.Sprintf("it does not accept the client id %q with this secret", p.ClientID)
	case refused.Response.StatusCode >= http.StatusInternalServerError:
		return fmt.Sprintf("its token endpoint returned %d", refused.Response.StatusCode)
	}
	return ""
}

// checkKeys returns an error unless an address has a set of keys (RFC 7517).
func (c *Client) checkKeys(ctx context.Context, address string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var keys jose.JSONWebKeySet
	switch {
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("%s returned %d", address, response.StatusCode)
	case json.Unmarshal(body, &keys) != nil || len(keys.Keys) == 0:
		return fmt.Errorf("%s has no keys", address)
	}
	return nil
}
