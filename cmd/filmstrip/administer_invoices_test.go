package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestInvoicesByCommands drafts, issues and exports the invoices of a month, on both stores.
func TestInvoicesByCommands(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			run, where := apptest.SchoolStore(t, engine, 500)
			refuse := func(want string, args ...string) {
				t.Helper()
				got := command(t, nil, "", slices.Concat([]string{"invoices"}, args, where)...)
				if got.Status == 0 || !strings.Contains(got.Err, want) {
					t.Errorf("%v: status %d: %s%s", args, got.Status, got.Out, got.Err)
				}
			}
			run("accounts", "create", "house", "--name", "The House", "--operator")
			var c invoicesList
			if _, err := apptest.Must(kong.New(&c))(t).Parse(where); err != nil {
				t.Fatal(err)
			}
			if err := c.using(t.Context(), func(u *use) error { // no command puts price plans
				if _, err := u.ask(t.Context(), `mutation { putPricePlan(input: {id: "std", name: "Std", currency: "EUR", monthlyFee: "20"}) { id } }`, nil); err != nil {
					return err
				}
				_, err := u.ask(t.Context(), `mutation { updateAccount(id: "school", input: {pricePlan: "std", billingAddress: "2 School Street"}) { id } }`, nil)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			draft := []string{"draft", "--month", "2025-03", "--issuer", "house"}
			refuse("2025-03 is not sealed", draft...)
			run("usage", "seal", "--month", "2025-03")
			if got := command(t, nil, "", slices.Concat([]string{"accounts", "delete", "school"}, where)...); got.Status == 0 || !strings.Contains(got.Err, "has usage in 2025-03 that no invoice charges") {
				t.Errorf("accounts delete: status %d: %s%s", got.Status, got.Out, got.Err)
			}
			refuse(`--issuer "school" is not an account of the operator`, "draft", "--month", "2025-03", "--issuer", "school")
			refuse(`--issuer "nobody" is not`, "draft", "--month", "2025-03", "--issuer", "nobody")
			refuse("2025-03 has no invoices", "export", "--month", "2025-03", "--format", "zip")
			if got := run(append([]string{"invoices"}, draft...)...); got != "1 drafted, 0 issued already, 0 with a later invoice\n" {
				t.Errorf("got %s", got)
			}
			var list []struct {
				ID, State string
				Number    *string
				Issuer    struct{ Name string }
			}
			read := func(args ...string) {
				t.Helper()
				list = nil
				if err := json.Unmarshal([]byte(run(append([]string{"invoices", "list", "--json"}, args...)...)), &list); err != nil {
					t.Fatal(err)
				}
			}
			if read("--month", "2025-03", "--account", "school"); len(list) != 1 || list[0].State != "DRAFT" || list[0].Issuer.Name != "The House" {
				t.Fatalf("the invoices are %+v", list)
			}
			id := list[0].ID
			refuse("is not the id of an invoice for 2025-03", "issue", "--month", "2025-03", "2025-04-x")
			if got := run("invoices", "issue", "--month", "2025-03", id); got != "1 issued\n" {
				t.Errorf("got %s", got)
			}
			if read("--state", "draft"); len(list) != 0 {
				t.Errorf("the drafts are %+v", list)
			}
			if table := run("invoices", "list", "--state", "issued"); !strings.Contains(table, "CURRENCY  TOTAL\n"+id) || !strings.Contains(table, "20.00") {
				t.Errorf("the table is\n%s", table)
			}
			if shown := run("invoices", "show", id); !strings.Contains(shown, "The House") || !strings.Contains(shown, "\n\nKIND  UNIT") || !strings.Contains(shown, "FEE") {
				t.Errorf("shown:\n%s", shown)
			}
			folder := t.TempDir()
			for file, args := range map[string][]string{"one.pdf": {id, "--format", "pdf"}, "one.csv": {id}, "all.csv": {"--month", "2025-03"}, "all.zip": {"--month", "2025-03", "--format", "zip"}} {
				path := filepath.Join(folder, file)
				run(slices.Concat([]string{"invoices", "export", "--output", path}, args)...)
				begin := map[string]string{".pdf": "%PDF", ".csv": "invoice,number,", ".zip": "PK"}[filepath.Ext(file)]
				if got, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(got, []byte(begin)) {
					t.Errorf("%s: %.100q, %v", file, got, err)
				}
			}
			for want, args := range map[string][]string{
				"either the id of an invoice or --month": nil, "zip is for --month": {id, "--format", "zip"}, "pdf is for one invoice": {"--month", "2025-03", "--format", "pdf"},
				"--json excludes": {id, "--json"}, "there is no invoice": {"2025-03-none"},
			} {
				refuse(want, append([]string{"export", "--output", filepath.Join(folder, "none")}, args...)...)
			}
			if _, err := os.Stat(filepath.Join(folder, "none")); !os.IsNotExist(err) {
				t.Error("a refused export leaves a file")
			}
			refuse(`there is no invoice "none"`, "show", "none")
		})
	}
}
