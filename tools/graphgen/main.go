// Graphgen writes graph/ from schema.graphqls: it runs gqlgen, and then writes the executor once more
// from gqlgen's own templates with a shorter way for plain objects.
//
// An object is plain if each of its fields is a method or a member of its Go value that takes
// nothing and cannot fail. gqlgen surrounds every field of every object with a
// context, closures and interceptors, which resolvers need; for a page of a hundred videos these are
// most of the work, and a plain field can do nothing with them. What it loses: interceptors
// (AroundFields) do not see it, FieldContext.Child is not there, and a value that is null against the
// schema takes the outermost plain object with it. Fields with a directive are written gqlgen's way.
//
// The templates are changed in a few marked places. A version of gqlgen that looks different there is
// an error here, not other code.
package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"
	"text/template"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "graphgen:", err)
		os.Exit(1)
	}
}

func run() error {
	settings, err := config.LoadConfigFromDefaultLocations()
	if err != nil {
		return err
	}
	var kept keeper
	if err := api.Generate(settings, api.AddPlugin(&kept)); err != nil {
		return err
	}
	texts, err := changedTemplates()
	if err != nil {
		return err
	}
	return templates.Render(templates.Options{
		PackageName: settings.Exec.Package, Filename: settings.Exec.Filename, Data: kept.data,
		RegionTags: true, GeneratedHeader: true, Packages: settings.Packages,
		TemplateFS: texts, Funcs: shapesOf(kept.data).functions(), PruneOptions: settings.GetPruneOptions(),
	})
}

// keeper is a plugin that keeps what gqlgen knows of schema and Go types.
type keeper struct{ data *codegen.Data }

func (k *keeper) Name() string { return "keeper" }

// GenerateCode implements plugin.CodeGenerator.
func (k *keeper) GenerateCode(data *codegen.Data) error {
	k.data = data
	return nil
}

//go:embed plain.gotpl
var ours embed.FS

const oursName = "plain.gotpl"

// changes say what is put before which text of gqlgen's templates.
var changes = []struct{ file, before, put string }{
	{"object.gotpl", "\n\nvar {{ $object.Name|lcFirst}}Implementors", "{{- if isPlain $object }}{{ continue }}{{ end }}"},
	{"field.gotpl", "\n\nfunc {{$.FuncReceiver}}_{{$object.Name}}_{{$field.Name}}(", "{{- if or (not (isPlain $object)) $field.HasDirectives }}"},
	{"field.gotpl", "{{- /* Scalar/enum fields without args", "{{- end }}"},
	{"type.gotpl", "{{- if not $type.IsScalar }}\n\t\t\t\t\tret := graphql.MarshalSliceConcurrently(", "{{- if isPlainList $type }}{{ template \"plainList\" $type }}{{ else }}"},
	{"type.gotpl", "{{ if $type.Elem.GQL.NonNull }}\n\t\t\t\t\tfor _, e := range ret {", "{{- end }}"},
	{"internal!.gotpl", "\tinputUnmarshalMap := graphql.BuildUnmarshalerMap(", "{{- if false }}"},
	{"internal!.gotpl", "\tfirst := true\n", "{{- end }}\n"},
}

// cuts are what is left out of gqlgen's templates, so many times each: a map of all input objects, made
// anew for every request, for graphql.UnmarshalInputFromContext, which nothing of ours calls.
var cuts = []struct {
	file, text string
	times      int
}{
	{"internal!.gotpl", "ctx = graphql.WithUnmarshalerMap(ctx, inputUnmarshalMap)\n", 2},
}

// changedTemplates are gqlgen's templates with our changes, and ours beside them.
func changedTemplates() (fs.FS, error) {
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/99designs/gqlgen/codegen").Output()
	if err != nil {
		return nil, fmt.Errorf("gqlgen's templates: %w", err)
	}
	paths, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(folder)), "*.gotpl"))
	if err != nil {
		return nil, err
	}
	texts := fstest.MapFS{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		texts[filepath.Base(path)] = &fstest.MapFile{Data: text}
	}
	for _, change := range changes {
		file := texts[change.file]
		if file == nil || strings.Count(string(file.Data), change.before) != 1 {
			return nil, fmt.Errorf("gqlgen's %s does not hold %q once: changes have to be fitted to this version", change.file, change.before)
		}
		file.Data = []byte(strings.Replace(string(file.Data), change.before, change.put+change.before, 1))
	}
	for _, cut := range cuts {
		file := texts[cut.file]
		if file == nil || strings.Count(string(file.Data), cut.text) != cut.times {
			return nil, fmt.Errorf("gqlgen's %s does not hold %q %d times: changes have to be fitted to this version", cut.file, cut.text, cut.times)
		}
		file.Data = []byte(strings.ReplaceAll(string(file.Data), cut.text, ""))
	}
	text, err := ours.ReadFile(oursName)
	texts[oursName] = &fstest.MapFile{Data: text}
	return texts, err
}

// shapes are the schema's objects by name.
type shapes map[string]*codegen.Object

func shapesOf(data *codegen.Data) shapes {
	s := shapes{}
	for _, object := range data.Objects {
		s[object.Name] = object
	}
	return s
}

// functions are what plain.gotpl and the changes call.
func (s shapes) functions() template.FuncMap {
	return template.FuncMap{
		"isPlain":     isPlain,
		"isQuiet":     s.isQuiet,
		"isDirect":    isDirect,
		"isPlainType": func(value *config.TypeReference) bool { return isPlain(s[value.Definition.Name]) },
		"isPlainList": func(list *config.TypeReference) bool {
			return list.Definition.IsLeafType() || isPlain(s[list.Definition.Name])
		},
	}
}

func isPlain(object *codegen.Object) bool {
	return object != nil && !object.Root && !object.Stream && !object.IsReserved() && len(object.Directives) == 0 &&
		!slices.ContainsFunc(object.Fields, func(field *codegen.Field) bool { return !isPlainField(field) })
}

func isPlainField(field *codegen.Field) bool {
	bound := field.IsVariable() || field.IsMethod() && field.NoErr && !field.VOkFunc && !field.MethodHasContext
	return bound && !field.IsResolver && !field.IsBatch() && !field.HasHaser && len(field.Args) == 0
}

// isDirect reports whether a value is written by one function that takes it as it is.
func isDirect(value *config.TypeReference) bool {
	return value.Definition.IsLeafType() && value.Marshaler != nil && value.CastType == nil &&
		!value.IsContext && !value.IsTargetNilable() && !value.HasEnumValues()
}

// isQuiet reports whether nothing within a value of the type can ask for its place in the answer:
// only what has a context, or a directive, can report an error, and there is none.
func (s shapes) isQuiet(value *config.TypeReference) bool {
	return s.quiet(value.Definition.Name, value, nil)
}

func (s shapes) quiet(name string, value *config.TypeReference, above []string) bool {
	if value.Definition.IsLeafType() {
		for value.IsSlice() {
			value = value.Elem()
		}
		return !value.IsContext
	}
	object := s[name]
	if !isPlain(object) || slices.Contains(above, name) {
		return false
	}
	return !slices.ContainsFunc(object.Fields, func(field *codegen.Field) bool {
		inner := field.TypeReference
		return field.HasDirectives() || !s.quiet(inner.Definition.Name, inner, append(above, name))
	})
}
