package openapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/internal/httpserver"
)

// description is the part of the description of a route or mount that no table of the service contains.
type description struct {
	// tag is one of tags. id is unique among all operations.
	tag, id string
	summary string
	// text is Markdown that adds to the summary. It may be "".
	text string
	body *bodyOf
	// answers are the answers specific to the route. Answers that every route may return are added to them.
	answers []answerOf
	// required are the parameters that the route requires.
	required []string
	// headers are the names of the commonParameters that the route reads.
	headers []string
	// parameters are the parameters of a mount, which is not in the route table. security are the ways in which a caller
	// of a mount authenticates; nil means that the mount is public.
	parameters []node
	security   []node
}

// bodyOf is a request body.
type bodyOf struct {
	mediaType string
	schema    node
	optional  bool
}

// answerOf is one kind of answer.
type answerOf struct {
	status  int
	text    string
	headers []string // names of commonHeaders, besides that of the trace
	content node     // media types; nil means no body
}

func halAnswer(text, schema string) answerOf {
	return answerOf{status: http.StatusOK, text: text, content: node{HALType: node{"schema": reference(schema)}}}
}

// reading describes a route that answers with a HAL document of a schema.
func reading(tag, id, summary, answer, schema string) description {
	return description{tag: tag, id: id, summary: summary, answers: []answerOf{halAnswer(answer, schema)}}
}

// changing describes a route that changes a collection and answers without a document.
func changing(id, summary string) description {
	return description{tag: collectionsTag, id: id, summary: summary, answers: []answerOf{changed}}
}

// reporting describes a route that stores an event; body is nil if the route ignores the body.
func reporting(id, summary string, body *bodyOf) description {
	return description{tag: eventsTag, id: id, summary: summary, body: body, headers: eventHeaders, answers: eventAnswers}
}

func (d description) saying(text string) description {
	d.text = text
	return d
}

func (d description) taking(body *bodyOf) description {
	d.body = body
	return d
}

func (d description) requiring(parameters ...string) description {
	d.required = parameters
	return d
}

func jsonBody(schema string) *bodyOf {
	return &bodyOf{mediaType: JSONType, schema: reference(schema)}
}

func optionalBody(schema string) *bodyOf {
	return &bodyOf{mediaType: JSONType, schema: reference(schema), optional: true}
}

// recorded is the answer to an event.
var recorded = answerOf{status: http.StatusCreated, text: "The event is stored durably."}

// problem returns the answer for a fault that not every route has.
func problem(status int) answerOf { return answerOf{status: status} }

// everyFault are the statuses with which any request may fail.
var everyFault = []int{
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestURITooLong, http.StatusTooManyRequests,
	http.StatusRequestHeaderFieldsTooLarge, http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// bodyFaults are the fault statuses of requests with a body.
var bodyFaults = []int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}

// ofRoute returns the operation of a route.
func (d description) ofRoute(route Route) (node, error) {
	parameters, err := d.parametersOf(route)
	if err != nil {
		return nil, err
	}
	operation := d.operation(append(parameters, sharedParameters("ServiceUserID")...))
	responses := operation["responses"].(node)
	for _, status := range everyFault {
		addFault(responses, status)
	}
	if strings.Contains(route.Path, "{") {
		addFault(responses, http.StatusNotFound)
	}
	if route.Method == http.MethodGet {
		d.addNotModified(responses)
	}
	if route.Deprecated {
		addDeprecation(responses)
	}
	return operation, nil
}

// ofMount returns the operation of a mount outside the facade. A mount has only the faults that its description lists.
func (d description) ofMount() node {
	operation := d.operation(slices.Clone(d.parameters))
	operation["security"] = d.security
	if d.security == nil {
		operation["security"] = []node{}
	}
	return operation
}

func (d description) operation(parameters []node) node {
	responses := node{}
	for _, answer := range d.answers {
		if answer.text == "" {
			addFault(responses, answer.status)
			continue
		}
		responses[statusKey(answer.status)] = answer.node()
	}
	text := d.text
	if text == "" {
		text = d.summary + "."
	}
	operation := node{"operationId": d.id, "tags": []string{d.tag}, "summary": d.summary, "description": text, "responses": responses}
	if d.body != nil {
		operation["requestBody"] = node{
			"required": !d.body.optional, "content": node{d.body.mediaType: node{"schema": d.body.schema}},
		}
		for _, status := range bodyFaults {
			addFault(responses, status)
		}
	}
	if parameters = append(parameters, sharedParameters(d.headers...)...); len(parameters) > 0 {
		operation["parameters"] = parameters
	}
	return operation
}

func (a answerOf) node() node {
	headers := node{}
	for _, name := range append([]string{httpserver.TraceHeader}, a.headers...) {
		headers[name] = node{"$ref": "#/components/headers/" + name}
	}
	answer := node{"description": a.text, "headers": headers}
	if a.content != nil {
		answer["content"] = a.content
	}
	return answer
}

