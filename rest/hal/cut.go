package hal

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// This file is the only code that takes the data of operations apart. It relies on the order of the fields in operations/,
// cuts the data at the names of fields and leaves the rest as it is, because decoding a page of a thousand videos costs
// more than everything else in its request. Content cannot forge a name: JSON escapes quotation marks within strings.

// ParseWindow parses {"total":…,name:[…]}.
func ParseWindow(data []byte, name string) (Window, error) {
	total, list, found := bytes.Cut(bytes.TrimPrefix(data, []byte(`{"total":`)), []byte(`,"`+name+`":`))
	elements, err := strconv.ParseInt(string(total), 10, 64)
	if err != nil || !found {
		return Window{}, fmt.Errorf("%q is not a page of %s", fault.Shorten(string(data)), name)
	}
	return Window{Total: elements, list: bytes.TrimSuffix(list, []byte("}")), name: name}, nil
}

// searchData is the data of a search: {"references":[…],"total":…,"totalPages":…,"facetMap":{…}}.
type searchData struct {
	total                     int64
	references, pages, facets []byte
}

func cutSearch(data []byte) (searchData, error) {
	references, rest, _ := bytes.Cut(bytes.TrimPrefix(data, []byte(`{"references":`)), []byte(`,"total":`))
	total, rest, _ := bytes.Cut(rest, []byte(`,"totalPages":`))
	pages, facets, _ := bytes.Cut(rest, []byte(`,"facetMap":`))
	elements, err := strconv.ParseInt(string(total), 10, 64)
	if err != nil {
		return searchData{}, fault.Errorf(fault.Internal, "%q is not a total", total)
	}
	return searchData{elements, references, pages, bytes.TrimSuffix(facets, []byte("}"))}, nil
}

// cutFeed cuts {name:[…],"pageInfo":{"endCursor":…}}. The cursor of the last page is nil.
func cutFeed(data []byte, name string) (list, cursor []byte) {
	list, rest, _ := bytes.Cut(bytes.TrimPrefix(data, []byte(`{"`+name+`":`)), []byte(`,"pageInfo":{"endCursor":`))
	if quoted, found := bytes.CutPrefix(rest, []byte{'"'}); found {
		cursor, _, _ = bytes.Cut(quoted, []byte{'"'})
	}
	return list, cursor
}

// parseReference parses a single reference.
func parseReference(data []byte) (catalogue.Ref, error) {
	ref, ok := catalogue.ParseRef(string(bytes.Trim(data, `"`)))
	if !ok {
		return ref, fmt.Errorf("%q is not a reference", data)
	}
	return ref, nil
}

// parseReferences parses a JSON list of references, or a single one. References contain nothing that JSON escapes.
func parseReferences(list []byte) ([]catalogue.Ref, error) {
	text := string(list)
	refs := make([]catalogue.Ref, 0, strings.Count(text, ":"))
	for rest := strings.TrimPrefix(text, "["); len(rest) > 1; {
		end := strings.IndexByte(rest[1:], '"') + 1
		ref, ok := catalogue.ParseRef(rest[1:max(end, 1)])
		if !ok {
			return nil, fmt.Errorf("%q is not a list of references", list)
		}
		refs = append(refs, ref)
		rest = strings.TrimPrefix(rest[end+1:], ",")
	}
	return refs, nil
}

// CollectionID returns the ID at the start of a collection's data.
func CollectionID(data []byte) string {
	return string(bytes.TrimPrefix(data, []byte(`{"id":"`))[:catalogue.IDLength])
}

// WithoutVideos empties the lists of videos and assets in a template.
func WithoutVideos(template []byte) []byte {
	for _, member := range []string{`"videos":`, `"assets":`} {
		before, after, found := bytes.Cut(template, []byte(member+"["))
		if found {
			_, after = cutArray(after)
			template = append(append(append([]byte(nil), before...), member+"[]"...), after...)
		}
	}
	return template
}

// cutArray splits text, which starts just after the opening bracket of a JSON array, at the closing bracket.
func cutArray(text []byte) (inside, after []byte) {
	depth, quoted := 1, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return text[:i], text[i+1:]
			}
		}
	}
	return text, nil
}

// videoPlace is a position in a template that names videos by reference. Collections replaces it with the videos.
type videoPlace struct {
	start, end int
	refs       []catalogue.Ref
	list       bool
}

// videoPlaces finds the positions at which a template names videos. User content cannot forge such a position, because
// JSON escapes quotation marks within strings.
func videoPlaces(template []byte) ([]videoPlace, error) {
	var places []videoPlace
	for at := 0; ; {
		next := bytes.Index(template[at:], []byte(`"video`))
		if next < 0 {
			return places, nil
		}
		at += next + len(`"video`)
		rest := template[at:]
		var place videoPlace
		var names []byte
		switch {
		case bytes.HasPrefix(rest, []byte(`s":[`)):
			place.start, place.list = at+len(`s":`), true
			place.end = place.start + bytes.IndexByte(template[place.start:], ']') + 1
			names = template[place.start:place.end]
		case bytes.HasPrefix(rest, []byte(`":"`)):
			place.start = at + len(`":`)
			place.end = place.start + 1 + bytes.IndexByte(template[place.start+1:], '"') + 1
			names = template[place.start:place.end]
		default:
			continue
		}
		var err error
		if place.refs, err = parseReferences(names); err != nil {
			return nil, err
		}
		places, at = append(places, place), place.end
	}
}

var referencePrefix = []byte(`{"reference":"`)

// cutReference splits a rendered element into the reference at its start and its template. It takes ownership of
// element.
func cutReference(element []byte) (catalogue.Ref, []byte, bool) {
	rest, ok := bytes.CutPrefix(element, referencePrefix)
	if !ok {
		return catalogue.Ref{}, nil, false
	}
	text, rest, ok := bytes.Cut(rest, []byte(`",`))
	if !ok {
		return catalogue.Ref{}, nil, false
	}
	ref, ok := catalogue.ParseRef(string(text))
	template := element[len(element)-len(rest)-1:]
	template[0] = '{'
	return ref, template, ok
}

// cut removes the null members of @absentWhenNull fields from data, in place.
func (o *operation) cut(data []byte) []byte {
	for _, null := range o.cuts {
		kept := data[:0]
		for rest := data; ; {
			before, after, found := bytes.Cut(rest, null)
			kept = append(kept, before...)
			if !found {
				break
			}
			rest = after
		}
		data = kept
	}
	return data
}

// cutCaptioned cuts a list of {"id":…,…,"hasCaptions":…} at the first hasCaptions, which rest does not contain. id is "" if
// there is none; before is then the whole list.
func cutCaptioned(list []byte) (before []byte, id string, captioned bool, rest []byte) {
	before, rest, found := bytes.Cut(list, []byte(`,"hasCaptions":`))
	if !found {
		return list, "", false, nil
	}
	const start = `{"id":"`
	id = string(before[bytes.LastIndex(before, []byte(start))+len(start):][:catalogue.IDLength])
	return before, id, bytes.HasPrefix(rest, []byte("true")), rest[bytes.IndexByte(rest, '}'):]
}
