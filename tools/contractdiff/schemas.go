package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// direction is who reads what a schema describes: what may not become less on one way may not become more on the
// other.
type direction int

const (
	request  direction = iota // the client writes it
	response                  // the client reads it
)

// schema compares two schemas of what goes one way. What two shared schemas are made of is compared once, which also
// ends those that hold themselves.
func (c *comparison) schema(place string, way direction, was, now any) {
	before, after := withoutNull(c.from, was), withoutNull(c.to, now)
	c.types(place, way, before, after)
	if before.name != "" && after.name != "" {
		pair := fmt.Sprint(way, before.name, after.name)
		if c.seen[pair] {
			return
		}
		c.seen[pair] = true
	}
	c.values(place, way, before.schema, after.schema)
	c.members(place, way, before.schema, after.schema)
	c.variants(place, way, before.schema, after.schema)
	if items := before.schema["items"]; items != nil && after.schema["items"] != nil {
		c.schema(place+"[]", way, items, after.schema["items"])
	}
}

// plain is a schema with its null taken out, however that was written.
type plain struct {
	name     string // by which it is shared; "": it is not
	schema   map[string]any
	types    []string // none: any
	nullable bool
}

func withoutNull(document map[string]any, part any) plain {
	found := plain{schema: resolve(document, part)}
	found.name, _ = object(part)["$ref"].(string)
	for _, keyword := range []string{"anyOf", "oneOf"} {
		variants, _ := found.schema[keyword].([]any)
		others := slices.DeleteFunc(slices.Clone(variants), func(one any) bool { return object(one)["type"] == "null" })
		if len(others) == 1 && len(variants) == 2 {
			inner := withoutNull(document, others[0])
			inner.nullable = true
			return inner
		}
	}
	switch types := found.schema["type"].(type) {
	case string:
		found.types = []string{types}
	case []any:
		for _, one := range types {
			found.types = append(found.types, fmt.Sprint(one))
		}
	}
	if at := slices.Index(found.types, "null"); at >= 0 {
		found.types, found.nullable = slices.Delete(found.types, at, at+1), true
	}
	return found
}

// types: what is sent may not be of fewer types, what is read not of more. A whole number is a number.
func (c *comparison) types(place string, way direction, was, now plain) {
	taken, given := was, now
	if way == response {
		taken, given = now, was
	}
	for _, one := range taken.types {
		if len(given.types) > 0 && !slices.Contains(given.types, one) && (one != "integer" || !slices.Contains(given.types, "number")) {
			c.add(place, fmt.Sprintf("its type was %v and is %v", was.types, now.types))
			break
		}
	}
	if len(taken.types) == 0 && len(given.types) > 0 {
		c.add(place, fmt.Sprintf("its type was %v and is %v (none: any)", was.types, now.types))
	}
	switch {
	case way == request && was.nullable && !now.nullable && len(now.types) > 0:
		c.add(place, "it may not be null any more")
	case way == response && !was.nullable && now.nullable && len(was.types) > 0:
		c.add(place, "it may be null now")
	}
}

// bounds are the keywords that bound a value, and whether a larger bound takes less.
var bounds = map[string]bool{
	"minimum": true, "exclusiveMinimum": true, "minLength": true, "minItems": true, "minProperties": true,
	"maximum": false, "exclusiveMaximum": false, "maxLength": false, "maxItems": false, "maxProperties": false,
}

// values: what was taken has to be taken still.
func (c *comparison) values(place string, way direction, was, now map[string]any) {
	if way == response {
		return
	}
	if allowed, closed := now["enum"].([]any); closed {
		before, wasClosed := was["enum"].([]any)
		if !wasClosed {
			c.add(place, "its values are a closed list now")
		}
		for _, value := range before {
			if !slices.ContainsFunc(allowed, func(one any) bool { return reflect.DeepEqual(one, value) }) {
				c.add(place, fmt.Sprintf("the value %v is taken no more", value))
			}
		}
	}
	for _, keyword := range []string{"pattern", "format", "const"} {
		if now[keyword] != nil && !reflect.DeepEqual(was[keyword], now[keyword]) {
			c.add(place, fmt.Sprintf("its %s was %v and is %v", keyword, was[keyword], now[keyword]))
		}
	}
	if was["default"] != nil && !reflect.DeepEqual(was["default"], now["default"]) {
		c.add(place, fmt.Sprintf("its default was %v and is %v", was["default"], now["default"]))
	}
	for keyword, larger := range bounds {
		after, bounded := now[keyword].(float64)
		before, wasBounded := was[keyword].(float64)
		if bounded && (!wasBounded || larger && after > before || !larger && after < before) {
			c.add(place, fmt.Sprintf("its %s was %v and is %v", keyword, was[keyword], now[keyword]))
		}
	}
}

// members compares the fields of objects.
func (c *comparison) members(place string, way direction, was, now map[string]any) {
	before, after := object(was["properties"]), object(now["properties"])
	for _, name := range sortedKeys(before) {
		old := object(before[name])
		field := place + ": " + name
		if after[name] == nil {
			c.add(field, "the field is gone"+deprecated(old))
			continue
		}
		if way == response && requires(was, name) && !requires(now, name) {
			c.add(field, "the field may be missing now")
		}
		c.schema(field, way, before[name], after[name])
	}
	if way == request {
		for _, name := range sortedKeys(after) {
			if requires(now, name) && !requires(was, name) {
				c.add(place+": "+name, "the field has to be sent now")
			}
		}
		if now["additionalProperties"] == false && was["additionalProperties"] != false {
			c.add(place, "fields that are not named are refused now")
		}
	}
	if others := object(was["additionalProperties"]); others != nil && object(now["additionalProperties"]) != nil {
		c.schema(place+": *", way, others, now["additionalProperties"])
	}
}

func requires(schema map[string]any, name string) bool {
	list, _ := schema["required"].([]any)
	return slices.Contains(list, any(name))
}

// variants compares what is one of several: pair by pair where there are as many as before, otherwise by what is
// there on both sides.
func (c *comparison) variants(place string, way direction, was, now map[string]any) {
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		before, _ := was[keyword].([]any)
		after, _ := now[keyword].([]any)
		if len(before) == len(after) {
			for i := range before {
				c.schema(fmt.Sprintf("%s: %s %d", place, keyword, i+1), way, before[i], after[i])
			}
			continue
		}
		lost, from := before, after
		if way == response {
			lost, from = after, before
		}
		for _, one := range lost {
			if !slices.ContainsFunc(from, func(other any) bool { return reflect.DeepEqual(one, other) }) {
				text, _ := json.Marshal(one) // it came from JSON
				c.add(place, fmt.Sprintf("%s is not as it was: %s", keyword, text))
			}
		}
	}
}