// addNotModified adds the Etag header and the 304 response, with which clients revalidate an answer. It adds nothing if
// the answer has no content.
func (d description) addNotModified(responses node) {
	for _, answer := range d.answers {
		if answer.status == http.StatusOK && answer.content == nil {
			return // the answer has no content for a tag to identify
		}
		if answer.status == http.StatusOK {
			answer.headers = append(slices.Clone(answer.headers), "Etag")
			responses["200"] = answer.node()
		}
	}
	responses["304"] = answerOf{text: "The resource has not changed since the response with this entity tag (`If-None-Match`).", headers: []string{"Etag"}}.node()
}

func addFault(responses node, status int) {
	responses[statusKey(status)] = node{"$ref": "#/components/responses/" + faultName(status)}
}

func faultName(status int) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(http.StatusText(status))
}

// sharedParameters returns references to parameters in the components of the document.
func sharedParameters(names ...string) []node {
	list := make([]node, len(names))
	for i, name := range names {
		list[i] = node{"$ref": "#/components/parameters/" + name}
	}
	return list
}

// parametersOf returns the parameters of a route: the variables of its path and the parameters in the route table.
func (d description) parametersOf(route Route) ([]node, error) {
	list := []node{}
	for _, name := range variablesOf(route.Path) {
		about, err := aboutParameter(route, name)
		if err != nil {
			return nil, err
		}
		list = append(list, node{
			"name": name, "in": "path", "required": true, "description": about.text, "schema": node{"type": "string", "minLength": 1},
		})
	}
	for _, parameter := range route.Parameters {
		about, err := aboutParameter(route, parameter.Name)
		if err != nil {
			return nil, err
		}
		described, err := parameter.describe(route, about)
		if err != nil {
			return nil, err
		}
		if slices.Contains(d.required, parameter.Name) {
			require(described)
		}
		if about.deprecated {
			described["deprecated"] = true
		}
		list = append(list, described)
	}
	for _, name := range d.required {
		if !slices.ContainsFunc(route.Parameters, func(p Parameter) bool { return p.Name == name }) {
			return nil, fmt.Errorf("%s %s has no parameter %s, which is required", route.Method, route.Path, name)
		}
	}
	return list, nil
}

// describe returns the description of a query parameter of a route.
func (p *Parameter) describe(route Route, about parameterText) (node, error) {
	one := p.Schema
	if p.Hidden { // accepts any value that the service issued
		one = Text
	}
	if about.values != nil {
		one = Enum(about.values)
	}
	if values, ok := one["enum"].([]string); one == nil || ok && len(values) == 0 {
		return nil, fmt.Errorf("the type of the parameter %s of %s %s is unknown", p.Name, route.Method, route.Path)
	}
	if standard := standardOf(one, route.Defaults[p.Variable]); standard != nil && !p.Hidden {
		one = maps.Clone(one)
		one["default"] = standard
	}
	described := node{"name": p.Name, "in": "query", "description": about.text, "schema": one}
	if p.List {
		described["schema"], described["explode"] = listOf(one), true
		described["description"] = about.text + " The parameter may be repeated or hold a comma-separated list. A value that exists as a whole is not split."
	} else {
		described["allowEmptyValue"] = true // an empty value counts as not given
	}
	return described, nil
}

// standardOf returns the value of a parameter that has the same effect as omitting it, spelled as in the schema, or nil
// if there is none.
func standardOf(schema node, taken any) any {
	values, closed := schema["enum"].([]string)
	text, isText := taken.(string)
	if !closed || !isText {
		return taken
	}
	if at := slices.IndexFunc(values, func(value string) bool { return strings.EqualFold(value, text) }); at >= 0 {
		return values[at]
	}
	return nil
}

// require marks a parameter as required. An empty value counts as missing.
func require(parameter node) {
	parameter["required"] = true
	delete(parameter, "allowEmptyValue")
	if one := parameter["schema"].(node); one["type"] == "string" && one["enum"] == nil {
		parameter["schema"] = node{"type": "string", "pattern": `\S`}
	}
}

// variablesOf returns the names between braces in a path.
func variablesOf(path string) []string {
	var names []string
	for _, part := range strings.Split(path, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		names = append(names, name)
	}
	return names
}

// parameterText is the part of a parameter's description that the route table does not contain.
type parameterText struct {
	text       string
	deprecated bool
	// values are the spellings of a closed list that links use. If values is nil, the spellings of the route table
	// apply.
	values []string
}

// aboutParameter returns the text of a parameter: the text for this route, or else the text for all routes.
func aboutParameter(route Route, name string) (parameterText, error) {
	for _, key := range []string{route.Path + " " + name, name} {
		for _, texts := range []map[string]parameterText{parameterTexts, collectionTexts} {
			if about, ok := texts[key]; ok {
				return about, nil
			}
		}
	}
	return parameterText{}, fmt.Errorf("nothing describes the parameter %s of %s %s", name, route.Method, route.Path)
}

// addDeprecation adds the deprecation headers to the answers.
func addDeprecation(responses node) {
	for _, one := range responses {
		answer, _ := one.(node)
		headers, ok := answer["headers"].(node)
		if !ok {
			continue // a fault that all routes have
		}
		for _, name := range []string{"Deprecation", "Sunset", "Link"} {
			headers[name] = node{"$ref": "#/components/headers/" + name}
		}
	}
}
