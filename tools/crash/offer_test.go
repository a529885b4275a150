package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestOffer verifies that all due requests are sent, with the paths in turn, and that refused requests do not count in
// the durations.
func TestOffer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" || r.Header.Get("Authorization") != "Bearer token" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	order, err := json.Marshal(offer{
		Address: strings.TrimPrefix(server.URL, "http://"), Token: "token", Paths: []string{"/taken", "/refused"},
		Rate: 100, Connections: 2, Time: 100 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := takeOffer(bytes.NewReader(order), &out); err != nil {
		t.Fatal(err)
	}
	var came offered
	if err := json.Unmarshal(out.Bytes(), &came); err != nil {
		t.Fatal(err)
	}
	if len(came.Took["/taken"]) != 5 || len(came.all()) != 5 || came.Refused != 5 || len(came.Late) != 10 || came.Other != "" {
		t.Errorf("of ten requests, five of which are refused, came %+v", came)
	}
}
