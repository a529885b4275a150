package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/filmstrip/filmstrip/graph"
)

// domain is the schema of POST /graphql.
var domain = graph.NewExecutableSchema(graph.Config{}).Schema()

// graphQLRequest is a GraphQL query with root fields, each with a number of aliases.
type graphQLRequest struct{ roots []*root }

type root struct {
	field   *ast.FieldDefinition
	seed    uint64 // of the selection and the arguments
	aliases int
	width   int // the likelihood of each field, in eighths
	kind    int // of texts
	size    int
	count   int // of lists
}

func newRoot(r *rand.Rand) *root {
	fields := domain.Query.Fields
	for {
		field := fields[r.IntN(len(fields))]
		if strings.HasPrefix(field.Name, "__") && field.Name != "__schema" {
			continue
		}
		return &root{
			field: field, seed: r.Uint64(), aliases: []int{1, 1, 1, 2, 6, 20, 100}[r.IntN(7)], width: 1 + r.IntN(8),
			kind: r.IntN(1 << 20), size: r.IntN(1 << 20), count: counts[r.IntN(len(counts))],
		}
	}
}

func newGraphQLRequest(r *rand.Rand) candidate { return &graphQLRequest{roots: []*root{newRoot(r)}} }

func (q *graphQLRequest) endpoint() string {
	names := make([]string, len(q.roots))
	for i, root := range q.roots {
		names[i] = root.field.Name
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}

func (q *graphQLRequest) mutate(r *rand.Rand) candidate {
	made := &graphQLRequest{roots: slices.Clone(q.roots)}
	i := r.IntN(len(made.roots))
	changed, other := *made.roots[i], newRoot(r)
	switch r.IntN(8) {
	case 0:
		changed.seed = other.seed
	case 1, 2:
		changed.aliases = other.aliases
	case 3:
		changed.width = other.width
	case 4:
		changed.kind, changed.size = other.kind, other.size
	case 5:
		changed.count = other.count
	case 6:
		made.roots = append(made.roots, other)
	default:
		if len(made.roots) > 1 {
			made.roots = slices.Delete(made.roots, i, i+1)
			return made
		}
	}
	made.roots[i] = &changed
	return made
}

// longest is the length in bytes at which lists and aliases of a query end. It is longer than the bodies that the server
// reads. Without it, lists in lists would take all memory.
const longest = 4 << 20

func (q *graphQLRequest) instantiate(r *rand.Rand, p *pools) request {
	var b strings.Builder
	b.WriteString("{")
	for i, root := range q.roots {
		for alias := range root.aliases {
			if b.Len() > longest {
				break
			}
			w := &writer{root: root, shape: rand.New(rand.NewPCG(root.seed, 1)), values: r, pools: p, left: longest}
			fmt.Fprintf(&b, "f%d_%d:", i, alias)
			w.field(&b, root.field, 0)
		}
	}
	b.WriteString("}")
	body, _ := json.Marshal(map[string]string{"query": b.String()})
	return request{method: "POST", path: "/graphql", contentType: "application/json", body: body, signedIn: true}
}

// writer writes a field. The shape of the field is the same each time; its values differ.
type writer struct {
	root   *root
	shape  *rand.Rand
	values *rand.Rand
	pools  *pools
	left   int // bytes that lists may still take
}

func (w *writer) field(b *strings.Builder, field *ast.FieldDefinition, depth int) {
	b.WriteString(field.Name)
	var given []string
	for _, argument := range field.Arguments {
		if argument.Type.NonNull && argument.DefaultValue == nil || w.shape.IntN(8) < w.root.width {
			given = append(given, argument.Name+":"+w.value(argument.Type, argument.Name, 0))
		}
	}
	if len(given) > 0 {
		b.WriteString("(" + strings.Join(given, ",") + ")")
	}
	w.selection(b, domain.Types[field.Type.Name()], depth)
	b.WriteByte(' ')
}

func (w *writer) selection(b *strings.Builder, of *ast.Definition, depth int) {
	if of == nil || !of.IsCompositeType() {
		return
	}
	b.WriteString("{__typename ")
	for _, field := range of.Fields {
		composite := domain.Types[field.Type.Name()].IsCompositeType()
		if depth > 8 && composite || w.shape.IntN(8) >= w.root.width || strings.HasPrefix(field.Name, "__") {
			continue
		}
		if composite && depth > 0 && w.shape.IntN(depth+1) > 0 {
			continue
		}
		w.field(b, field, depth+1)
	}
	b.WriteByte('}')
}

func (w *writer) value(of *ast.Type, name string, depth int) string {
	if of.Elem != nil {
		var list []string
		for len(list) < min(w.root.count, 300) && w.left > 0 {
			item := w.value(of.Elem, name, depth)
			if list = append(list, item); of.Elem.Elem == nil && domain.Types[of.Elem.NamedType].IsLeafType() {
				w.left -= len(item)
			}
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	definition := domain.Types[of.NamedType]
	switch definition.Kind {
	case ast.Enum:
		return definition.EnumValues[w.values.IntN(len(definition.EnumValues))].Name
	case ast.InputObject:
		var fields []string
		for _, field := range definition.Fields {
			if field.Type.NonNull && field.DefaultValue == nil || depth < 3 && w.shape.IntN(16) < w.root.width {
				fields = append(fields, field.Name+":"+w.value(field.Type, field.Name, depth+1))
			}
		}
		return "{" + strings.Join(fields, ",") + "}"
	}
	switch of.NamedType {
	case "Int":
		return strconv.Itoa([]int{1, 10, 100, 200, 500, 1000}[w.root.size%6])
	case "Float":
		return "0.01"
	case "Boolean":
		return strconv.FormatBool(w.values.IntN(2) == 0)
	case "Date":
		return fmt.Sprintf(`"20%02d-01-01"`, 10+w.values.IntN(16))
	case "DateTime", "Time", "Instant":
		return fmt.Sprintf(`"20%02d-01-01T00:00:00Z"`, 10+w.values.IntN(16))
	case "Month":
		return `"2026-10"`
	case "Duration":
		return fmt.Sprintf(`"PT%dM"`, w.values.IntN(30))
	case "Language":
		return `"eng"`
	case "ID":
		text, _ := json.Marshal(w.pools.text(w.values, someName, 0, name))
		return string(text)
	}
	kind := w.root.kind
	if name != "text" && name != "query" && name != "title" && kind%2 == 0 {
		kind = someName
	}
	text, _ := json.Marshal(w.pools.text(w.values, kind, w.root.size, name))
	return string(text)
}
