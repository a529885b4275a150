package auth

import (
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/account"
)

// scopes are the supported scope values, each a group of identity claims (spec.md, "Token response"). They do not
// affect permissions.
var scopes = []string{"openid", "profile", "email"}

// clientScopes are the scopes that a client may have, and by default has, on its own behalf. They exclude "openid",
// which requests an ID token and therefore needs a user.
var clientScopes = []string{"profile", "email"}

// parseScope parses the scope parameter (RFC 6749 section 3.3). It returns nil if the parameter is empty.
func parseScope(text string) ([]string, error) {
	var asked []string
	for value := range strings.SplitSeq(text, " ") {
		if value == "" {
			continue
		}
		if !slices.Contains(scopes, value) {
			return nil, invalidScope("scope %s is not one of %s", account.Quoted(value), strings.Join(scopes, ", "))
		}
		asked = append(asked, value)
	}
	return asked, nil
}

// grantedScope returns the requested values that are available, in the order of available. If no scope was requested, it
// returns all available values. The response names the granted scope (RFC 6749 section 3.3).
func grantedScope(asked, available []string) string {
	var granted []string
	for _, value := range available {
		if asked == nil || slices.Contains(asked, value) {
			granted = append(granted, value)
		}
	}
	return strings.Join(granted, " ")
}
