package apptest

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

// Subject is whom a token stands for, as its claims say.
func Subject(t testing.TB, token string) string {
	t.Helper()
	name, _ := Claims(t, token, 1)["sub"].(string)
	return name
}

// Claims reads a part of a token, of which 0 is the header, without looking at its signature.
func Claims(t testing.TB, token string, part int) map[string]any {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no token", token)
	}
	var said map[string]any
	if err := json.Unmarshal(Must(base64.RawURLEncoding.DecodeString(parts[part]))(t), &said); err != nil {
		t.Fatal(err)
	}
	return said
}
