// Package invoices writes invoices and royalty statements as files: PDF, CSV, and all invoices of a month in a ZIP file.
package invoices
