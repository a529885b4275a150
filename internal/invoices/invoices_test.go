package invoices

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// shelf is a source of invoices.
type shelf struct {
	list []*account.Invoice
	err  error
}

func (s shelf) StoredInvoice(_ context.Context, id string) (*account.Invoice, error) {
	for _, invoice := range s.list {
		if invoice.ID == id {
			return invoice, nil
		}
	}
	return nil, fault.Errorf(fault.NotFound, "there is no invoice %q", id)
}

func (s shelf) EachInvoice(_ context.Context, month usage.Month, visit func(*account.Invoice) error) error {
	for _, invoice := range s.list {
		if invoice.Month == month {
			if err := visit(invoice); err != nil {
				return err
			}
		}
	}
	return s.err
}

func (s shelf) Royalties(ctx context.Context, month usage.Month) ([]billing.RoyaltyStatement, bool, error) {
	percent, _ := billing.ParseDecimal("50")
	royalties := billing.NewRoyalties(map[string]billing.Royalty{"=c": {Basis: billing.Share, Percent: percent}})
	err := s.EachInvoice(ctx, month, func(i *account.Invoice) error { royalties.Add(&i.Invoice); return nil })
	return royalties.Statements(), true, err
}

func invoiceOf(t testing.TB, owner string, lines int) *account.Invoice {
	terms := billing.Terms{}
	if err := json.Unmarshal([]byte(`{"currency":"EUR","monthlyFee":"20","minimum":"100","components":[
		{"unit":"MINUTE","allowance":5,"steps":[{"upTo":10,"price":"0.5"},{"price":"0.25"}]},{"unit":"PLAY","steps":[{"price":"0.015"}]}]}`), &terms); err != nil {
		t.Fatal(err)
	}
	month := usage.Month{Year: 2026, Month: time.October}
	at := time.Date(2026, 11, 8, 9, 30, 0, 0, time.UTC)
	adjustments := []billing.Adjustment{{Month: usage.Month{Year: 2026, Month: time.September}, Terms: &terms, Before: billing.Quantities{Seconds: 905}, After: billing.Quantities{Seconds: 840}}}
	for len(adjustments) < lines {
		adjustments = append(adjustments, adjustments[0])
	}
	invoice := &account.Invoice{ID: account.InvoiceID(owner, month), Invoice: billing.Invoice{
		Account: owner, Month: month, State: billing.Issued, Number: "2026-0007", IssuedAt: &at,
		Issuer:   billing.Party{Name: "Κινηματογράφος", Address: "1 Film Street\nBerlin", Email: "bills@films.example"},
		Customer: billing.Party{Name: "=Школа Łódź", Address: "2 School Street\nRiverside"}, Statement: strings.Repeat("0f", 32), Plan: "std", PlanName: "Standard",
		Terms: terms, Lines: terms.Lines(month, billing.Quantities{Seconds: 60*25 + 5, Plays: 3}, adjustments), Milliseconds: 10, Channels: []billing.ChannelTime{{Channel: "=c", Milliseconds: 5}},
	}}
	invoice.Total = terms.Total(invoice.Lines)
	return invoice
}

// inPDF returns a text as an uncompressed document contains it.
func inPDF(text string) []byte {
	var b bytes.Buffer
	for _, unit := range utf16.Encode([]rune(text)) {
		for _, one := range []byte{byte(unit >> 8), byte(unit)} {
			switch one {
			case '\\', '(', ')':
				b.WriteByte('\\')
				b.WriteByte(one)
			case '\r':
				b.WriteString(`\r`)
			default:
				b.WriteByte(one)
			}
		}
	}
	return b.Bytes()
}

func TestPDF(t *testing.T) {
	var plain, one, two bytes.Buffer
	for w, compressed := range map[*bytes.Buffer]bool{&plain: false, &one: true, &two: true} {
		if err := writePDF(w, invoiceOf(t, "school", 1), compressed); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the same invoice gives different bytes")
	}
	if one.Len() > 60_000 {
		t.Errorf("the document has %d bytes", one.Len())
	}
	for _, text := range []string{
		"Invoice 2026-0007", "Κινηματογράφος", "=Школа Łódź", "Riverside", "Minutes, step 0 to 10", "10:00", "0.5", "5.00", "Minutes, step above 10", "Plays", "0.05",
		"Minutes in 2026-09, adjustment", "-1:05", "-0.52", "Difference to the minimum of 100", "Total", invoiceOf(t, "school", 1).Total.String(), "page 1 of ",
	} {
		if !bytes.Contains(plain.Bytes(), inPDF(text)) {
			t.Errorf("the document lacks %q", text)
		}
	}
	var long bytes.Buffer
	if err := writePDF(&long, invoiceOf(t, "school", 90), false); err != nil || !bytes.Contains(long.Bytes(), inPDF("page 4 of ")) || bytes.Contains(long.Bytes(), inPDF("page 5 of ")) {
		t.Errorf("a long invoice does not have four pages: %v", err)
	}
}

