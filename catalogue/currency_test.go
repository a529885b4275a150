package catalogue_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

func TestCurrencies(t *testing.T) {
	for text, want := range map[string]catalogue.Currency{
		"AED": "AED", "usd": "USD", "Eur": "EUR", "gbp": "GBP", "XCG": "XCG", "ZWL": "ZWL",
	} {
		if got, err := catalogue.ParseCurrency(text); err != nil || got != want {
			t.Errorf("%q is read as %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", " ", "US", "USDT", "USD ", "EUR USD", "ABC", "XAU", "XTS", "XXX", "€", "\xff"} {
		if got, err := catalogue.ParseCurrency(text); err == nil {
			t.Errorf("%q is read as %q", text, got)
		} else {
			refused(t, err, text)
		}
	}
	for currency, want := range map[catalogue.Currency]bool{"EUR": true, "eur": false, "": false, "ZZZ": false} {
		if currency.Valid() != want {
			t.Errorf("%q: valid is %v", currency, !want)
		}
	}
}
