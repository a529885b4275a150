package auth

import (
	"slices"
	"strings"
)

// scopes are the values that "scope" may hold, each a group of identity claims (spec.md, "Token
// response"). They have no bearing on rights.
var scopes = []string{"openid", "profile", "email"}

// clientScopes are the scopes that a client may have on its own behalf, and those that it gets where it
// asks for none: "openid" asks for an ID token, and that is always a user's.
var clientScopes = []string{"profile", "email"}

// parseScope reads the scope parameter (RFC 6749 section 3.3); nil: none was asked for.
func parseScope(text string) ([]string, error) {
	var asked []string
	for value := range strings.SplitSeq(text, " ") {
		if value == "" {
			continue
		}
		if !slices.Contains(scopes, value) {
			return nil, invalidScope("scope %s is not one of %s", quoted(value), strings.Join(scopes, ", "))
		}
		asked = append(asked, value)
	}
	return asked, nil
}

// grantedScope is the part of what was asked for that may be had, in the order of the latter, and all of
// that where nothing was asked for. The answer names it (RFC 6749 section 3.3).
func grantedScope(asked, available []string) string {
	var granted []string
	for _, value := range available {
		if asked == nil || slices.Contains(asked, value) {
			granted = append(granted, value)
		}
	}
	return strings.Join(granted, " ")
}
