package httpserver_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/internal/httpserver"
)

// TestLocalHosts checks that only host names that no other site can resolve to this server are local.
func TestLocalHosts(t *testing.T) {
	hosts := httpserver.NewLocalHosts([]string{"Demo.Example", "lab.example:9000"}, "https://catalogue.example:8443/api")
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.0.0.1:8080": true, "127.9.8.7:1": true, "[::1]": true, "[::1]:8080": true,
		"localhost": true, "LOCALHOST:3": true, "a.b.localhost:80": true,
		"demo.example": true, "demo.example:8080": true, "lab.example": true, "CATALOGUE.example": true, "catalogue.example:8443": true,

		"": false, ":8080": false, "evil.example": false, "evil.example:8080": false, "localhost.evil.example": false,
		"notlocalhost": false, "127.0.0.1.evil.example": false, "127.0.0.1@evil.example": false, "evil.example#localhost": false,
		"128.0.0.1": false, "10.0.0.1": false, "0.0.0.0": false, "[::]": false, "[::ffff:127.0.0.1]": false, "[::1": false,
		"[::1%25lo]": false, "sub.demo.example": false, "localhost:1:2": false, "127.0.0.1:80:80": false,
	} {
		if got := hosts.Allows(host); got != want {
			t.Errorf("%q is admitted: %t, want %t", host, got, want)
		}
	}
	if httpserver.NewLocalHosts(nil, "").Allows("") || httpserver.NewLocalHosts([]string{""}, "").Allows("") {
		t.Error("a request without a host is admitted")
	}
}
