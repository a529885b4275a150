// Signin is a small web application whose users sign in through Filmstrip with the authorization code flow of OpenID
// Connect with PKCE, as a public client. To call the API on the user's behalf, it starts at the index and follows
// links, as every client should.
//
//	filmstrip serve --demo
//	go run ./examples/signin
//
// Then open http://127.0.0.1:8765. The demo's local user is teacher, with the password demo-secret.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	issuer := flag.String("issuer", "http://127.0.0.1:8080", "the address of Filmstrip")
	client := flag.String("client", "demo-web", "the ID of the public client")
	redirect := flag.String("redirect", "http://127.0.0.1:8765/callback", "the registered redirect address; its host and port are listened on")
	flag.Parse()
	address, err := url.Parse(*redirect)
	if err != nil {
		log.Fatal(err)
	}
	app, err := newApplication(context.Background(), *issuer, *client, address)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("open http://%s", address.Host)
	server := &http.Server{Addr: address.Host, Handler: app, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// application signs users in at one provider.
type application struct {
	index    string // where the catalogue's API begins
	verifier *oidc.IDTokenVerifier
	oauth    oauth2.Config
}

// newApplication reads the provider's discovery document, which contains all endpoints except those of the API.
func newApplication(ctx context.Context, issuer, client string, redirect *url.URL) (http.Handler, error) {
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return nil, err
	}
	app := &application{
		index:    issuer + "/v1/",
		verifier: provider.Verifier(&oidc.Config{ClientID: client}),
		oauth: oauth2.Config{
			ClientID: client, RedirectURL: redirect.String(), Endpoint: provider.Endpoint(),
			Scopes: []string{oidc.ScopeOpenID, "profile", "email"},
		},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", app.home)
	mux.HandleFunc("GET /login", app.login)
	mux.HandleFunc("GET "+redirect.Path, app.callback)
	return mux, nil
}

func (a *application) home(w http.ResponseWriter, _ *http.Request) {
	show(w, http.StatusOK, page{Title: "A classroom", Text: "Videos for your class.", Link: "/login", LinkText: "Sign in"})
}

// login redirects the browser to the provider. The browser keeps the values needed when it returns: state binds the
// response to this browser, nonce binds the token to this sign-in, and the verifier proves that the code is exchanged
// by the application that requested it (RFC 7636).
func (a *application) login(w http.ResponseWriter, r *http.Request) {
	state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
	for name, value := range map[string]string{"state": state, "nonce": nonce, "verifier": verifier} {
		http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: 600, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	}
	address := a.oauth.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
	http.Redirect(w, r, address, http.StatusFound)
}

func (a *application) callback(w http.ResponseWriter, r *http.Request) {
	token, user, err := a.exchange(r)
	if err != nil {
		show(w, http.StatusBadRequest, page{Title: "Not signed in", Text: err.Error(), Link: "/login", LinkText: "Try again"})
		return
	}
	titles, err := a.search(r.Context(), token, "water")
	if err != nil {
		show(w, http.StatusBadGateway, page{Title: "Signed in", Text: err.Error(), Link: "/", LinkText: "Home"})
		return
	}
	show(w, http.StatusOK, page{Title: "Welcome, " + user, Text: "Five videos about water:", List: titles, Link: "/", LinkText: "Home"})
}

// exchange exchanges the code for tokens and returns the user named in the ID token.
func (a *application) exchange(r *http.Request) (*oauth2.Token, string, error) {
	query := r.URL.Query()
	if state, err := r.Cookie("state"); err != nil || state.Value == "" || state.Value != query.Get("state") {
		return nil, "", errors.New("this answer belongs to no sign-in of this browser")
	}
	if code := query.Get("error"); code != "" {
		return nil, "", fmt.Errorf("%s: %s", code, query.Get("error_description"))
	}
	verifier, err := r.Cookie("verifier")
	if err != nil {
		return nil, "", err
	}
	token, err := a.oauth.Exchange(r.Context(), query.Get("code"), oauth2.VerifierOption(verifier.Value))
	if err != nil {
		return nil, "", err
	}
	raw, _ := token.Extra("id_token").(string)
	identity, err := a.verifier.Verify(r.Context(), raw)
	if err != nil {
		return nil, "", err
	}
	if nonce, err := r.Cookie("nonce"); err != nil || identity.Nonce != nonce.Value {
		return nil, "", errors.New("the identity token is not an answer to this sign-in")
	}
	var claims struct {
		Name string `json:"name"`
	}
	if err := identity.Claims(&claims); err != nil {
		return nil, "", err
	}
	if claims.Name == "" {
		claims.Name = identity.Subject
	}
	return token, claims.Name, nil
}

// search follows the link in the index. The HTTP client refreshes expired tokens automatically.
func (a *application) search(ctx context.Context, token *oauth2.Token, text string) ([]string, error) {
	client := a.oauth.Client(ctx, token)
	var index struct {
		Links map[string]struct{ Href string } `json:"_links"`
	}
	if err := read(client, a.index, &index); err != nil {
		return nil, err
	}
	search, ok := index.Links["searchVideos"]
	if !ok {
		return nil, errors.New("this account has no search")
	}
	address, _, _ := strings.Cut(search.Href, "{") // an RFC 6570 template; a library expands it in earnest
	var found struct {
		Embedded struct {
			Videos []struct{ Title string }
		} `json:"_embedded"`
	}
	if err := read(client, address+"?"+url.Values{"query": {text}, "size": {"5"}}.Encode(), &found); err != nil {
		return nil, err
	}
	var titles []string
	for _, video := range found.Embedded.Videos {
		titles = append(titles, video.Title)
	}
	return titles, nil
}

func read(client *http.Client, address string, into any) error {
	answer, err := client.Get(address)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

type page struct {
	Title, Text    string
	List           []string
	Link, LinkText string
}

var layout = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}}</title>
<main><h1>{{.Title}}</h1><p>{{.Text}}</p>
{{with .List}}<ul>{{range .}}<li>{{.}}</li>{{end}}</ul>{{end}}
<p><a href="{{.Link}}">{{.LinkText}}</a></p></main></html>
`))

func show(w http.ResponseWriter, status int, p page) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if err := layout.Execute(w, p); err != nil {
		log.Print(err)
	}
}
