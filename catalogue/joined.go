package catalogue

import (
	"context"
	"slices"
	"strings"
)

// Clients may send several values of a query parameter in one value, separated by commas, but names may contain
// commas. A value is therefore split only if nothing is named like the whole value. It is then split at the commas that the
// client did not percent-encode, as RFC 6570 expands lists, and each part at its other commas, unless something is named
// like the part: some clients encode the commas between values, too.

type joinedKey struct{}

// JoinedParts has, by values, their parts between commas that were not percent-encoded. Values without encoded commas are
// missing.
type JoinedParts map[string][]string

// WithJoinedNames marks a request in which a list of names may contain comma-separated values.
func WithJoinedNames(ctx context.Context, parts JoinedParts) context.Context {
	return context.WithValue(ctx, joinedKey{}, parts)
}

// SplitNames returns SplitJoined of the names if the request is marked by WithJoinedNames, and otherwise the names
// unchanged. nil stays nil.
func SplitNames(ctx context.Context, names []string, exists func(name string) bool) []string {
	parts, joined := ctx.Value(joinedKey{}).(JoinedParts)
	if names == nil || !joined {
		return names
	}
	return SplitJoined(names, parts, exists)
}

// SplitJoined splits values at commas if they do not exist as a whole. It calls exists at most once per value or part with a
// comma. Surrounding blanks and empty parts are dropped; the result is never nil.
func SplitJoined(values []string, parts JoinedParts, exists func(value string) bool) []string {
	split := make([]string, 0, len(values))
	for _, value := range values {
		whole := strings.TrimSpace(value)
		if !strings.Contains(whole, ",") || exists(whole) {
			split = append(split, whole)
			continue
		}
		if len(parts[whole]) > 0 {
			split = append(split, SplitJoined(parts[whole], nil, exists)...)
			continue
		}
		for part := range strings.SplitSeq(whole, ",") {
			split = append(split, strings.TrimSpace(part))
		}
	}
	return slices.DeleteFunc(split, func(value string) bool { return value == "" })
}
