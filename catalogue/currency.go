package catalogue

import (
	"slices"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/fault"
)

// Currency is an ISO 4217 code: three upper-case letters.
type Currency string

// currencyCodes are the codes of ISO 4217 without metals, units of account and codes for "no currency". Source:
// Debian's iso-codes 4.15.0, plus the newer XCG and ZWG.
const currencyCodes = `
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP
GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW
KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD
NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE
SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED
VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG ZWL
`

var loadCurrencies = sync.OnceValue(func() []string { return strings.Fields(currencyCodes) })

// ParseCurrency parses an ISO 4217 code in any case. The error is a *fault.Error with code Invalid that quotes the
// text.
func ParseCurrency(text string) (Currency, error) {
	if currency := Currency(strings.ToUpper(text)); currency.Valid() {
		return currency, nil
	}
	return "", fault.InvalidRequest("%q is not an ISO 4217 currency code", fault.Shorten(text))
}

// Valid reports whether c is a currency code.
func (c Currency) Valid() bool {
	_, found := slices.BinarySearch(loadCurrencies(), string(c))
	return found
}
