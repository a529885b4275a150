package openapi

import (
	"maps"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Schema is a JSON Schema (2020-12) in the form that encoding/json encodes.
type Schema = map[string]any

// node is a part of the OpenAPI document.
type node = map[string]any

// Media types of answers.
const (
	HALType    = "application/hal+json"
	JSONType   = "application/json"
	TextType   = "text/plain;charset=UTF-8"
	WebVTTType = "text/vtt;charset=UTF-8"
	SubRipType = "application/x-subrip;charset=UTF-8"
)

// The schemas of parameter values. If a parameter accepts more than one spelling, the schema names the spelling that
// links and documents use.
var (
	Text    = node{"type": "string"}
	Boolean = node{"type": "boolean"}
	Date    = node{"type": "string", "format": "date"}

	Duration = node{
		"type": "string", "pattern": "^" + durationPattern + "$", "examples": []string{"PT5M"},
	}
	DurationRange = node{
		"type": "string", "pattern": "^" + durationPattern + "(-" + durationPattern + ")?$", "examples": []string{"PT2M-PT5M"},
	}
	AgeBracket = node{
		"type": "string", "pattern": "^" + agePattern + "-" + agePattern + "$", "examples": []string{"5-11"},
	}
	Language = node{
		"type": "string", "pattern": "^[A-Za-z]{2,3}$", "examples": []string{"eng"},
	}
)

const (
	// durationPattern is the form of ISO 8601 durations that catalogue.ParseDuration reads, in capital letters.
	durationPattern = "P(([0-9]{1,5}W([0-9]{1,5}D)?|[0-9]{1,5}D)(T" + timePattern + ")?|T" + timePattern + ")"
	timePattern     = "([0-9]{1,6}H([0-9]{1,6}M)?([0-9]{1,6}([.,][0-9]{1,9})?S)?|[0-9]{1,6}M([0-9]{1,6}([.,][0-9]{1,9})?S)?|[0-9]{1,6}([.,][0-9]{1,9})?S)"

	// agePattern matches whole ages up to catalogue.MaxAge.
	agePattern = "([0-9]{1,2}|1[0-4][0-9]|150)"
)

// Number returns the schema of integers from lowest to highest, inclusive.
func Number(lowest, highest int) Schema {
	return node{"type": "integer", "minimum": lowest, "maximum": highest}
}

// Enum returns the schema of a closed list of strings.
func Enum(values []string) Schema {
	return node{"type": "string", "enum": values}
}

// EnumOf returns the schema of a closed list of values of a string type.
func EnumOf[T ~string](values []T) Schema {
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = string(value)
	}
	return Enum(list)
}

// Listed returns the schema of a closed list of the catalogue. If the list is unknown here, Listed returns an empty
// enum, with which no document passes the checks.
func Listed[T ~string]() Schema {
	switch any(*new(T)).(type) {
	case catalogue.Language:
		return Language
	case catalogue.VideoType:
		return EnumOf(catalogue.VideoTypes())
	case catalogue.Subtype:
		return EnumOf(catalogue.Subtypes())
	case catalogue.CEFRLevel:
		return EnumOf(catalogue.CEFRLevels())
	case catalogue.AttachmentType:
		return EnumOf(catalogue.AttachmentTypes())
	case catalogue.MarketSegment:
		return EnumOf(catalogue.MarketSegments())
	case catalogue.IngestType:
		return EnumOf(catalogue.IngestTypes())
	}
	return Enum(nil)
}

// listOf returns the schema of a parameter that may be repeated. Empty elements are ignored.
func listOf(items node) node {
	items = maps.Clone(items)
	if values, ok := items["enum"].([]string); ok {
		items["enum"] = append(slices.Clone(values), "")
	}
	if pattern, ok := items["pattern"].(string); ok {
		items["pattern"] = "^(" + strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$") + ")?$"
	}
	return node{"type": "array", "items": items, "maxItems": catalogue.MaxFilterValues}
}

// reference returns a reference to a schema of the document.
func reference(name string) node { return node{"$ref": "#/components/schemas/" + name} }
