package rest

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
	"description": "Documents are HAL: each says in `_links` what can be done next, and which links there are depends on the " +
		"caller and on the resource. Follow links from `GET /v1/`; the addresses below may change, the names of " +
		"relations and of their template variables do not. Only what is described here is part of the contract: " +
		"ignore what else there is in an answer.\n\n" +
		"What is marked as deprecated is going to be dropped. Answers to calls that use it say so by the headers " +
		"`Deprecation` and `Link` and, once a day is set, by `Sunset`: before that day it stays. Clients are told when " +
		"a day is set or moved, and reminded a week before; a client that needs more time can be given more.",
	"license": node{"name": "Apache License 2.0", "identifier": "Apache-2.0"},
}

// The tags, in the order in which the document shows them.
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
	{"name": accessTag, "description": "How callers get tokens."},
	{"name": indexTag, "description": "Where everything begins."},
	{"name": videosTag, "description": "Videos, one by one, by search, and all of them."},
	{"name": materialTag, "description": "What there is to a video for those who learn and teach."},
	{"name": curriculumTag, "description": "Videos by what is taught."},
	{"name": collectionsTag, "description": "Videos that users and the service have put together."},
	{"name": referenceTag, "description": "What videos are described with."},
	{"name": usersTag, "description": "What users say of themselves."},
	{"name": placesTag, "description": "Countries, and schools and districts in them."},
	{"name": eventsTag, "description": "What clients tell of use."},
}

var tokenScheme = node{
	"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
	"description": "The `access_token` of an answer of `POST /v1/token`.",
}

// httpserver.TraceHeader and its like, as answers carry them.
var commonHeaders = node{
	httpserver.TraceHeader: node{
		"description": "Names this request in the logs and traces of the service.", "required": true,
		"schema": node{"type": "string", "pattern": "^[0-9a-f]{32}$"},
	},
	"Etag": node{
		"description": "Identifies what the answer shows, for `If-None-Match`.", "required": true,
		"schema": node{"type": "string"},
	},
	"Location": node{
		"description": "The address.", "required": true, "schema": node{"type": "string"},
	},
	"Retry-After": node{
		"description": "After how many seconds it is worth coming again.", "required": true,
		"schema": node{"type": "integer", "minimum": 0},
	},
	"WWW-Authenticate": node{
		"description": "How to say who calls.", "required": true, "schema": node{"type": "string"},
	},
	"Deprecation": node{
		"description": "The call used something that is deprecated: since when (RFC 9745). `Link` leads to what to use in its place.",
		"schema":      node{"type": "string", "pattern": "^@[0-9]+$"},
	},
	"Sunset": node{
		"description": "When that may be gone for this caller (RFC 8594). Without it, no day is set.",
		"schema":      node{"type": "string"},
	},
	"Link": node{
		"description": "What is said of that: `rel=\"deprecation\"` and `rel=\"sunset\"`.",
		"schema":      node{"type": "string"},
	},
	"Content-Disposition": node{
		"description": "The name of a file to keep the answer in.", "required": true, "schema": node{"type": "string"},
	},
}

// plainText takes no control characters, which the headers and events of the API refuse.
const plainText = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"

var commonParameters = node{
	"ServiceUserID": node{
		"name": account.ServiceUserIDHeader, "in": "header",
		"description": "How the client calls the user on whose behalf it asks; the events of the request are kept under it, " +
			"unless the account ignores the header.",
		"schema": node{"type": "string", "maxLength": account.MaxExternalID, "pattern": plainText},
	},
	"IdempotencyKey": node{
		"name": idempotencyHeader, "in": "header",
		"description": "A request with the key of an earlier one is counted once. With something else in it, it is refused with status 422.",
		"schema":      node{"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
	},
	"ServiceReferer": node{
		"name": "Service-Referer", "in": "header",
		"description": "The address of the page on which it happened; it goes before `Referer`.",
		"schema":      node{"type": "string"},
	},
}

// faultTexts say what the statuses of faults mean.
var faultTexts = map[int]string{
	http.StatusPermanentRedirect:           "The thing lives on at another address.",
	http.StatusBadRequest:                  "Something in the request is wrong. The message names it.",
	http.StatusUnauthorized:                "There is no token, or one that does not count.",
	http.StatusForbidden:                   "The caller lacks a right.",
	http.StatusNotFound:                    "There is no such thing, or the caller may not see it.",
	http.StatusConflict:                    "What is asked for contradicts what is stored: the thing was changed meanwhile, or lacks something. The message names it.",
	http.StatusRequestEntityTooLarge:       "The body is larger than this endpoint takes.",
	http.StatusRequestURITooLong:           "The address is longer than the service takes.",
	http.StatusUnsupportedMediaType:        "The body is of a type that this endpoint does not take.",
	http.StatusUnprocessableEntity:         "The `Idempotency-Key` came before with another request.",
	http.StatusTooManyRequests:             "The caller asks too often.",
	http.StatusRequestHeaderFieldsTooLarge: "The header is longer than the service takes.",
	http.StatusInternalServerError:         "A fault of the service. It says nothing of the request.",
	http.StatusServiceUnavailable:          "The service cannot answer now. Come again.",
}

// faultHeaders are those that a fault carries beside its trace.
var faultHeaders = map[int][]string{
	http.StatusPermanentRedirect:  {"Location"},
	http.StatusUnauthorized:       {"WWW-Authenticate"},
	http.StatusTooManyRequests:    {"Retry-After"},
	http.StatusServiceUnavailable: {"Retry-After"},
}

// faultResponses are the answers that say what went wrong, by the names of their statuses, as far as there are
// operations that give them.
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
			text: text, headers: faultHeaders[status], content: node{jsonType: node{"schema": reference("Error")}},
		}.node()
	}
	return responses
}

// statusKey is how the document names a status.
func statusKey(status int) string { return strconv.Itoa(status) }
