package catalogue

import (
	"context"
	"slices"
	"strings"
)

// A query parameter with several values may be sent as one value with commas, but names may have commas of their own.
// A value is therefore split only if nothing has the whole value as its name.

type joinedKey struct{}

// WithJoinedNames marks a request whose lists of names may hold values that are joined by commas.
func WithJoinedNames(ctx context.Context) context.Context {
	return context.WithValue(ctx, joinedKey{}, true)
}

// SplitNames returns names as they are, unless the request is marked by WithJoinedNames: then SplitJoined's. nil stays
// nil.
func SplitNames(ctx context.Context, names []string, exists func(name string) bool) []string {
	if names == nil || ctx.Value(joinedKey{}) == nil {
		return names
	}
	return SplitJoined(names, exists)
}

// SplitJoined splits those values at commas that do not exist as a whole. It asks at most once for each value with a
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
