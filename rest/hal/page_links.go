package hal

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Place is the place of a page in the results of a search. Pages are counted from 0.
type Place struct {
	Path, Query string // those of the request; Query is encoded
	Number      int64
	// Size is the number of results per page. 0 means that the results have only this page.
	Size int64
}

// PlaceOf returns the place of the page that a request to address reads.
func PlaceOf(address *url.URL, size, number int64) Place {
	return Place{Path: address.EscapedPath(), Query: address.RawQuery, Number: number, Size: size}
}

// Address returns the path and the query of the page.
func (p *Place) Address() []byte {
	b := make([]byte, 0, len(p.Path)+1+len(p.Query))
	return append(append(append(b, p.Path...), '?'), p.Query...)
}

// appendLinks appends the links of the page, without braces, for results of a total number: self and, unless the page
// is the only one, first, prev, next and last (RFC 8288). All pages lie within the first catalogue.SearchWindow
// results. prev of a page behind the last one is the last one.
func (p *Place) appendLinks(b []byte, base string, total int64) []byte {
	b = p.appendLink(b, "self", base, p.Query)
	if p.Size == 0 {
		return b
	}
	query := without("page", p.Query)
	to := func(relation string, number int64) {
		b = p.appendLink(append(b, ','), relation, base, query+"page="+strconv.FormatInt(number, 10))
	}
	last := max(0, min((total+p.Size-1)/p.Size, catalogue.SearchWindow/p.Size)-1)
	to("first", 0)
	if p.Number > 0 {
		to("prev", min(p.Number-1, last))
	}
	if p.Number < last {
		to("next", p.Number+1)
	}
	to("last", last)
	return b
}

func (p *Place) appendLink(b []byte, relation, base, query string) []byte {
	b = append(append(append(b, '"'), relation...), `":{"href":"`...)
	b = append(append(b, base...), p.Path...)
	if query != "" {
		b = appendEscaped(append(b, '?'), query)
	}
	return append(b, `","templated":false}`...)
}

// Links returns the links of a page of results of a total number.
func (p *Place) Links(base string, total int64) []byte {
	return append(p.appendLinks([]byte{'{'}, base, total), '}')
}

// CollectionLinks returns the links of a page of collections, out of a total number: those of any page, and the page in
// both projections.
func (p *Place) CollectionLinks(base string, total int64) []byte {
	b := p.appendLinks([]byte{'{'}, base, total)
	query := without("projection", p.Query)
	for _, projection := range []string{"list", "details"} {
		b = p.appendLink(append(b, ','), projection, base, query+"projection="+projection)
	}
	return append(b, '}')
}

// without returns a query without a parameter, ready for a further one.
func without(parameter, query string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(query, "&") {
		encoded, _, _ := strings.Cut(part, "=")
		if name, err := url.QueryUnescape(encoded); part != "" && (err != nil || name != parameter) {
			b.WriteString(part)
			b.WriteByte('&')
		}
	}
	return b.String()
}

// appendEscaped appends a query. It escapes all bytes that RFC 3986 does not allow there, some of which JSON does not
// allow either.
func appendEscaped(b []byte, query string) []byte {
	const allowed, digits = "-._~!$&'()*+,;=:@/?%", "0123456789ABCDEF"
	for i := range len(query) {
		c := query[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(allowed, c) >= 0 {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return b
}