func get(t testing.TB, source Source, address string, status int) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	Handler(source).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))
	if w.Code != status {
		t.Errorf("%s: %d %s", address, w.Code, w.Body)
	}
	return w
}

func TestFiles(t *testing.T) {
	invoice, draft := invoiceOf(t, "school", 1), invoiceOf(t, "college", 1)
	draft.State, draft.Number, draft.IssuedAt = billing.Draft, "", nil
	source := shelf{list: []*account.Invoice{invoice, draft}}
	if w := get(t, source, Path+invoice.ID+".pdf", 200); w.Header().Get("Content-Type") != "application/pdf" || !bytes.HasPrefix(w.Body.Bytes(), []byte("%PDF")) ||
		w.Header().Get("Content-Disposition") != `attachment; filename="2026-0007.pdf"` || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("the document has the head %v", w.Header())
	}
	rows := func(address string) [][]string {
		rows, err := csv.NewReader(get(t, source, address, 200).Body).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	one := rows(Path + invoice.ID + ".csv")
	if len(one) != 1+len(invoice.Lines) || len(rows(MonthPath+"?month=2026-10")) != 1+2*len(invoice.Lines) || one[1][5] != "'=Школа Łódź" {
		t.Errorf("the rows are %q", one)
	}
	if got, want := fmt.Sprint(one[6]), fmt.Sprint([]string{invoice.ID, "2026-0007", "ISSUED", "2026-10", "school", "'=Школа Łódź", "Standard", "EUR", "ADJUSTMENT", "MINUTE", "2026-09", "-65", "", "", "",
		"-0.52", invoice.Total.String(), "2026-11-08T09:30:00Z", invoice.Statement}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if royalties := rows(RoyaltiesPath + "?month=2026-10"); len(royalties) != 3 || royalties[1][2] != "=c" || royalties[1][5] != "'=Школа Łódź" || royalties[1][14] != "24.87" {
		t.Errorf("the royalties are %q", royalties)
	}
	body := get(t, source, ZipPath+"?month=2026-10", 200).Body.Bytes()
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil || len(archive.File) != 2 || archive.File[0].Name != "2026-0007.pdf" || archive.File[1].Name != "draft-2026-10-college.pdf" {
		t.Errorf("the archive: %v", err)
	}
	for address, status := range map[string]int{
		ZipPath + "?month=2026-09": 404, Path + "x.pdf": 404, Path + invoice.ID + ".exe": 404, Path: 404,
	} {
		get(t, source, address, status)
	}
	for query, part := range map[string]string{
		"": "month is required", "?month=": "month is required", "?month=October": `month: \"October\"`,
		"?month=2026-10&month=2026-09": `month is given 2 times (\"2026-10\" and \"2026-09\"), it takes one value`,
	} {
		for _, path := range []string{MonthPath, ZipPath, RoyaltiesPath} {
			if w := get(t, source, path+query, 400); !strings.Contains(w.Body.String(), part) {
				t.Errorf("%s%s: %.300s does not say %s", path, query, w.Body, part)
			}
		}
	}
	forbidden := shelf{err: fault.Errorf(fault.Forbidden, "the permission VIEW_BILLING is required")}
	for _, path := range []string{MonthPath, ZipPath, RoyaltiesPath} {
		get(t, forbidden, path+"?month=2026-10", 403)
	}
	many := shelf{}
	for range MaxZip + 1 {
		many.list = append(many.list, draft)
	}
	get(t, many, ZipPath+"?month=2026-10", 400)
}

func BenchmarkPDF(b *testing.B) {
	invoice := invoiceOf(b, "school", 1)
	for b.Loop() {
		if err := PDF(new(bytes.Buffer), invoice); err != nil {
			b.Fatal(err)
		}
	}
}
