package account_test

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

func TestServiceUserID(t *testing.T) {
	for name, c := range map[string]struct {
		values      []string
		id, problem string
	}{
		"none":                 {nil, "", ""},
		"empty":                {[]string{""}, "", ""},
		"an id":                {[]string{"pupil 7"}, "pupil 7", ""},
		"64 characters":        {[]string{strings.Repeat("ü", 64)}, strings.Repeat("ü", 64), ""},
		"65 characters":        {[]string{strings.Repeat("x", 65)}, "", "Service-User-Id '" + strings.Repeat("x", 64) + "...' has 65 characters; at most 64 are allowed"},
		"forbidden characters": {[]string{`"\ü` + strings.Repeat("x", 62)}, "", "Service-User-Id '???" + strings.Repeat("x", 61) + "...' has 65 characters; at most 64 are allowed"},
		"twice":                {[]string{"a", "a"}, "", "there must be at most one Service-User-Id header, not 2"},
		"not UTF-8":            {[]string{"\xff"}, "", "Service-User-Id is not UTF-8"},
		"a control character":  {[]string{"a\tb"}, "", "Service-User-Id holds a control character"},
	} {
		if id, problem := account.ServiceUserID(c.values); id != c.id || problem != c.problem {
			t.Errorf("%s: got %q, %q", name, id, problem)
		}
	}
}

func TestNewUserID(t *testing.T) {
	one, other := account.NewUserID(), account.NewUserID()
	if !catalogue.ID(one).Valid() || !catalogue.ID(other).Valid() || one == other {
		t.Errorf("new users are %q and %q", one, other)
	}
}
