package openapi

import (
	"maps"
	"net/http"
)

// describedMounts describes the endpoints outside the facade that belong to the published API, by method and path.
var describedMounts = map[string]description{
	"POST /v1/token": {
		tag: accessTag, id: "getToken", summary: "Get tokens",
		text: "Use `client_credentials` for a backend, `authorization_code` after a sign-in, and `refresh_token` to renew tokens. The client may also " +
			"authenticate with HTTP Basic. With `client_credentials`, `Service-User-Id` binds the tokens to that user.",
		parameters: sharedParameters("ServiceUserID"),
		body:       &bodyOf{mediaType: formType, schema: reference("TokenRequest")},
		answers: append([]answerOf{{
			status: http.StatusOK, text: "The tokens.", content: node{JSONType: node{"schema": reference("Token")}},
		}}, formFaults...),
	},
	"GET /v1/authorize": {
		tag: accessTag, id: "authorize", summary: "Sign in a user in a browser",
		text:       "The application sends the browser to this address. The browser returns to `redirect_uri` with a code, which `POST /v1/token` exchanges for tokens.",
		parameters: append(queryNodes(authorizeParameters), sharedParameters("ServiceUserID")...),
		answers:    authorizeAnswers,
	},
	"POST /v1/authorize": {
		tag: accessTag, id: "authorizeByForm", summary: "Sign in a user in a browser by posting a form",
		text:       "This operation equals `GET /v1/authorize`, with the parameters in a form.",
		parameters: sharedParameters("ServiceUserID"),
		body:       &bodyOf{mediaType: formType, schema: reference("AuthorizeRequest")},
		answers:    append([]answerOf{{status: http.StatusSeeOther, text: "A redirect to the next step of the sign-in.", headers: []string{"Location"}}}, authorizeAnswers...),
	},
	"POST /v1/revoke": {
		tag: accessTag, id: "revokeToken", summary: "Revoke a token",
		text: "Revoking a refresh token ends the sign-in with all its tokens; revoking an access token ends that token alone (RFC 7009). For an unknown " +
			"token, the response is the same.",
		body:     &bodyOf{mediaType: formType, schema: reference("RevocationRequest")},
		security: clientCredentials,
		answers:  append([]answerOf{{status: http.StatusOK, text: "The token is not valid, or not any more."}}, formFaults...),
	},
	"POST /v1/introspect": {
		tag: accessTag, id: "introspectToken", summary: "Read the account and user of a token",
		text:     "Only clients with a secret may introspect tokens, and only those of their own account (RFC 7662). All other tokens are reported as not active.",
		body:     &bodyOf{mediaType: formType, schema: reference("IntrospectionRequest")},
		security: clientCredentials,
		answers: append([]answerOf{{
			status: http.StatusOK, text: "The state of the token.", content: node{JSONType: node{"schema": reference("Introspection")}},
		}}, formFaults...),
	},
	"GET /v1/userinfo":  userInfo("getUserInfo", "Read the claims of the signed-in user", "The token must belong to a user and have the scope `openid`."),
	"POST /v1/userinfo": userInfo("postUserInfo", "Read the claims of the signed-in user by POST", "This operation equals `GET /v1/userinfo`."),
	"GET /v1/logout": {
		tag: accessTag, id: "logout", summary: "Sign out a user in a browser",
		text: "The application sends the browser to this address (OpenID Connect RP-Initiated Logout). Without a valid `id_token_hint`, " +
			"the user confirms on a page.",
		parameters: queryNodes(logoutParameters),
		answers:    logoutAnswers,
	},
	"POST /v1/logout": {
		tag: accessTag, id: "logoutByForm", summary: "Sign out a user in a browser by posting a form",
		text:    "This operation equals `GET /v1/logout`, with the parameters in a form.",
		body:    &bodyOf{mediaType: formType, schema: reference("LogoutRequest")},
		answers: logoutAnswers,
	},
	"GET /.well-known/openid-configuration": {
		tag: accessTag, id: "getDiscovery", summary: "Read the configuration of OpenID Connect",
		text: "The document names the endpoints of sign-in and what they support.",
		answers: append([]answerOf{{
			status: http.StatusOK, text: "The configuration.", content: node{JSONType: node{"schema": reference("Discovery")}},
		}}, everyMountFault...),
	},
	"GET /.well-known/jwks.json": {
		tag: accessTag, id: "getKeys", summary: "Read the public keys that verify tokens",
		answers: append([]answerOf{{
			status: http.StatusOK, text: "The keys.", content: node{"application/jwk-set+json": node{"schema": reference("KeySet")}},
		}}, everyMountFault...),
	},
}

