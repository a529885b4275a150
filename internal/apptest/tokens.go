package apptest

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

// Subject returns the subject of an access token.
func Subject(t testing.TB, token string) string {
	t.Helper()
	name, _ := Claims(t, token, 1)["sub"].(string)
	return name
}

// Claims decodes a part of a token (0 is the header, 1 the claims) without checking its signature.
func Claims(t testing.TB, token string, part int) map[string]any {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is not a token", token)
	}
	var said map[string]any
	if err := json.Unmarshal(Must(base64.RawURLEncoding.DecodeString(parts[part]))(t), &said); err != nil {
		t.Fatal(err)
	}
	return said
}
