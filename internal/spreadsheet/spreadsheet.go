// Package spreadsheet writes cells of CSV files that people open in spreadsheets.
package spreadsheet

import "strings"

// Inert prefixes a text that starts like a formula with an apostrophe, so that a spreadsheet does not evaluate it
// (OWASP, CSV injection).
func Inert(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text)[0]) {
		return "'" + text
	}
	return text
}
