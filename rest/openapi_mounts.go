package rest

import (
	"net/http"
)

// describedMounts describes the endpoints beside the facade that are part of the published API, by method and path.
var describedMounts = map[string]description{
	"POST /v1/token": {
		tag: accessTag, id: "getToken", summary: "Get tokens",
		text: "`client_credentials` for a backend, `authorization_code` after a sign-in, `refresh_token` to go on. The client may also " +
			"say who it is by HTTP Basic. With `client_credentials`, `Service-User-Id` makes the tokens those of that user.",
		parameters: componentNodes("parameters", "ServiceUserID"),
		body:       &bodyOf{mediaType: formType, schema: reference("TokenRequest")},
		answers: append([]answerOf{{
			status: http.StatusOK, text: "The tokens.", content: node{jsonType: node{"schema": reference("Token")}},
		}}, faults(
			http.StatusBadRequest, http.StatusUnauthorized, http.StatusRequestURITooLong, http.StatusTooManyRequests,
			http.StatusRequestHeaderFieldsTooLarge, http.StatusInternalServerError, http.StatusServiceUnavailable)...),
	},
	"GET /v1/authorize": {
		tag: accessTag, id: "authorize", summary: "Sign a user in, in a browser",
		text:       "Where the application sends the browser. It comes back to `redirect_uri` with a code, which `POST /v1/token` turns into tokens.",
		parameters: append(queryNodes(authorizeParameters), componentNodes("parameters", "ServiceUserID")...),
		answers:    authorizeAnswers,
	},
	"POST /v1/authorize": {
		tag: accessTag, id: "authorizeByForm", summary: "Sign a user in, in a browser, by a form",
		text:       "The same with the parameters in a form.",
		parameters: componentNodes("parameters", "ServiceUserID"),
		body:       &bodyOf{mediaType: formType, schema: reference("AuthorizeRequest")},
		answers:    append([]answerOf{{status: http.StatusSeeOther, text: "The browser is sent on.", headers: []string{"Location"}}}, authorizeAnswers...),
	},
}

const formType = "application/x-www-form-urlencoded"

var authorizeAnswers = append([]answerOf{
	{
		status: http.StatusOK, text: "A page on which the user signs in.",
		content: node{"text/html; charset=utf-8": node{"schema": node{"type": "string"}}},
	},
	{
		status: http.StatusFound, text: "The browser is sent back to the application, or on to the identity provider of the user.",
		headers: []string{"Location"},
	},
	{
		status: http.StatusBadRequest, text: "The client is not known, or the address is not registered for it. The application learns nothing of it.",
		content: node{
			"text/html; charset=utf-8": node{"schema": node{"type": "string"}},
			jsonType:                   node{"schema": reference("Error")},
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

// authorizeParameters are those of a sign-in that clients need most.
var authorizeParameters = []node{
	{"name": "response_type", "required": true, "schema": enumSchema([]string{"code"}), "description": "What the application wants."},
	{"name": "client_id", "required": true, "schema": filledSchema, "description": "The client."},
	{"name": "redirect_uri", "required": true, "schema": filledSchema, "description": "Where the browser comes back to, exactly as it is registered."},
	{"name": "state", "schema": textSchema, "description": "Comes back as it is."},
	{"name": "scope", "schema": textSchema, "description": "What the tokens shall tell of the user, such as `openid profile email`."},
	{"name": "nonce", "schema": textSchema, "description": "Comes back in the ID token."},
	{"name": "code_challenge", "schema": textSchema, "description": "PKCE (RFC 7636). Recommended; the client or the policy may require it."},
	{"name": "code_challenge_method", "schema": enumSchema([]string{"S256"}), "description": "How the challenge was made."},
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
