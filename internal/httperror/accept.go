package httperror

import (
	"net/http"
	"strconv"
	"strings"
)

// PrefersHTML reports whether a request prefers HTML to JSON (RFC 9110, section 12.5.1).
func PrefersHTML(r *http.Request) bool {
	accepted := strings.Join(r.Header.Values("Accept"), ",")
	return quality(accepted, "text", "html") > quality(accepted, "application", "json")
}

// quality returns the weight of a media type in an Accept header, taken from the most specific range that matches.
func quality(accepted, kind, subtype string) float64 {
	weight, precision := 0.0, -1
	for part := range strings.SplitSeq(accepted, ",") {
		mediaRange, parameters, _ := strings.Cut(part, ";")
		precise := -1
		switch strings.ToLower(strings.TrimSpace(mediaRange)) {
		case kind + "/" + subtype:
			precise = 2
		case kind + "/*":
			precise = 1
		case "*/*":
			precise = 0
		}
		if precise > precision {
			weight, precision = weightOf(parameters), precise
		}
	}
	return weight
}

func weightOf(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(name, "q") {
			weight, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return 0
			}
			return weight
		}
	}
	return 1
}
