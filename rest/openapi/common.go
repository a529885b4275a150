package openapi

import (
	"net/http"
	"strconv"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/httpserver"
)

var information = node{
	"title":   "Filmstrip",
	"version": "1",
	"summary": "A catalogue of educational video",
	"description": "Documents are HAL. The `_links` of a document state what the caller can do next; they depend on the " +
		"caller and on the resource. Follow links from `GET /v1/`: the addresses below may change, but the names of " +
		"relations and of their template variables do not. Only what this document describes is part of the contract; " +
		"ignore other fields of responses.\n\n" +
		"We are going to remove everything that is marked as deprecated. Responses to calls that use it have the headers " +
		"`Deprecation` and `Link` and, once a day is set, `Sunset`; nothing is removed before that day. We notify clients when " +
		"a day is set or moved, and remind them a week before it; a client that needs more time can get more.",
	"license": node{"name": "Apache License 2.0", "identifier": "Apache-2.0"},
	"contact": node{"name": "Filmstrip", "url": "https://github.com/filmstrip/filmstrip"},
}

// The tags, in the order in which the document lists them.
const (
	accessTag    = "Access"
	indexTag     = "Index"
	videosTag    = "Videos"
	referenceTag = "Reference data"
	usersTag     = "Users"
	placesTag    = "Places"
	eventsTag    = "Events"

	materialTag    = "Learning material"
	curriculumTag  = "Curriculum"
	collectionsTag = "Collections"
)

var tags = []node{
	{"name": accessTag, "description": "Sign-in and access tokens."},
	{"name": indexTag, "description": "The entry points of the API."},
	{"name": videosTag, "description": "Videos: single videos, search, and feeds of all videos."},
	{"name": materialTag, "description": "Captions, learning outcomes, assessment questions, CEFR levels and highlights of videos."},
	{"name": curriculumTag, "description": "Videos aligned to curricula and textbooks."},
	{"name": collectionsTag, "description": "Lists of videos that users or the service curate."},
	{"name": referenceTag, "description": "Subjects, disciplines, channels, tags and other data that videos refer to."},
	{"name": usersTag, "description": "User profiles."},
	{"name": placesTag, "description": "Countries with their schools and districts."},
	{"name": eventsTag, "description": "Usage events that clients report."},
}

// The names of the security schemes.
const (
	oauthName  = "oauth2"
	tokenName  = "token"
	clientName = "client"
)

// securitySchemes returns the ways in which callers authenticate at a server with a base address.
func securitySchemes(base string) node {
	scopes := node{
		"openid": "The tokens include an ID token.", "profile": "The claims include the names of the user.",
		"email": "The claims include the e-mail address of the user.",
	}
	return node{
		oauthName: node{
			"type": "oauth2", "description": "A backend uses the client credentials; an application signs users in with the authorization code and PKCE.",
			"flows": node{
				"clientCredentials": node{"tokenUrl": base + "/v1/token", "refreshUrl": base + "/v1/token", "scopes": scopes},
				"authorizationCode": node{
					"authorizationUrl": base + "/v1/authorize", "tokenUrl": base + "/v1/token", "refreshUrl": base + "/v1/token", "scopes": scopes,
				},
			},
		},
		tokenName: node{
			"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
			"description": "The `access_token` from a response of `POST /v1/token`.",
		},
		clientName: node{"type": "http", "scheme": "basic", "description": "The id and the secret of a client (RFC 6749 section 2.3.1)."},
	}
}

