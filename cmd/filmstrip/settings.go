package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// settings resolve flags that are missing on the command line: from the variable FILMSTRIP_X_Y, or else from the line
// x-y of the settings file.
type settings struct {
	variables map[string]string
	file      string
	values    map[string]any
}

const variablePrefix = "FILMSTRIP_"

// variablesOf returns variables by name. environment has the form of os.Environ.
func variablesOf(environment []string) map[string]string {
	variables := make(map[string]string, len(environment))
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		variables[name] = value
	}
	return variables
}

// variableOf returns the variable of a flag.
func variableOf(flag string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// loadSettings reads the settings file, if --config or FILMSTRIP_CONFIG names one.
func loadSettings(args []string, variables map[string]string) (*settings, error) {
	s := &settings{variables: variables, file: variables[variableOf("config")]}
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--config="); ok {
			s.file = value
		} else if arg == "--config" && i+1 < len(args) {
			s.file = args[i+1]
		}
	}
	if s.file == "" {
		return s, nil
	}
	text, err := os.ReadFile(s.file)
	if err != nil {
		return nil, fmt.Errorf("the settings file cannot be read: %w", err)
	}
	if err := yaml.Unmarshal(text, &s.values); err != nil {
		return nil, fmt.Errorf("the settings file %s: %w", s.file, err)
	}
	return s, nil
}

// Validate implements kong.Resolver.
func (s *settings) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver. nil selects the default. A secret can also come from a file, which the setting with
// the suffix _FILE or -file names.
func (s *settings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	secret := flag.Tag.Has(secretTag)
	value, said := s.variables[variableOf(flag.Name)]
	if file := s.variables[variableOf(flag.Name+secretSuffix)]; file != "" && secret && value == "" {
		return readSecret(flag.Name, file) // deployment files set variables to empty values
	}
	if said {
		return value, nil
	}
	if value := s.values[flag.Name]; value != nil {
		return textOf(value), nil
	}
	if file := s.values[flag.Name+secretSuffix]; file != nil && secret {
		return readSecret(flag.Name, textOf(file))
	}
	return nil, nil
}

// secretTag marks flags whose values are secret. secretSuffix is the suffix of the setting that names a file instead.
const (
	secretTag    = "secret"
	secretSuffix = "-file"
)

// readSecret reads a secret without its line ending. An empty one is an error: it would count as a missing setting,
// which selects the embedded engine.
func readSecret(flag, file string) (any, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the file of --%s cannot be read: %w", flag, err)
	}
	secret := strings.TrimRight(string(text), "\r\n")
	if secret == "" {
		return nil, fmt.Errorf("the file of --%s is empty", flag)
	}
	return secret, nil
}

// textOf formats a value of the settings file as a flag's value.
func textOf(value any) string {
	list, ok := value.([]any)
	if !ok {
		return fmt.Sprint(value)
	}
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = fmt.Sprint(one)
	}
	return strings.Join(texts, ",")
}

// foreignVariables matches variables with the prefix that are not settings: those with which Kubernetes describes services
// whose names begin with filmstrip, and those of the tests.
var foreignVariables = regexp.MustCompile(`^FILMSTRIP_(TEST_.*|(.*_)?SERVICE_(HOST|PORT(_.*)?)|(.*_)?PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// check returns an error if a variable, or a line of the settings file, is a setting of no command, so that no misspelled
// setting is ignored.
func (s *settings) check(parsed *kong.Context) error {
	known := map[string]bool{}
	for _, node := range append(parsed.Model.Leaves(false), parsed.Model.Node) {
		for _, flag := range node.Flags {
			known[flag.Name] = true
			known[flag.Name+secretSuffix] = known[flag.Name+secretSuffix] || flag.Tag.Has(secretTag)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		if !known[name] {
			return fmt.Errorf("the settings file %s: %q is not a setting%s", s.file, name, suggestion(name, known, func(name string) string { return name }))
		}
	}
	for _, variable := range slices.Sorted(maps.Keys(s.variables)) {
		name, ours := strings.CutPrefix(variable, variablePrefix)
		if !ours || known[strings.ToLower(strings.ReplaceAll(name, "_", "-"))] || foreignVariables.MatchString(variable) {
			continue
		}
		return fmt.Errorf("the variable %s is not a setting%s", variable, suggestion(variable, known, variableOf))
	}
	return nil
}

// checkMinimums returns an error if a number or a duration is below the tag min of its flag.
func checkMinimums(parsed *kong.Context) error {
	for _, flag := range parsed.Flags() {
		if !flag.Tag.Has("min") {
			continue
		}
		value, least := flag.Target.Interface(), flag.Tag.Get("min")
		var above bool
		var err error
		if duration, ok := value.(time.Duration); ok {
			var bound time.Duration
			bound, err = time.ParseDuration(least)
			above = duration >= bound
		} else {
			var bound float64
			bound, err = strconv.ParseFloat(least, 64)
			above = flag.Target.Convert(reflect.TypeFor[float64]()).Float() >= bound
		}
		if err != nil || !above {
			return errors.Join(err, fmt.Errorf("--%s %v is below %s", flag.Name, value, least))
		}
	}
	return nil
}

// suggestion returns a hint at the known setting whose name is the most similar, or "" if none is. form returns how the
// user would write a setting.
func suggestion(name string, known map[string]bool, form func(string) string) string {
	best, least := "", max(2, len(name)/6)+1
	for setting := range known {
		written := form(setting)
		if d := levenshtein.ComputeDistance(name, written); d < least || d == least && best != "" && written < best {
			best, least = written, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}
