package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/invoices"
)

// TestInvoicesOfTheDemo drafts and issues the invoices of the latest sealed month of the demo, and reads the files, which only
// staff who may see bills get.
func TestInvoicesOfTheDemo(t *testing.T) {
	s := openWith(t, "--demo", "--data="+t.TempDir())
	if err := s.fillDemo(t.Context()); err != nil || !await(t.Context(), s.caughtUp) {
		t.Fatal(err)
	}
	if err := s.addPast(t.Context()); err != nil {
		t.Fatal(err)
	}
	seals, err := s.stores.Usage.Seals(t.Context())
	if err != nil || len(seals) == 0 {
		t.Fatalf("the seals are %v (%v)", seals, err)
	}
	month := seals[len(seals)-1].Month.String()
	operator, customer := "Bearer "+tokenOf(t, s, demo.OperatorAccount, demo.Secret), "Bearer "+tokenOf(t, s, demo.Account, demo.Secret)
	ask := func(query string) string {
		body, _ := json.Marshal(map[string]string{"query": query})
		got := send(s, "POST", "/graphql", string(body), "Authorization", operator, "Content-Type", "application/json")
		if strings.Contains(got.Body.String(), `"errors"`) {
			t.Fatalf("%s: %s", query, got.Body)
		}
		return got.Body.String()
	}
	if got := ask(fmt.Sprintf(`mutation { draftInvoices(month: %q) { drafted } }`, month)); !strings.Contains(got, `"drafted":2`) {
		t.Errorf("drafted: %s", got)
	}
	if got := ask(fmt.Sprintf(`mutation { issueInvoices(month: %q) { issued } }`, month)); !strings.Contains(got, `"issued":2`) {
		t.Errorf("issued: %s", got)
	}
	var answer struct {
		Data struct {
			Invoices struct{ Nodes []struct{ ID string } }
		}
	}
	if err := json.Unmarshal([]byte(ask(`{ invoices { nodes { id } } }`)), &answer); err != nil || len(answer.Data.Invoices.Nodes) != 2 {
		t.Fatalf("%+v, %v", answer, err)
	}
	one := invoices.Path + answer.Data.Invoices.Nodes[0].ID
	for path, begin := range map[string]string{
		one + ".pdf": "%PDF", one + ".csv": "invoice,number,", invoices.MonthPath + "?month=" + month: "invoice,number,", invoices.ZipPath + "?month=" + month: "PK",
		invoices.RoyaltiesPath + "?month=" + month: "month,final,channel,",
	} {
		if got := send(s, "GET", path, "", "Authorization", operator); got.Code != http.StatusOK || !bytes.HasPrefix(got.Body.Bytes(), []byte(begin)) {
			t.Errorf("%s: %d %.100s", path, got.Code, got.Body)
		}
		if got := send(s, "GET", path, ""); got.Code != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d", path, got.Code)
		}
		if got := send(s, "GET", path, "", "Authorization", customer); got.Code != http.StatusForbidden {
			t.Errorf("%s as a customer: %d", path, got.Code)
		}
	}
	royalties := send(s, "GET", invoices.RoyaltiesPath+"?month="+month, "", "Authorization", operator).Body.String()
	if !strings.Contains(royalties, "Clearwater Science") || !strings.Contains(royalties, "Bench Time") || !strings.Contains(royalties, month+",true,") {
		t.Errorf("the royalties are %s", royalties)
	}
}
