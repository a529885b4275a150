package invoices

import (
	"fmt"

	"github.com/filmstrip/filmstrip/usage/billing"
)

// unitNames are the names of units in descriptions.
var unitNames = map[billing.Unit]string{billing.Minute: "Minutes", billing.Play: "Plays", billing.ActiveUser: "Active users"}

// describe says what a line charges.
func describe(invoice *billing.Invoice, line *billing.Line) string {
	name := unitNames[line.Unit]
	switch line.Kind {
	case billing.LineFee:
		return "Monthly fee"
	case billing.LineAllowance:
		return name + ", included"
	case billing.LineAdjustment:
		return fmt.Sprintf("%s in %s, adjustment", name, line.Month)
	case billing.LineMinimum:
		return fmt.Sprintf("Difference to the minimum of %s", invoice.Terms.Minimum)
	}
	switch {
	case line.To > 0:
		return fmt.Sprintf("%s, step %d to %d", name, line.From, line.To)
	case line.From > 0:
		return fmt.Sprintf("%s, step above %d", name, line.From)
	}
	return name
}

// quantity writes the quantity of a line: minutes and seconds as 12:05, other units as a number, or nothing.
func quantity(line *billing.Line) string {
	n, sign := line.Quantity, ""
	if n < 0 {
		n, sign = -n, "-"
	}
	switch line.Unit {
	case "":
		return ""
	case billing.Minute:
		return fmt.Sprintf("%s%d:%02d", sign, n/60, n%60)
	}
	return fmt.Sprintf("%s%d", sign, n)
}

// title names an invoice.
func title(invoice *billing.Invoice) string {
	if invoice.State == billing.Issued {
		return "Invoice " + invoice.Number
	}
	return "Draft invoice"
}
