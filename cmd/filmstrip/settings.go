package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// settings resolve flags that are missing on the command line: from the variable FILMSTRIP_X_Y, or else from the line
// x-y of the settings file.
type settings struct {
	environment func(string) (string, bool)
	file        string
	values      map[string]any
}

const variablePrefix = "FILMSTRIP_"

// variableOf returns the variable of a flag.
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

// Resolve implements kong.Resolver. nil selects the default. A secret can also come from a file, which the setting with
// the suffix _FILE or -file names.
func (s *settings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	secret := flag.Tag.Has(secretTag)
	value, said := s.environment(variableOf(flag.Name))
	if file, _ := s.environment(variableOf(flag.Name + secretSuffix)); file != "" && secret && value == "" {
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

// check returns an error if the settings file has a line that no command knows, so that no misspelled setting is
// ignored.
func (s *settings) check(parsed *kong.Context) error {
	known := map[string]bool{}
	for _, node := range append(parsed.Model.Children, parsed.Model.Node) {
		for _, flag := range node.Flags {
			known[flag.Name] = true
			known[flag.Name+secretSuffix] = known[flag.Name+secretSuffix] || flag.Tag.Has(secretTag)
		}
	}
	for name := range s.values {
		if !known[name] {
			return fmt.Errorf("the settings file %s: %q is not a setting", s.file, name)
		}
	}
	return nil
}
