package openapi

import (
	"net/http"
)

// describedMounts describes the endpoints outside the facade that belong to the published API, by method and path.
var describedMounts = map[string]description{
	"POST /v1/token": {
		tag: accessTag, id: "getToken", summary: "Get tokens",
		text: "Use `client_credentials` for a backend, `authorization_code` after a sign-in, and `refresh_token` to renew tokens. The client may also " +
			"authenticate with HTTP Basic. With `client_credentials`, `Service-User-Id` binds the tokens to that user.",
		parameters: componentNodes("parameters", "ServiceUserID"),
		body:       &bodyOf{mediaType: formType, schema: reference("TokenRequest")},
		answers: append([]answerOf{{
			status: http.StatusOK, text: "The tokens.", content: node{JSONType: node{"schema": reference("Token")}},
		}}, faults(
			http.StatusBadRequest, http.StatusUnauthorized, http.StatusRequestURITooLong, http.StatusTooManyRequests,
			http.StatusRequestHeaderFieldsTooLarge, http.StatusInternalServerError, http.StatusServiceUnavailable)...),
	},
	"GET /v1/authorize": {
		tag: accessTag, id: "authorize", summary: "Sign in a user in a browser",
		text:       "The application sends the browser to this address. The browser returns to `redirect_uri` with a code, which `POST /v1/token` exchanges for tokens.",
		parameters: append(queryNodes(authorizeParameters), componentNodes("parameters", "ServiceUserID")...),
		answers:    authorizeAnswers,
	},
	"POST /v1/authorize": {
		tag: accessTag, id: "authorizeByForm", summary: "Sign in a user in a browser by posting a form",
		text:       "This operation equals `GET /v1/authorize`, with the parameters in a form.",
		parameters: componentNodes("parameters", "ServiceUserID"),
		body:       &bodyOf{mediaType: formType, schema: reference("AuthorizeRequest")},
		answers:    append([]answerOf{{status: http.StatusSeeOther, text: "A redirect to the next step of the sign-in.", headers: []string{"Location"}}}, authorizeAnswers...),
	},
}

const formType = "application/x-www-form-urlencoded"

var authorizeAnswers = append([]answerOf{
	{
		status: http.StatusOK, text: "A page on which the user signs in.",
		content: node{"text/html; charset=utf-8": node{"schema": node{"type": "string"}}},
	},
	{
		status: http.StatusFound, text: "A redirect back to the application, or to the user's identity provider.",
		headers: []string{"Location"},
	},
	{
		status: http.StatusBadRequest, text: "The client is unknown, or the redirect URI is not registered for it. The server does not redirect to the application.",
		content: node{
			"text/html; charset=utf-8": node{"schema": node{"type": "string"}},
			JSONType:                   node{"schema": reference("Error")},
		},
	},
}, faults(
	http.StatusRequestURITooLong, http.StatusTooManyRequests, http.StatusRequestHeaderFieldsTooLarge,
	http.StatusInternalServerError, http.StatusServiceUnavailable)...)

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
		for name, value := range parameter {
			list[i][name] = value
		}
	}
	return list
}