func userInfo(id, summary, text string) description {
	return description{
		tag: accessTag, id: id, summary: summary, text: text,
		parameters: sharedParameters("ServiceUserID"),
		security:   []node{{oauthName: []string{"openid"}}, {tokenName: []string{}}},
		answers: append([]answerOf{{
			status: http.StatusOK, text: "The claims.", content: node{JSONType: node{"schema": reference("UserInfo")}},
		}}, append(faults(http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden), everyMountFault...)...),
	}
}

// clientCredentials are the ways in which a client authenticates: with HTTP Basic or with fields of the form.
var clientCredentials = []node{{clientName: []string{}}, {}}

// everyMountFault are the faults with which any request to a mount may fail.
var everyMountFault = faults(
	http.StatusRequestURITooLong, http.StatusTooManyRequests, http.StatusRequestHeaderFieldsTooLarge,
	http.StatusInternalServerError, http.StatusServiceUnavailable)

// formFaults are the faults of the endpoints that read a form with the credentials of a client.
var formFaults = append(faults(http.StatusBadRequest, http.StatusUnauthorized), everyMountFault...)

const formType = "application/x-www-form-urlencoded"

var authorizeAnswers = append([]answerOf{
	{
		status: http.StatusOK, text: "A page on which the user signs in.",
		content: node{htmlType: node{"schema": node{"type": "string"}}},
	},
	{
		status: http.StatusFound, text: "A redirect back to the application, or to the user's identity provider.",
		headers: []string{"Location"},
	},
	{
		status: http.StatusBadRequest, text: "The client is unknown, or the redirect URI is not registered for it. The server does not redirect to the application.",
		content: node{
			htmlType: node{"schema": node{"type": "string"}},
			JSONType: node{"schema": reference("Error")},
		},
	},
}, everyMountFault...)

// htmlType is the content type of pages.
const htmlType = "text/html; charset=utf-8"

var logoutAnswers = append([]answerOf{
	{
		status: http.StatusOK, text: "A page on which the user confirms, or which says that the user is signed out.",
		content: node{htmlType: node{"schema": node{"type": "string"}}},
	},
	{status: http.StatusSeeOther, text: "A redirect to `post_logout_redirect_uri`.", headers: []string{"Location"}},
	{
		status: http.StatusBadRequest, text: "The client is unknown, or the redirect URI is not registered for it.",
		content: node{
			htmlType: node{"schema": node{"type": "string"}},
			JSONType: node{"schema": reference("Error")},
		},
	},
}, everyMountFault...)

// logoutParameters are the parameters of a sign-out.
var logoutParameters = []node{
	{"name": "id_token_hint", "schema": Text, "description": "An ID token of the sign-in that ends. With it, the server does not ask the user to confirm."},
	{"name": "client_id", "schema": Text, "description": "The id of the client, if there is no `id_token_hint`."},
	{"name": "post_logout_redirect_uri", "schema": Text, "description": "The address to which the browser returns, exactly as registered."},
	{"name": "state", "schema": Text, "description": "An opaque value that the redirect returns unchanged."},
}

func faults(statuses ...int) []answerOf {
	list := make([]answerOf, len(statuses))
	for i, status := range statuses {
		list[i] = problem(status)
	}
	return list
}

var filledSchema = node{"type": "string", "minLength": 1}

// authorizeParameters are the most common parameters of a sign-in.
var authorizeParameters = []node{
	{"name": "response_type", "required": true, "schema": Enum([]string{"code"}), "description": "The type of response."},
	{"name": "client_id", "required": true, "schema": filledSchema, "description": "The id of the client."},
	{"name": "redirect_uri", "required": true, "schema": filledSchema, "description": "The address to which the browser returns, exactly as registered."},
	{"name": "state", "schema": Text, "description": "An opaque value that the redirect returns unchanged."},
	{"name": "scope", "schema": Text, "description": "The scopes of the tokens, such as `openid profile email`."},
	{"name": "nonce", "schema": Text, "description": "A value that the ID token returns."},
	{"name": "code_challenge", "schema": Text, "description": "The code challenge of PKCE (RFC 7636). We recommend it; the client's settings or the policy may require it."},
	{"name": "code_challenge_method", "schema": Enum([]string{"S256"}), "description": "The method of the code challenge."},
}

func queryNodes(parameters []node) []node {
	list := make([]node, len(parameters))
	for i, parameter := range parameters {
		list[i] = node{"in": "query"}
		maps.Copy(list[i], parameter)
	}
	return list
}
