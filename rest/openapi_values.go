package rest

import (
	"github.com/filmstrip/filmstrip/catalogue"
)

// node is a part of the OpenAPI document, or a JSON Schema (2020-12), as encoding/json takes it.
type node = map[string]any

// The schemas of what parameters take. Where a parameter takes more than one spelling, they name the one that
// links and documents use.
var (
	textSchema    = node{"type": "string"}
	booleanSchema = node{"type": "boolean"}
	dateSchema    = node{"type": "string", "format": "date"}

	durationSchema = node{
		"type": "string", "pattern": "^" + durationPattern + "$", "examples": []string{"PT5M"},
	}
	durationRangeSchema = node{
		"type": "string", "pattern": "^" + durationPattern + "(-" + durationPattern + ")?$", "examples": []string{"PT2M-PT5M"},
	}
	ageBracketSchema = node{
		"type": "string", "pattern": "^" + agePattern + "-" + agePattern + "$", "examples": []string{"5-11"},
	}
	languageSchema = node{
		"type": "string", "pattern": "^[A-Za-z]{2,3}$", "examples": []string{"eng"},
	}
)

const (
	// durationPattern is the form of ISO 8601 durations that catalogue.ParseDuration reads, in capital letters.
	durationPattern = "P(([0-9]{1,5}W([0-9]{1,5}D)?|[0-9]{1,5}D)(T" + timePattern + ")?|T" + timePattern + ")"
	timePattern     = "([0-9]{1,6}H([0-9]{1,6}M)?([0-9]{1,6}([.,][0-9]{1,9})?S)?|[0-9]{1,6}M([0-9]{1,6}([.,][0-9]{1,9})?S)?|[0-9]{1,6}([.,][0-9]{1,9})?S)"

	// agePattern is that of whole ages up to catalogue.MaxAge.
	agePattern = "([0-9]{1,2}|1[0-4][0-9]|150)"
)

func numberSchema(lowest, highest int) node {
	return node{"type": "integer", "minimum": lowest, "maximum": highest}
}

func enumSchema(values []string) node {
	return node{"type": "string", "enum": values}
}

// listedSchema is that of a closed list of the catalogue, an empty enum where the list is not known here, which
// no document passes with.
func listedSchema[T ~string]() node {
	switch any(*new(T)).(type) {
	case catalogue.Language:
		return languageSchema
	case catalogue.VideoType:
		return enumSchema(texts(catalogue.VideoTypes()))
	case catalogue.Subtype:
		return enumSchema(texts(catalogue.Subtypes()))
	case catalogue.CEFRLevel:
		return enumSchema(texts(catalogue.CEFRLevels()))
	case catalogue.AttachmentType:
		return enumSchema(texts(catalogue.AttachmentTypes()))
	case catalogue.MarketSegment:
		return enumSchema(texts(catalogue.MarketSegments()))
	case catalogue.IngestType:
		return enumSchema(texts(catalogue.IngestTypes()))
	}
	return enumSchema(nil)
}

func texts[T ~string](values []T) []string {
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = string(value)
	}
	return list
}

// listOf is the schema of a parameter that may be repeated. Elements that are empty count for nothing.
func listOf(items node) node {
	if items["enum"] != nil || items["pattern"] != nil {
		items = node{"anyOf": []node{items, {"const": ""}}}
	}
	return node{"type": "array", "items": items, "maxItems": catalogue.MaxFilterValues}
}

// reference names a schema of the document.
func reference(name string) node { return node{"$ref": "#/components/schemas/" + name} }
