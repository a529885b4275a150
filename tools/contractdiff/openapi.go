package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// comparison compares two OpenAPI documents and gathers what breaks.
type comparison struct {
	from, to map[string]any
	breaks   []string
	// seen are the pairs of shared schemas that have been compared: what breaks in them is named once, at the
	// first operation that uses them.
	seen map[string]bool
}

// compareOpenAPI names what breaks clients of the first document that meet the second.
func compareOpenAPI(from, to map[string]any) []string {
	c := &comparison{from: from, to: to, seen: map[string]bool{}}
	before, after := object(from["paths"]), object(to["paths"])
	for _, path := range sortedKeys(before) {
		for _, method := range sortedKeys(object(before[path])) {
			if method == "parameters" || strings.HasPrefix(method, "x-") || isText(object(before[path])[method]) {
				continue
			}
			was := object(object(before[path])[method])
			place := strings.ToUpper(method) + " " + path
			now, ok := object(after[path])[method]
			if !ok {
				c.breaks = append(c.breaks, place+" is gone"+deprecated(was))
				continue
			}
			c.operation(place, was, object(now))
		}
	}
	return c.breaks
}

func (c *comparison) add(place, what string) { c.breaks = append(c.breaks, place+": "+what) }

func (c *comparison) operation(place string, was, now map[string]any) {
	c.parameters(place, was, now)
	c.requestBody(place, was, now)
	c.answers(place, was, now)
	c.security(place, was, now)
}

// security: whoever brought what sufficed has to be let in still.
func (c *comparison) security(place string, was, now map[string]any) {
	after := waysIn(c.to, now)
	for _, way := range waysIn(c.from, was) {
		suffices := slices.ContainsFunc(after, func(other map[string]any) bool { return asksNoMore(other, way) })
		switch {
		case suffices:
		case len(way) == 0:
			c.add(place, "it needs a token now")
		default:
			c.add(place, fmt.Sprintf("the credentials %v suffice no more", sortedKeys(way)))
		}
	}
}

// waysIn are the credentials of which any suffice for an operation; one without any: it is open to everybody.
func waysIn(document, operation map[string]any) (ways []map[string]any) {
	security, ok := operation["security"].([]any)
	if !ok {
		security, _ = document["security"].([]any)
	}
	if len(security) == 0 {
		return []map[string]any{{}}
	}
	for _, way := range security {
		ways = append(ways, object(way))
	}
	return ways
}

// asksNoMore reports whether whoever has these credentials, with their scopes, has those that are asked for.
func asksNoMore(asked, has map[string]any) bool {
	for scheme, scopes := range asked {
		granted, there := has[scheme].([]any)
		wanted, _ := scopes.([]any)
		if !there || slices.ContainsFunc(wanted, func(scope any) bool { return !slices.Contains(granted, scope) }) {
			return false
		}
	}
	return true
}

func (c *comparison) parameters(place string, was, now map[string]any) {
	before, after := parametersOf(c.from, was), parametersOf(c.to, now)
	for _, key := range sortedKeys(before) {
		old := object(before[key])
		if after[key] == nil {
			c.add(place, "the parameter "+key+" is gone"+deprecated(old))
			continue
		}
		c.schema(place+": "+key, request, old["schema"], object(after[key])["schema"])
	}
	for _, key := range sortedKeys(after) {
		if before[key] == nil && object(after[key])["required"] == true {
			c.add(place, "the parameter "+key+" is new and has to be sent")
		}
	}
}

// parametersOf are the parameters of an operation by where they are and what they are called. Variables of a path
// go by their place: how they are called is nobody's business.
func parametersOf(document, operation map[string]any) map[string]any {
	list, _ := operation["parameters"].([]any)
	parameters := map[string]any{}
	for _, one := range list {
		parameter := resolve(document, one)
		if parameter["in"] != "path" {
			name, _ := parameter["name"].(string)
			place, _ := parameter["in"].(string)
			if place == "header" {
				name = strings.ToLower(name)
			}
			parameters[name+" ("+place+")"] = parameter
		}
	}
	return parameters
}

func (c *comparison) requestBody(place string, was, now map[string]any) {
	before, after := resolve(c.from, was["requestBody"]), resolve(c.to, now["requestBody"])
	if after["required"] == true && before["required"] != true {
		c.add(place, "there has to be a body now")
	}
	c.content(place+": body", request, before, after)
}

func (c *comparison) answers(place string, was, now map[string]any) {
	before, after := object(was["responses"]), object(now["responses"])
	for _, status := range sortedKeys(before) {
		answer := resolve(c.from, before[status])
		if after[status] == nil {
			if status < "400" {
				c.add(place, "it is not answered "+status+" any more")
			}
			continue
		}
		changed := resolve(c.to, after[status])
		c.content(place+": "+status, response, answer, changed)
		for _, name := range sortedKeys(object(answer["headers"])) {
			if object(changed["headers"])[name] == nil {
				c.add(place+": "+status, "the header "+name+" is gone")
			}
		}
	}
}

// content compares bodies of each media type.
func (c *comparison) content(place string, way direction, was, now map[string]any) {
	before, after := object(was["content"]), object(now["content"])
	for _, mediaType := range sortedKeys(before) {
		if after[mediaType] == nil {
			c.add(place, mediaType+" is gone")
			continue
		}
		c.schema(place, way, object(before[mediaType])["schema"], object(after[mediaType])["schema"])
	}
}

// resolve follows a reference within its document.
func resolve(document map[string]any, part any) map[string]any {
	found := object(part)
	for range 10 { // a chain of references is short
		target, ok := found["$ref"].(string)
		if !ok {
			return found
		}
		var at any = document
		for name := range strings.SplitSeq(strings.TrimPrefix(target, "#/"), "/") {
			at = object(at)[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		}
		found = object(at)
	}
	return found
}

func deprecated(part map[string]any) string {
	if part["deprecated"] == true {
		return " (it was deprecated)"
	}
	return ""
}

// object is a value as an object, an empty one where it is none.
func object(value any) map[string]any {
	members, _ := value.(map[string]any)
	return members
}

func isText(value any) bool {
	_, ok := value.(string)
	return ok
}

func sortedKeys(members map[string]any) []string { return slices.Sorted(maps.Keys(members)) }
