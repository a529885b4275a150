package rest

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/internal/requestbody"
	"github.com/filmstrip/filmstrip/rest/hal"
	"github.com/filmstrip/filmstrip/rest/openapi"
)

// reply is the response of an endpoint. serve writes it.
type reply struct {
	status      int    // 0: 200
	contentType string // empty: application/hal+json
	body        []byte // empty: there is none
	// location is the address of a created resource; empty if the request created none with an address.
	location string
	// tag identifies the content for If-None-Match, without quotes; empty: serve hashes the body.
	tag string
	// name is the name of a cached page, or empty.
	name hal.PageName
	// disposition is the Content-Disposition header, or empty.
	disposition string
	page        hal.Page // holds the memory of body
}

// endpoint serves one kind of request whose parameters have been read. It owns the variables.
type endpoint func(f *facade, r *http.Request, values hal.Variables) (*reply, error)

func (a *reply) release() {
	a.page.Release()
}

// pageReply replies with a page and releases its memory after the write.
func pageReply(page hal.Page) *reply { return &reply{body: page.Body, page: page} }

// serve reads the parameters of a route, runs its endpoint and writes the reply: the document, 304 if the client has it, 204
// after a write, the new address of a moved resource, or the error body.
func (f *facade) serve(route route) http.HandlerFunc {
	route.parameters = route.marked()
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := f.answer(route, r)
		if err != nil {
			f.writeError(w, r, err)
			return
		}
		defer answer.release()
		header := w.Header()
		header.Set("Cache-Control", route.cacheControl)
		header.Add("Vary", "Authorization")
		if answer.location != "" {
			header.Set("Location", answer.location)
		}
		switch {
		case len(answer.body) == 0:
			answer.writeEmpty(w)
		case answer.unchanged(w, r):
			w.WriteHeader(http.StatusNotModified)
		default:
			f.writeBody(w, r, answer)
		}
	}
}

// writeEmpty writes a reply without a body.
func (a *reply) writeEmpty(w http.ResponseWriter) {
	if a.status != http.StatusNoContent {
		w.Header().Set("Content-Length", "0")
	}
	w.WriteHeader(cmp.Or(a.status, http.StatusOK))
}

// unchanged names what a request reads by its tag, and reports whether the client has it. What a request writes is not what
// a tag would name.
func (a *reply) unchanged(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	if a.tag == "" {
		a.tag = hashOf(a.body)
	}
	tag := `W/"` + a.tag + `"`
	w.Header().Set("Etag", tag)
	return matches(r.Header.Values("If-None-Match"), tag)
}

// writeBody writes a reply with its body. A cached page is compressed here, once; the middleware compresses all else.
func (f *facade) writeBody(w http.ResponseWriter, r *http.Request, answer *reply) {
	header, body, head := w.Header(), answer.body, r.Method == http.MethodHead
	header.Set("Content-Type", cmp.Or(answer.contentType, openapi.HALType))
	named := answer.name != ""
	compressed := (named || head) && !f.NoCompression && len(body) >= httpserver.MinCompressedLength && takesGzip(r)
	if compressed && named {
		body = f.pages.Compressed(r.Context(), answer.name, body)
		header.Set("Content-Encoding", "gzip")
	}
	if !compressed || named { // else, this is HEAD, and nobody knows the length of what GET returns
		header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	if answer.disposition != "" {
		header.Set("Content-Disposition", answer.disposition)
	}
	if answer.status != 0 {
		w.WriteHeader(answer.status)
	}
	if !head {
		_, _ = w.Write(body)
	}
}

func (f *facade) answer(route route, r *http.Request) (*reply, error) {
	values := make(hal.Variables, len(route.defaults)+len(route.parameters)/4+1)
	maps.Copy(values, route.defaults)
	if err := readParameters(r, route.parameters, values); err != nil {
		return nil, err
	}
	if parts, joined := values[joinedNames].(catalogue.JoinedParts); joined {
		delete(values, joinedNames)
		r = r.WithContext(catalogue.WithJoinedNames(r.Context(), parts))
	}
	answer, err := route.endpoint(f, r, values)
	return answer, nameArgument(route.parameters, err)
}

// writeError writes an error, with the new address of a moved resource.
func (f *facade) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if unread, ok := errors.AsType[*requestbody.Error](err); ok {
		unread.SetHeader(w.Header())
		httperror.Write(w, r, unread.Status, "", unread.Message, nil)
		return
	}
	var cause *fault.Error
	if errors.As(err, &cause) && cause.Code == fault.Moved {
		w.Header().Set("Location", f.base(r)+hal.Address("video", cause.MovedTo))
	}
	switch ended := r.Context().Err(); {
	case fault.CodeOf(err) != fault.Internal:
	case ended != nil:
		err = ended
	default:
		f.Logger.ErrorContext(r.Context(), "a request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	httperror.WriteError(w, r, err)
}

func hashOf(body []byte) string {
	return strconv.FormatUint(xxhash.Sum64(body), 36)
}

// matches implements the weak comparison of RFC 9110, section 13.1.2.
func matches(ifNoneMatch []string, tag string) bool {
	for _, line := range ifNoneMatch {
		for candidate := range strings.SplitSeq(line, ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}

// takesGzip reports whether a client accepts gzip (RFC 9110, section 12.5.3).
func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			weight = strings.ReplaceAll(weight, " ", "")
			return !strings.HasPrefix(weight, "q=0") || strings.Trim(weight, "q=0.") != ""
		}
	}
	return false
}
