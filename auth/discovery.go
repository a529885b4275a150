package auth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// discovery is the discovery document: OpenID Connect Discovery section 3, RFC 8414 section 2, RFC 9207 section 3 and
// RP-Initiated Logout section 2.1.
type discovery struct {
	Issuer                string   `json:"issuer"`
	Authorization         string   `json:"authorization_endpoint"`
	Token                 string   `json:"token_endpoint"`
	UserInfo              string   `json:"userinfo_endpoint"`
	EndSession            string   `json:"end_session_endpoint"`
	Revocation            string   `json:"revocation_endpoint"`
	Introspection         string   `json:"introspection_endpoint"`
	Keys                  string   `json:"jwks_uri"`
	Scopes                []string `json:"scopes_supported"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	SubjectTypes          []string `json:"subject_types_supported"`
	IDTokenAlgorithms     []string `json:"id_token_signing_alg_values_supported"`
	Claims                []string `json:"claims_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	PromptValues          []string `json:"prompt_values_supported"`
	TokenMethods          []string `json:"token_endpoint_auth_methods_supported"`
	RevocationMethods     []string `json:"revocation_endpoint_auth_methods_supported"`
	IntrospectionMethods  []string `json:"introspection_endpoint_auth_methods_supported"`
	IssuerInAuthorization bool     `json:"authorization_response_iss_parameter_supported"`
	ClaimsParameter       bool     `json:"claims_parameter_supported"`
	RequestParameter      bool     `json:"request_parameter_supported"`
	RequestURIParameter   bool     `json:"request_uri_parameter_supported"`
}

// discoveryDocument returns the encoded discovery document for an issuer. With requireSecret, it does not offer the
// authentication method "none".
func discoveryDocument(issuer string, requireSecret bool) ([]byte, error) {
	at := func(path string) string { return strings.TrimSuffix(issuer, "/") + path }
	secretMethods := []string{"client_secret_basic", "client_secret_post"}
	anyMethod := secretMethods
	if !requireSecret {
		anyMethod = append(slices.Clip(secretMethods), "none")
	}
	encoded, err := json.Marshal(discovery{
		Issuer:        issuer,
		Authorization: at("/v1/authorize"), Token: at("/v1/token"), UserInfo: at("/v1/userinfo"), EndSession: at("/v1/logout"),
		Revocation: at("/v1/revoke"), Introspection: at("/v1/introspect"), Keys: at("/.well-known/jwks.json"),
		Scopes: scopes, ResponseTypes: []string{"code"}, ResponseModes: []string{"query"}, GrantTypes: grantNames(),
		SubjectTypes: []string{"public"}, IDTokenAlgorithms: []string{string(identityKeys.algorithm)},
		Claims: []string{
			"iss", "sub", "aud", "azp", "exp", "iat", "jti", "auth_time", "nonce", "at_hash", "sid",
			"name", "given_name", "family_name", "preferred_username", "updated_at", "email", "email_verified",
		},
		ChallengeMethods: []string{"S256"}, PromptValues: []string{"none", "login"},
		TokenMethods: anyMethod, RevocationMethods: anyMethod, IntrospectionMethods: secretMethods,
		IssuerInAuthorization: true,
	})
	if err != nil {
		return nil, fmt.Errorf("auth: encoding the discovery document: %w", err)
	}
	return encoded, nil
}

// keysMaxAge is how long clients may cache the key set and the discovery document. A key signs only when every copy
// made before its publication is older than that.
const keysMaxAge = 5 * time.Minute

func (s *Service) serveDiscovery(w http.ResponseWriter, r *http.Request) {
	document := s.discovery
	if s.rosters.now().records.RequireSecret {
		document = s.discoveryOfSecrets
	}
	servePublished(w, r, "the discovery document", "application/json", document)
}

func (s *Service) serveKeys(w http.ResponseWriter, r *http.Request) {
	servePublished(w, r, "the key set", "application/jwk-set+json", s.rosters.now().records.keys.published)
}

func servePublished(w http.ResponseWriter, r *http.Request, what, mediaType string, document []byte) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		httperror.Write(w, r, http.StatusMethodNotAllowed, "", fmt.Sprintf("%s must be read with GET, not %s", what, account.Quoted(r.Method)), nil)
		return
	}
	header := w.Header()
	header.Set("Content-Type", mediaType)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(keysMaxAge.Seconds())))
	_, _ = w.Write(document) // a client that is gone needs no answer
}
