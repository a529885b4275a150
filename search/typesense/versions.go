package typesense

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/fault"
)

// Check tries to use the index and returns the version of the server, or "" if the server does not report it. The error
// is a *fault.Error with code Unavailable that names the reason: no server answers, the server rejects the key, or the
// version is older than 0.24.
func (x *Index) Check(ctx context.Context) (string, error) {
	if _, err := x.server.aliases(ctx); fault.CodeOf(err) == fault.Internal {
		return "", unavailable("is not a Typesense server", err)
	} else if err != nil {
		return "", err
	}
	var said struct {
		Version string `json:"version"`
	}
	err := x.server.call(&said, func() (*http.Response, error) { return x.server.api.Debug(ctx) })
	if IsRefusal(err) {
		return "", nil // the key has the necessary permissions only
	}
	if err != nil {
		return "", err
	}
	if isTooOld(said.Version) {
		return said.Version, unavailable("is Typesense "+said.Version+", which is too old: 0.24.1 or newer is needed", nil)
	}
	return said.Version, nil
}

// isTooOld reports whether a version is older than 0.24. A version that cannot be parsed, such as "nightly", is
// considered new.
func isTooOld(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	first, err := strconv.Atoi(major)
	if err != nil || first > 0 {
		return false
	}
	second, err := strconv.Atoi(minor)
	return err == nil && second < 24
}
