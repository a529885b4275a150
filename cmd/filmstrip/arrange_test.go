package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/accesstest"
	"github.com/filmstrip/filmstrip/internal/generate"
)

// TestIndexIsArrangedForPackages: a package that is assigned while a server runs is given a pass in Typesense,
// one that is changed another.
func TestIndexIsArrangedForPackages(t *testing.T) {
	settings := combination{typesense: true}.settings(t)
	s := accessible{service: openWith(t, append([]string{"--demo"}, settings...)...)}
	var items []catalogue.Item
	for item := range generate.Items(generate.Options{Videos: 30, Seed: 1}) {
		items = append(items, item)
	}
	if err := s.Fill(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	if err := authtest.Put(t.Context(), s.stores.accounts, authtest.Customer(string(accesstest.Limited), demoSecret, nil)...); err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(settings[1], "typesense+") + "/collections/" + s.derived.namespace +
		"-state/documents/search?q=*&per_page=250"
	before := ""
	for _, kind := range []catalogue.VideoType{catalogue.Instructional, catalogue.News} {
		rules := []catalogue.AccessRule{{Type: catalogue.IncludedVideoTypes, Values: []string{string(kind)}}}
		limited := authtest.Account(string(accesstest.Limited), string(accesstest.Limited))
		limited.ContentPackage = accesstest.PackageID
		err := authtest.Put(t.Context(), s.stores.accounts,
			&account.ContentPackage{ID: accesstest.PackageID, Name: "Package", Rules: rules}, limited)
		if err != nil {
			t.Fatal(err)
		}
		access := must(catalogue.CompileRules(rules))(t)
		complete := func(access string) string { return `\"` + access + `\",\"complete\":true` }
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			states := askTypesense(t, address, settings[3])
			if strings.Contains(states, complete(access.Fingerprint())) && (before == "" || !strings.Contains(states, complete(before))) {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("no pass for %s, none before for %q: %s", access.Fingerprint(), before, states)
			}
		}
		before = access.Fingerprint()
	}
}

func askTypesense(t *testing.T, address, key string) string {
	t.Helper()
	request := must(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))(t)
	request.Header.Set("X-TYPESENSE-API-KEY", key)
	response := must(http.DefaultClient.Do(request))(t)
	defer response.Body.Close()
	return string(must(io.ReadAll(response.Body))(t))
}