// commonHeaders are httpserver.TraceHeader and the other headers that answers contain.
var commonHeaders = node{
	httpserver.TraceHeader: node{
		"description": "The id of the request in the logs and traces of the service.", "required": true,
		"schema": node{"type": "string", "pattern": "^[0-9a-f]{32}$"},
	},
	"Etag": node{
		"description": "The entity tag of the response, for `If-None-Match`.", "required": true,
		"schema": node{"type": "string"},
	},
	"Location": node{
		"description": "The address of the new resource, or of the redirect's target.", "required": true, "schema": node{"type": "string"},
	},
	"Retry-After": node{
		"description": "The number of seconds after which the caller can retry.", "required": true,
		"schema": node{"type": "integer", "minimum": 0},
	},
	"WWW-Authenticate": node{
		"description": "The authentication scheme that the endpoint requires.", "required": true, "schema": node{"type": "string"},
	},
	"Deprecation": node{
		"description": "The call used a deprecated item; the value is the date of its deprecation (RFC 9745). `Link` leads to the replacement.",
		"schema":      node{"type": "string", "pattern": "^@[0-9]+$"},
	},
	"Sunset": node{
		"description": "The day from which the deprecated item may be removed for this caller (RFC 8594). Without the header, no day is set.",
		"schema":      node{"type": "string"},
	},
	"Link": node{
		"description": "The documentation of the deprecation: `rel=\"deprecation\"` and `rel=\"sunset\"`.",
		"schema":      node{"type": "string"},
	},
	"Content-Disposition": node{
		"description": "The suggested file name.", "required": true, "schema": node{"type": "string"},
	},
}

// plainText excludes control characters, which the headers and events of the API reject.
const plainText = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"

var commonParameters = node{
	"ServiceUserID": node{
		"name": account.ServiceUserIDHeader, "in": "header",
		"description": "The client's own identifier of the user on whose behalf it calls. The server stores the request's events under it " +
			"unless the account ignores the header.",
		"schema": node{"type": "string", "maxLength": account.MaxExternalID, "pattern": plainText},
	},
	"IdempotencyKey": node{
		"name": "Idempotency-Key", "in": "header",
		"description": "The server counts requests with the same key once. If a request differs from an earlier one with its key, the status is 422.",
		"schema":      node{"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
	},
	"ServiceReferer": node{
		"name": "Service-Referer", "in": "header",
		"description": "The address of the page on which the event happened. It takes precedence over `Referer`.",
		"schema":      node{"type": "string"},
	},
}

// faultTexts describe the statuses of faults.
var faultTexts = map[int]string{
	http.StatusPermanentRedirect:           "The resource moved to another address.",
	http.StatusBadRequest:                  "The request is invalid. The message states the problem.",
	http.StatusUnauthorized:                "The token is missing or invalid.",
	http.StatusForbidden:                   "The caller lacks a right.",
	http.StatusNotFound:                    "The resource does not exist, or the caller may not see it.",
	http.StatusConflict:                    "The request conflicts with the state of the resource: it has changed, or it lacks something. The message states the conflict.",
	http.StatusRequestEntityTooLarge:       "The body exceeds the limit of this endpoint.",
	http.StatusRequestURITooLong:           "The address exceeds the service's limit.",
	http.StatusUnsupportedMediaType:        "This endpoint does not accept the body's content type.",
	http.StatusUnprocessableEntity:         "An earlier, different request had the same `Idempotency-Key`.",
	http.StatusTooManyRequests:             "The caller has exceeded a rate limit or quota.",
	http.StatusRequestHeaderFieldsTooLarge: "The request header exceeds the service's limit.",
	http.StatusInternalServerError:         "An internal error of the service. The request may be valid.",
	http.StatusServiceUnavailable:          "The service is temporarily unavailable. Retry later.",
}

// faultHeaders are the headers that a fault contains besides its trace.
var faultHeaders = map[int][]string{
	http.StatusPermanentRedirect:  {"Location"},
	http.StatusUnauthorized:       {"WWW-Authenticate"},
	http.StatusTooManyRequests:    {"Retry-After"},
	http.StatusServiceUnavailable: {"Retry-After"},
}

// faultResponses returns the fault responses that at least one operation uses, by the names of their statuses.
func faultResponses(paths node) node {
	given := map[string]bool{}
	for _, item := range paths {
		for _, operation := range item.(node) {
			for status := range operation.(node)["responses"].(node) {
				given[status] = true
			}
		}
	}
	responses := node{}
	for status, text := range faultTexts {
		if !given[statusKey(status)] {
			continue
		}
		responses[faultName(status)] = answerOf{
			text: text, headers: faultHeaders[status], content: node{JSONType: node{"schema": reference("Error")}},
		}.node()
	}
	return responses
}

// statusKey returns the name of a status in the document.
func statusKey(status int) string { return strconv.Itoa(status) }
