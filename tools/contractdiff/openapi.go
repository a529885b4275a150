package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// severities are the rules whose severity here differs from oasdiff's. Every level from WARN up breaks clients.
var severities = func() map[string]checker.Level {
	levels := map[string]checker.Level{
		// A required parameter is a variable of a link's template, which clients fill (spec, "Versioning", 3).
		"request-parameter-became-required": checker.INFO,
		// Clients must accept values that they do not know.
		"response-mediatype-enum-value-added": checker.INFO,
		"response-property-enum-value-added":  checker.INFO,
		// Links are optional properties, and clients follow them.
		"response-optional-property-removed": checker.ERR,
		"optional-response-header-removed":   checker.ERR,
	}
	for rule := range checker.GetCheckLevels() {
		removed := strings.HasSuffix(rule, "-removed-with-deprecation") // announced, but clients fail all the same
		defaults := strings.HasPrefix(rule, "request-") && (strings.HasSuffix(rule, "-default-value-changed") || strings.HasSuffix(rule, "-default-value-removed"))
		if removed || defaults {
			levels[rule] = checker.ERR
		}
	}
	return levels
}()

// parseOpenAPI loads a document. Header names are folded, because HTTP does not distinguish their case.
func parseOpenAPI(name string, text []byte) (*load.SpecInfo, error) {
	document, err := load.NewSpecInfoFromData(openapi3.NewLoader(), text, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if document.Spec.Paths == nil {
		return nil, fmt.Errorf("%s is not an OpenAPI document: it has no paths", name)
	}
	for _, path := range document.Spec.Paths.Map() {
		for _, operation := range path.Operations() {
			for _, parameter := range operation.Parameters {
				if parameter.Value.In == openapi3.ParameterInHeader {
					parameter.Value.Name = strings.ToLower(parameter.Value.Name)
				}
			}
		}
	}
	return document, nil
}

// compareOpenAPI describes the changes from one document to another that break clients, one line each, sorted.
func compareOpenAPI(from, to *load.SpecInfo) ([]string, error) {
	report, operations, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), from, to)
	if err != nil {
		return nil, err
	}
	config := checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(severities))
	english := checker.NewLocalizer("en")
	breaks := closedBodies(report)
	for _, change := range checker.CheckBackwardCompatibility(config, report, operations) {
		place := strings.TrimSpace(change.GetOperation() + " " + change.GetPath())
		breaks = append(breaks, place+": "+change.GetUncolorizedText(english)+" ["+change.GetId()+"]")
	}
	slices.Sort(breaks)
	return slices.Compact(breaks), nil
}

// closedBodies describes the request bodies that no longer accept unknown fields, which oasdiff does not report.
func closedBodies(report *diff.Diff) (breaks []string) {
	if report == nil || report.PathsDiff == nil {
		return nil
	}
	for path, changed := range report.PathsDiff.Modified {
		if changed.OperationsDiff == nil {
			continue
		}
		for method, operation := range changed.OperationsDiff.Modified {
			if body := operation.RequestBodyDiff; body != nil && body.ContentDiff != nil {
				for media := range maps.Values(body.ContentDiff.MediaTypeModified) {
					if closes(media.SchemaDiff) {
						breaks = append(breaks, method+" "+path+": the request body refuses unknown fields")
					}
				}
			}
		}
	}
	return breaks
}

func closes(schema *diff.SchemaDiff) bool {
	if schema == nil {
		return false
	}
	if allowed := schema.AdditionalPropertiesAllowedDiff; allowed != nil && allowed.To == false {
		return true
	}
	if properties := schema.PropertiesDiff; properties != nil {
		for property := range maps.Values(properties.Modified) {
			if closes(property) {
				return true
			}
		}
	}
	return closes(schema.ItemsDiff)
}
