package auth_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// FuzzTokenRequest checks that every request gets an answer whose error body has the status of the answer, and that the
// endpoint grants tokens only to clients that know a secret.
func FuzzTokenRequest(f *testing.F) {
	fix := start(f)
	f.Add(credentials, "application/x-www-form-urlencoded", "", "")
	f.Add("grant_type=client_credentials", "application/x-www-form-urlencoded; charset=x", "Basic ZGVtbzpkZW1v", "user")
	f.Add("grant_type=refresh_token&client_id=demo&refresh_token=x&scope=a+b", "", "Basic OjpA", "\x00")
	f.Add("grant_type=authorization_code&client_id=demo&code=x&redirect_uri=https://school.example&code_verifier=y", "application/x-www-form-urlencoded", "", "")
	f.Add("%gh&;=&&=x", "a/b; c", "Bearer", "ä")
	f.Fuzz(func(t *testing.T, body, contentType, authorization, user string) {
		w := fix.post(body, header("Content-Type", contentType), header("Authorization", authorization), header("Service-User-Id", user))
		if w.Code == http.StatusOK {
			if !strings.Contains(body+authorization, "secret") && !strings.HasPrefix(strings.ToLower(authorization), "basic") {
				t.Errorf("granted to %q, %q", body, authorization)
			}
			return
		}
		var answer struct {
			Status           int
			Error            string
			Message          string
			ErrorDescription string `json:"error_description"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Status != w.Code || w.Code >= 500 {
			t.Fatalf("%d %s, %v", w.Code, w.Body, err)
		}
		if answer.ErrorDescription != answer.Message || strings.Trim(answer.ErrorDescription, describable) != "" {
			t.Errorf("error_description %q, message %q", answer.ErrorDescription, answer.Message)
		}
	})
}

// describable contains the characters that RFC 6749 section 5.2 allows in error_description.
var describable = func() string {
	var b strings.Builder
	for char := rune(' '); char <= '~'; char++ {
		if char != '"' && char != '\\' {
			b.WriteRune(char)
		}
	}
	return b.String()
}()

// FuzzSiblings checks that the revocation and introspection endpoints answer every request, never with a server error,
// and reveal nothing about tokens to a client without its secret.
func FuzzSiblings(f *testing.F) {
	fix := start(f)
	f.Add("client_id=demo&client_secret=demo&token=x", "")
	f.Add("token=x&token_type_hint=y", "Basic ZGVtbzpkZW1v")
	f.Add("client_id=public&token=a.b.c", "Bearer")
	f.Add("client_id=demo&client_secret=demo-secret&token=%00", "")
	f.Fuzz(func(t *testing.T, body, authorization string) {
		for path, handler := range map[string]http.Handler{"/v1/revoke": fix.RevokeHandler(), "/v1/introspect": fix.IntrospectHandler()} {
			w := send(handler, path, body, header("Authorization", authorization))
			var answer struct {
				Status int
				Active bool
			}
			err := json.Unmarshal(w.Body.Bytes(), &answer)
			if w.Code >= 500 || answer.Active || w.Code != http.StatusOK && (err != nil || answer.Status != w.Code) {
				t.Errorf("%s: %d %s, %v", path, w.Code, w.Body, err)
			}
		}
	})
}

// FuzzIDTokenHint checks that only ID tokens of the service are accepted as ID token hints.
func FuzzIDTokenHint(f *testing.F) {
	fix := start(f)
	token := fix.pair(f).ID
	f.Add("", 0, byte(0))
	f.Add("a.b.c", 10, byte('A'))
	f.Add(token, len(token)-1, byte('B'))
	f.Fuzz(func(t *testing.T, text string, at int, char byte) {
		changed := []byte(token)
		changed[max(at, -(at+1))%len(changed)] = char
		for _, hint := range []string{text, string(changed)} {
			if _, _, _, err := fix.ReadIDTokenHint(hint); err == nil && hint != token {
				t.Errorf("%q is taken", hint)
			}
		}
	})
}

// FuzzAuthenticate checks that the verifier accepts only unmodified tokens of the service.
func FuzzAuthenticate(f *testing.F) {
	fix := start(f)
	token := fix.login(f, "demo").Access
	mutated := func(at int, char byte) string {
		bytes := []byte(token)
		bytes[at%len(bytes)] = char
		return string(bytes)
	}
	f.Add("", 0, byte(0))
	f.Add("a.b.c", 10, byte('A'))
	f.Add(token, len(token)-1, byte('B'))
	f.Add(token+"=", 40, byte('\n'))
	f.Add("eyJhbGciOiJub25lIn0.e30.", len(token)-1, byte('.'))
	f.Add(`{"payload":"e30","signatures":[{"signature":""}]}`, 1, byte('_'))
	f.Fuzz(func(t *testing.T, text string, at int, char byte) {
		if text != token {
			if caller, err := fix.authenticate(text); err == nil && strings.Trim(text, " ") != token {
				t.Errorf("%q is taken for %+v", text, caller)
			}
		}
		if changed := mutated(max(at, -(at+1)), char); changed != token {
			if _, err := fix.authenticate(changed); err == nil && strings.Trim(changed, " ") != token {
				t.Errorf("%q is taken, but the token is %q", changed, token)
			}
		}
	})
}
