package signin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
)

// hostile is a client ID that imitates a line about another address.
const hostile = "x\" \n time=2026-01-02T03:04:05Z level=WARN msg=\"authentication refused\" reason=wrong_password address=203.0.113.99 \",\"level\":\"WARN\",\"msg\":\"authentication refused\",\"reason\":\"wrong_password\",\"address\":\"203.0.113.99\""

// refuseAll sends every kind of refused credentials, each from an address of its own, and returns the addresses by the
// reason that the log should state.
func refuseAll(s *apptest.Server) map[string]string {
	from := func(address string) []string { return []string{"X-Forwarded-For", address} }
	form := func(client, secret string) url.Values {
		return url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secret}}
	}
	valid := s.Access(demo.Account, demo.Secret)
	s.Post("/v1/token", form(demo.Account, "guess-zyxw"), from("203.0.113.1")...)
	s.Post("/v1/token", form(hostile, "guess-zyxw"), from("2001:db8:1:2:3:4:5:6")...)
	s.Status("/v1/videos", "no-token-zyxw", from("203.0.113.3")...)
	s.Status("/v1/videos", valid[:len(valid)-8]+"AAAAAAAA", from("203.0.113.4")...)
	s.Post("/v1/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {demo.Account}, "client_secret": {demo.Secret}, "refresh_token": {"stolen-zyxw"}}, from("203.0.113.5")...)
	b := apptest.NewBrowser(s)
	b.Client.Transport = forwarded("203.0.113.6")
	page, _ := b.Open(http.MethodGet, s.Base+"/v1/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {demo.WebClient}, "redirect_uri": {demo.RedirectURI},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}.Encode(), nil)
	b.Send(page, demo.Teacher, "guess-zyxw")
	return map[string]string{
		"wrong_client_secret": "203.0.113.1", "unknown_client": "2001:db8:1:2:3:4:5:6", "malformed_token": "203.0.113.3",
		"forged_token": "203.0.113.4", "invalid_grant": "203.0.113.5", "wrong_password": "203.0.113.6",
	}
}

// forwarded adds the header with which a proxy names an address.
type forwarded string

func (f forwarded) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("X-Forwarded-For", string(f))
	return http.DefaultTransport.RoundTrip(r)
}

// TestRefusalsInTheLog verifies that the log has one line for each refused credential, with reason, address and client,
// that the lines contain no secret, and that the filter for fail2ban finds exactly the guesses.
func TestRefusalsInTheLog(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		for _, keep := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, addresses %t", format, keep), func(t *testing.T) {
				settings := []string{"--demo", "--log-format", format, "--trusted-proxies", "127.0.0.0/8"}
				if keep {
					settings = append(settings, "--keep-addresses", "1h")
				}
				s := apptest.Start(t, settings...)
				want := refuseAll(s)
				s.Stop(syscall.SIGTERM)
				log := s.Logged()
				for reason, address := range want {
					quoted := fmt.Sprintf("reason=%s address=%s ", reason, address)
					if format == "json" {
						quoted = fmt.Sprintf(`"reason":%q,"address":%q,`, reason, address)
					}
					if got := strings.Count(log, quoted); got != 1 && keep {
						t.Errorf("the log has %d lines with %s:\n%s", got, quoted, log)
					}
				}
				if strings.Contains(log, "zyxw") || !keep && strings.Contains(strings.ReplaceAll(log, "203.0.113.99", ""), "203.0.113.") {
					t.Errorf("the log contains a secret, or an address without --keep-addresses:\n%s", log)
				}
				delete(want, "invalid_grant")
				checkFilter(t, log, want, keep)
			})
		}
	}
}

// checkFilter verifies that the filter finds the addresses in a log, or none.
func checkFilter(t *testing.T, log string, addresses map[string]string, banning bool) {
	t.Helper()
	banned := map[string]bool{}
	for _, expression := range failRegexes(t) {
		for line := range strings.Lines(log) {
			if found := expression.FindStringSubmatch(strings.TrimSuffix(line, "\n")); found != nil {
				banned[found[expression.SubexpIndex("host")]] = true
			}
		}
	}
	wanted := map[string]bool{}
	for _, address := range addresses {
		wanted[address] = banning
	}
	for address := range banned {
		if !wanted[address] {
			t.Errorf("the filter bans %s", address)
		}
	}
	if banning && len(banned) != len(wanted) {
		t.Errorf("the filter bans %v, not all of %v\n%s", banned, addresses, log)
	}
	if program, err := exec.LookPath("fail2ban-regex"); err == nil {
		file := apptest.WriteFile(t, "log", log)
		output := apptest.Must(apptest.Bounded(t, program, file, apptest.Path("deploy", "fail2ban", "filter.d", "filmstrip.conf")).CombinedOutput())(t)
		if matched := fmt.Sprintf(", %d matched,", len(banned)); !strings.Contains(string(output), matched) {
			t.Errorf("fail2ban-regex does not report%s\n%s", matched, output)
		}
	}
}

// failRegexes returns the expressions of the filter as fail2ban expands them.
func failRegexes(t *testing.T) (expressions []*regexp.Regexp) {
	t.Helper()
	text := string(apptest.Must(os.ReadFile(apptest.Path("deploy", "fail2ban", "filter.d", "filmstrip.conf")))(t))
	reasons := regexp.MustCompile(`(?m)^_reasons = (.*)$`).FindStringSubmatch(text)
	_, rest, _ := strings.Cut(text, "failregex =")
	list, _, _ := strings.Cut(rest, "\n\n")
	for line := range strings.Lines(list) {
		expression := strings.ReplaceAll(strings.TrimSpace(line), "%(_reasons)s", reasons[1])
		expressions = append(expressions, regexp.MustCompile(strings.ReplaceAll(expression, "<HOST>", `(?P<host>[0-9a-f.:]+)`)))
	}
	if len(expressions) != 2 {
		t.Fatalf("the filter has %d expressions", len(expressions))
	}
	return expressions
}

// TestManyRefusalsDoNotFillTheLog verifies that neither one address nor many fill the log, and that the log counts the omitted
// lines.
func TestManyRefusalsDoNotFillTheLog(t *testing.T) {
	s := apptest.Start(t, "--demo", "--log-format", "json", "--trusted-proxies", "127.0.0.0/8", "--keep-addresses", "1h")
	const tries = 100 // of one address, of which the first 20 are logged
	for range tries {
		s.Status("/v1/videos", "guess", "X-Forwarded-For", "203.0.113.1")
	}
	const addresses = 650 // one try each
	for i := range addresses {
		s.Status("/v1/videos", "guess", "X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", i/250, i%250))
	}
	s.Stop(syscall.SIGTERM)
	var lines, ofOne, omitted int
	for line := range strings.Lines(s.Logged()) {
		var entry struct {
			Msg, Address string
			Lines        int
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if entry.Msg == "authentication refused" {
			if lines++; entry.Address == "203.0.113.1" {
				ofOne++
			}
		}
		omitted += entry.Lines
	}
	if lines > 2*600 || ofOne < 20 || ofOne > 40 || lines+omitted != tries+addresses || omitted == 0 {
		t.Errorf("%d lines, %d of one address, %d omitted, of %d refusals", lines, ofOne, omitted, tries+addresses)
	}
}
