package invoices

import (
	_ "embed" // for the font
	"fmt"
	"io"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"github.com/filmstrip/filmstrip/account"
)

// font covers Latin, Greek and Cyrillic. Documents embed the glyphs that they use.
//
//go:embed DejaVuSans.ttf
var font []byte

// The layout of a page in millimetres.
const (
	margin = 20
	width  = 210 - 2*margin
	line   = 5
)

// columns are the widths of the table, which together are width.
var columns = [...]float64{86, 26, 28, 30}

// PDF writes an invoice as an A4 document. Equal invoices give equal bytes.
func PDF(w io.Writer, invoice *account.Invoice) error { return writePDF(w, invoice, true) }

func writePDF(w io.Writer, invoice *account.Invoice, compressed bool) error {
	at := invoice.UpdatedAt
	if invoice.IssuedAt != nil {
		at = *invoice.IssuedAt
	}
	pdf := fpdf.New("P", "mm", "A4", "")
	pdf.SetCompression(compressed)
	pdf.SetCatalogSort(true)
	pdf.SetCreationDate(at.UTC())
	pdf.SetModificationDate(at.UTC())
	pdf.SetTitle(title(&invoice.Invoice), true)
	pdf.SetAuthor(invoice.Issuer.Name, true)
	pdf.SetMargins(margin, margin, margin)
	pdf.SetAutoPageBreak(true, margin+10)
	pdf.AddUTF8FontFromBytes("text", "", font)
	pdf.AliasNbPages("{pages}")
	pdf.SetFooterFunc(func() {
		pdf.SetY(-margin)
		pdf.SetFont("text", "", 8)
		pdf.CellFormat(width, line, fmt.Sprintf("%s, page %d of {pages}", title(&invoice.Invoice), pdf.PageNo()), "", 0, "L", false, 0, "")
	})
	pdf.AddPage()
	writeHead(pdf, invoice, at)
	writeTable(pdf, invoice)
	pdf.Ln(2 * line)
	pdf.SetFont("text", "", 8)
	pdf.MultiCell(width, 4, notes(invoice), "", "L", false)
	return pdf.Output(w)
}

func writeHead(pdf *fpdf.Fpdf, invoice *account.Invoice, at time.Time) {
	block := func(x float64, lines ...string) {
		pdf.SetY(margin)
		for _, text := range lines {
			if text != "" {
				pdf.SetX(x)
				pdf.MultiCell(width/2, line, text, "", "L", false)
			}
		}
	}
	pdf.SetFont("text", "", 10)
	block(margin, invoice.Customer.Name, invoice.Customer.Address, invoice.Customer.Email)
	end := pdf.GetY()
	block(margin+width/2+10, invoice.Issuer.Name, invoice.Issuer.Address, invoice.Issuer.Email)
	pdf.SetXY(margin, max(end, pdf.GetY(), margin+35)+2*line)
	pdf.SetFont("text", "", 18)
	pdf.CellFormat(width, 10, title(&invoice.Invoice), "", 1, "L", false, 0, "")
	pdf.SetFont("text", "", 10)
	pdf.MultiCell(width, line, fmt.Sprintf("Month: %s\nDate: %s\nPlan: %s\nAccount: %s", invoice.Month, at.UTC().Format("2006-01-02"), invoice.PlanName, invoice.Account), "", "L", false)
	pdf.Ln(line)
}

func writeTable(pdf *fpdf.Fpdf, invoice *account.Invoice) {
	row := func(border string, cells ...string) {
		x, y := pdf.GetX(), pdf.GetY()
		if _, height := pdf.GetPageSize(); y+2*line > height-margin-10 {
			pdf.AddPage()
			x, y = pdf.GetX(), pdf.GetY()
		}
		for i, text := range cells {
			align := "R"
			if i == 0 {
				align = "L"
			}
			pdf.SetXY(x, y)
			pdf.CellFormat(columns[i], line+2, text, border, 0, align, false, 0, "")
			x += columns[i]
		}
		pdf.Ln(line + 2)
	}
	pdf.SetFont("text", "", 9)
	row("B", "Description", "Quantity", "Price", "Amount "+string(invoice.Terms.Currency))
	for i := range invoice.Lines {
		of := &invoice.Lines[i]
		price := ""
		if of.Price != nil {
			price = of.Price.String()
		}
		row("", describe(&invoice.Invoice, of), quantity(of), price, of.Amount.String())
	}
	pdf.SetFont("text", "", 11)
	row("T", "Total", "", "", invoice.Total.String())
}

// notes explains how to check an invoice.
func notes(invoice *account.Invoice) string {
	text := "Quantities of minutes are minutes and seconds. Each amount is rounded once."
	if invoice.Statement != "" {
		text += fmt.Sprintf("\nThe quantities follow from the sealed statement for %s with the checksum %s.", invoice.Month, invoice.Statement)
	}
	return text
}
