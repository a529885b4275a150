package apptest

import (
	"encoding/json"
	"net/http"

	"github.com/yosida95/uritemplate/v3"
)

// Document is a HAL document.
type Document struct {
	*Server
	Fields map[string]any
}

// Document reads the document at a URL, which must exist.
func (s *Server) Document(address string) Document {
	s.Helper()
	response, body := s.Request("GET", address, "", "")
	d := Document{Server: s}
	if err := json.Unmarshal(body, &d.Fields); err != nil || response.StatusCode != http.StatusOK {
		s.Fatalf("%s: %d %.300s", address, response.StatusCode, body)
	}
	return d
}

// At returns a nested value of a document.
func (d Document) At(names ...string) any {
	var value any = d.Fields
	for _, name := range names {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// Link returns the URL of a link, with its template filled, or "" if the document has no such link.
func (d Document) Link(rel string, values map[string]string) string {
	d.Helper()
	href, _ := d.At("_links", rel, "href").(string)
	if href == "" || d.At("_links", rel, "templated") != true {
		return href
	}
	variables := uritemplate.Values{}
	for name, value := range values {
		variables.Set(name, uritemplate.String(value))
	}
	return Must(Must(uritemplate.New(href))(d).Expand(variables))(d)
}

// Videos returns the videos of a page.
func (d Document) Videos() []Document {
	list, _ := d.At("_embedded", "videos").([]any)
	videos := make([]Document, len(list))
	for i, fields := range list {
		videos[i] = Document{d.Server, fields.(map[string]any)}
	}
	return videos
}

// Total returns the number of resources on all pages of a list.
func (d Document) Total() int { return int(d.At("page", "totalElements").(float64)) }

// Index reads the index resource, where every walk starts.
func (s *Server) Index() Document { s.Helper(); return s.Document(s.Base + "/v1/") }
