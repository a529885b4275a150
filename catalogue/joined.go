package catalogue

import (
	"context"
	"slices"
	"strings"
)

// Clients may send several values of a query parameter in one value, separated by commas, but names may contain
// commas. A value is therefore split only if nothing is named like the whole value.

type joinedKey struct{}

// WithJoinedNames marks a request in which a list of names may contain comma-separated values.
func WithJoinedNames(ctx context.Context) context.Context {
	return context.WithValue(ctx, joinedKey{}, true)
}

// SplitNames returns SplitJoined of the names if the request is marked by WithJoinedNames, and otherwise the names
// unchanged. nil stays nil.
func SplitNames(ctx context.Context, names []string, exists func(name string) bool) []string {
	if names == nil || ctx.Value(joinedKey{}) == nil {
		return names
	}
	return SplitJoined(names, exists)
}

// SplitJoined splits values at commas if they do not exist as a whole. It calls exists at most once per value with a
// comma. Surrounding blanks and empty parts are dropped; the result is never nil.
func SplitJoined(values []string, exists func(value string) bool) []string {
	split := make([]string, 0, len(values))
	for _, value := range values {
		whole := strings.TrimSpace(value)
		if !strings.Contains(whole, ",") || exists(whole) {
			split = append(split, whole)
			continue
		}
		for part := range strings.SplitSeq(whole, ",") {
			split = append(split, strings.TrimSpace(part))
		}
	}
	return slices.DeleteFunc(split, func(value string) bool { return value == "" })
}
