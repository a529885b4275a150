package openapi

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"strings"
)

// The examples are answers of the real service: a test of package rest writes them from the golden files.
//
//go:embed examples/*.json
var exampleFiles embed.FS

// Example is an exchange with an operation, or all faults, which have no request.
type Example struct {
	// Request is the request body, or nil if there is none: a JSON value, or an object with the fields of a form.
	Request json.RawMessage `json:"request,omitempty"`
	// Responses are the response bodies by status and content type: JSON values, or strings for other types.
	Responses map[string]map[string]json.RawMessage `json:"responses,omitempty"`
}

// FaultExamples is the name of the example with all faults. The other examples have the names of their operations.
const FaultExamples = "faults"

// readExamples reads the examples by name.
func readExamples() (map[string]Example, error) {
	files, err := exampleFiles.ReadDir("examples")
	if err != nil {
		return nil, err
	}
	examples := make(map[string]Example, len(files))
	for _, file := range files {
		text, err := exampleFiles.ReadFile(path.Join("examples", file.Name()))
		if err != nil {
			return nil, err
		}
		var one Example
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		examples[strings.TrimSuffix(file.Name(), ".json")] = one
	}
	return examples, nil
}

// addExamples adds the examples to the operations and faults of a document.
func addExamples(document node) error {
	examples, err := readExamples()
	if err != nil {
		return err
	}
	for _, item := range document["paths"].(node) {
		for _, operation := range item.(node) {
			operation := operation.(node)
			example := examples[operation["operationId"].(string)]
			if body, ok := operation["requestBody"].(node); ok && example.Request != nil {
				addToContent(body, map[string]json.RawMessage{JSONType: example.Request, formType: example.Request})
			}
			for status, response := range operation["responses"].(node) {
				addToContent(response.(node), example.Responses[status])
			}
		}
	}
	responses := document["components"].(node)["responses"].(node)
	for status := range faultTexts {
		if response, ok := responses[faultName(status)].(node); ok {
			addToContent(response, examples[FaultExamples].Responses[statusKey(status)])
		}
	}
	return nil
}

// addToContent adds examples to the content of a body, by content type. Operations share contents, so it copies them.
func addToContent(body node, examples map[string]json.RawMessage) {
	content, ok := body["content"].(node)
	if !ok {
		return
	}
	exemplified := node{}
	for mediaType, one := range content {
		copied := maps.Clone(one.(node))
		if example := examples[mediaType]; example != nil {
			copied["example"] = example
		}
		exemplified[mediaType] = copied
	}
	body["content"] = exemplified
}
