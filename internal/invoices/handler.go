package invoices

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// Path is the path of single files: Path/ID.pdf and Path/ID.csv. Those of a month are MonthPath, ZipPath and
// RoyaltiesPath, with the parameter month.
const (
	Path          = "/invoices/"
	MonthPath     = "/invoices.csv"
	ZipPath       = "/invoices.zip"
	RoyaltiesPath = "/royalties.csv"
)

// Timeout bounds a request, of which those for ZIP files take longest: a document takes some milliseconds.
const Timeout = 5 * time.Minute

// MaxZip is the most invoices in a ZIP file.
const MaxZip = 5000

// Source has invoices. Its errors have the code Forbidden unless the caller may see bills.
type Source interface {
	// StoredInvoice returns an invoice. The error has the code NotFound if there is none.
	StoredInvoice(ctx context.Context, id string) (*account.Invoice, error)
	// EachInvoice visits all invoices of a month.
	EachInvoice(ctx context.Context, month usage.Month, visit func(*account.Invoice) error) error
	// Royalties returns the royalty statements of a month, and whether all its invoices are issued.
	Royalties(ctx context.Context, month usage.Month) (statements []billing.RoyaltyStatement, final bool, err error)
}

// Handler returns the files at the paths above.
func Handler(source Source) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := serve(w, r, source); err != nil {
			httperror.WriteError(w, r, err)
		}
	})
}

func serve(w http.ResponseWriter, r *http.Request, source Source) error {
	if file, found := strings.CutPrefix(r.URL.Path, Path); found {
		return serveOne(w, r, source, file)
	}
	month, err := monthOf(r)
	if err != nil {
		return err
	}
	switch r.URL.Path {
	case RoyaltiesPath:
		statements, final, err := source.Royalties(r.Context(), month)
		if err != nil {
			return err
		}
		return send(w, "text/csv; charset=utf-8", "royalties-"+month.String()+".csv", func(w io.Writer) error {
			return RoyaltiesCSV(w, month.String(), statements, final)
		})
	case ZipPath:
		return serveZip(w, r, source, month)
	}
	return send(w, "text/csv; charset=utf-8", "invoices-"+month.String()+".csv", func(w io.Writer) error {
		return MonthCSV(r.Context(), w, source, month)
	})
}

func monthOf(r *http.Request) (usage.Month, error) {
	given := r.URL.Query()["month"]
	switch {
	case len(given) > 1:
		return usage.Month{}, fault.InvalidRequest("month is given %d times (%q and %q), it takes one value", len(given), given[0], given[1])
	case len(given) == 0 || given[0] == "":
		return usage.Month{}, fault.InvalidRequest("month is required")
	}
	month, err := usage.ParseMonth(given[0])
	if err != nil {
		return usage.Month{}, fault.InvalidRequest("month: %s", err)
	}
	return month, nil
}

func serveOne(w http.ResponseWriter, r *http.Request, source Source, file string) error {
	id, kind, _ := strings.Cut(file, ".")
	if kind != "pdf" && kind != "csv" {
		return fault.Errorf(fault.NotFound, "invoices are files named ID.pdf and ID.csv, not %q", fault.Shorten(file))
	}
	invoice, err := source.StoredInvoice(r.Context(), id)
	if err != nil {
		return err
	}
	if kind == "csv" {
		return send(w, "text/csv; charset=utf-8", name(invoice)+".csv", func(w io.Writer) error { return CSV(w, invoice) })
	}
	return send(w, "application/pdf", name(invoice)+".pdf", func(w io.Writer) error { return PDF(w, invoice) })
}

// name returns the name of the file of an invoice. Numbers and the IDs of accounts have no letters that names lack.
func name(invoice *account.Invoice) string {
	if invoice.State == billing.Issued {
		return invoice.Number
	}
	return "draft-" + invoice.Month.String() + "-" + invoice.Account
}

// send writes a file that fits in memory, so that an error is not cut off by a part of it.
func send(w http.ResponseWriter, mediaType, name string, write func(io.Writer) error) error {
	var file bytes.Buffer
	if err := write(&file); err != nil {
		return err
	}
	head(w, mediaType, name)
	_, _ = file.WriteTo(w)
	return nil
}

func head(w http.ResponseWriter, mediaType, name string) {
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w.Header().Set("Cache-Control", "no-store")
}

func serveZip(w http.ResponseWriter, r *http.Request, source Source, month usage.Month) error {
	list, err := OfMonth(r.Context(), source, month)
	if err != nil {
		return err
	}
	head(w, "application/zip", "invoices-"+month.String()+".zip")
	_ = ZIP(r.Context(), w, list) // after an error the file has no end, so that the client sees that it is incomplete
	return nil
}

// OfMonth returns the invoices of a month, for a ZIP file. The error has the code NotFound if there are none, and Invalid if there
// are more than MaxZip.
func OfMonth(ctx context.Context, source Source, month usage.Month) (list []*account.Invoice, err error) {
	err = source.EachInvoice(ctx, month, func(invoice *account.Invoice) error {
		if len(list) == MaxZip {
			return fault.InvalidRequest("%s has more than %d invoices, the most in a ZIP file: read them one by one", month, MaxZip)
		}
		list = append(list, invoice)
		return nil
	})
	if err == nil && len(list) == 0 {
		err = fault.Errorf(fault.NotFound, "%s has no invoices", month)
	}
	return list, err
}

// ZIP writes a ZIP file of the documents of invoices.
func ZIP(ctx context.Context, w io.Writer, list []*account.Invoice) error {
	files := zip.NewWriter(w)
	for _, invoice := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		modified := invoice.UpdatedAt
		if invoice.IssuedAt != nil {
			modified = *invoice.IssuedAt
		}
		file, err := files.CreateHeader(&zip.FileHeader{Name: name(invoice) + ".pdf", Method: zip.Store, Modified: modified.UTC()})
		if err == nil {
			err = PDF(file, invoice)
		}
		if err != nil {
			return err
		}
	}
	return files.Close()
}
