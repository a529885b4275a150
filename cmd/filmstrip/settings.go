package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// settings resolve flags that are not on the command line: from a variable FILMSTRIP_X_Y, else from
// the line x-y of the settings file.
type settings struct {
	environment func(string) (string, bool)
	file        string
	values      map[string]any
}

const variablePrefix = "FILMSTRIP_"

// variableOf is the variable of a flag.
func variableOf(flag string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// loadSettings reads the settings file, if --config or FILMSTRIP_CONFIG names one.
func loadSettings(args []string, environment func(string) (string, bool)) (*settings, error) {
	s := &settings{environment: environment}
	s.file, _ = environment(variableOf("config"))
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

// Resolve implements kong.Resolver: nil leaves the default.
func (s *settings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if value, ok := s.environment(variableOf(flag.Name)); ok {
		return value, nil
	}
	switch value := s.values[flag.Name].(type) {
	case nil:
		return nil, nil
	case []any:
		texts := make([]string, len(value))
		for i, one := range value {
			texts[i] = fmt.Sprint(one)
		}
		return strings.Join(texts, ","), nil
	default:
		return fmt.Sprint(value), nil
	}
}

// check refuses a settings file with a line that no command knows: a setting that is misspelt must
// not be lost.
func (s *settings) check(parsed *kong.Context) error {
	known := map[string]bool{}
	for _, node := range append(parsed.Model.Children, parsed.Model.Node) {
		for _, flag := range node.Flags {
			known[flag.Name] = true
		}
	}
	for name := range s.values {
		if !known[name] {
			return fmt.Errorf("the settings file %s: %q is not a setting", s.file, name)
		}
	}
	return nil
}
