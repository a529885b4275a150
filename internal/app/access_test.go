package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/accesstest"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/store"
)

// accessible implements accesstest.Service with the program's service.
type accessible struct {
	*App
	tokens map[accesstest.Caller]string
}

// TestWhatRulesHideIsHidden verifies that no endpoint and no field ever returns a video that access rules hide. It runs
// the test of package rest on shared engines.
func TestWhatRulesHideIsHidden(t *testing.T) {
	whatRulesHideIsHidden(t, apptest.Engines{PostgreSQL: true, Typesense: true, Redis: true})
}

func whatRulesHideIsHidden(t *testing.T, engines ...apptest.Engines) {
	for _, c := range engines {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			s := &accessible{App: openWith(t, append([]string{"--demo", "--graphql-cost=60000"}, c.Settings(t)...)...), tokens: map[accesstest.Caller]string{}}
			records := append(authtest.Customer(string(accesstest.Limited), demo.Secret, nil), authtest.Operator(string(accesstest.Operator), demo.Secret)...)
			if err := authtest.Put(t.Context(), s.stores.Accounts, records...); err != nil {
				t.Fatal(err)
			}
			if err := accesstest.Run(t.Context(), s, catalogue.DateOf(time.Now()), 2, 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// Fill implements accesstest.Service.
func (s *accessible) Fill(ctx context.Context, items []catalogue.Item) error {
	err := s.catalogue.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		outcomes, err := tx.Put(ctx, items)
		for _, outcome := range outcomes {
			if outcome.Status == store.Rejected {
				return outcome.Faults
			}
		}
		return err
	})
	if err == nil && !apptest.Within(time.Minute, func() bool { return ctx.Err() != nil || s.caughtUp(ctx) }) {
		return errors.New("the written items cannot be searched for")
	}
	return errors.Join(err, ctx.Err())
}

// PutCollections implements accesstest.Service.
func (s *accessible) PutCollections(ctx context.Context, collections map[catalogue.ID][]catalogue.ID) error {
	err := accesstest.PutCollections(ctx, s.stores.Collections, collections)
	if err == nil && !apptest.Within(time.Minute, func() bool { return ctx.Err() != nil || s.collectionsCaughtUp(ctx) }) {
		return errors.New("collections that were written cannot be searched for")
	}
	return errors.Join(err, ctx.Err())
}

// collectionsCaughtUp reports whether searches find all collections in their current state.
func (s *accessible) collectionsCaughtUp(ctx context.Context) bool {
	head, err := s.stores.Collections.Head(ctx)
	if err != nil {
		return false
	}
	position, err := s.indexes.collections.Position(ctx)
	return err == nil && s.indexes.collections.follower.Ready() && position >= head
}

// Assign implements accesstest.Service.
func (s *accessible) Assign(ctx context.Context, rules []catalogue.AccessRule) error {
	limited := authtest.Account(string(accesstest.Limited), string(accesstest.Limited))
	var records []account.Entity
	if rules != nil {
		limited.ContentPackage = accesstest.PackageID
		records = append(records, &account.ContentPackage{ID: accesstest.PackageID, Name: "Package", Rules: rules})
	}
	return errors.Join(authtest.Put(ctx, s.stores.Accounts, append(records, limited)...), s.identity.tokens.Refresh(ctx))
}

// Send implements accesstest.Service.
func (s *accessible) Send(ctx context.Context, as accesstest.Caller, method, path, body string) (int, []byte, error) {
	if s.tokens[as] == "" {
		form := url.Values{"grant_type": {"client_credentials"}, "client_id": {string(as)}, "client_secret": {demo.Secret}}
		var answer struct {
			Token string `json:"access_token"`
		}
		got := send(s.App, http.MethodPost, "/v1/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		if err := json.Unmarshal(got.Body.Bytes(), &answer); err != nil {
			return 0, nil, err
		}
		s.tokens[as] = answer.Token
	}
	r := httptest.NewRequestWithContext(ctx, method, "http://127.0.0.1:8080"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+s.tokens[as])
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	recorder := httptest.NewRecorder()
	s.handler.ServeHTTP(recorder, r)
	return recorder.Code, recorder.Body.Bytes(), nil
}
