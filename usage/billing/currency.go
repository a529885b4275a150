package billing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/fault"
)

// Currency is the code of a currency of ISO 4217, such as EUR.
type Currency string

// The currencies of ISO 4217 (list one) by the number of digits of their minor unit, without those of funds, metals and
// tests.
var (
	noMinorUnit    = strings.Fields("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF")
	twoDigits      = strings.Fields("AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD YER ZAR ZMW")
	threeDigits    = strings.Fields("BHD IQD JOD KWD LYD OMR TND")
	currencyDigits = map[Currency]int32{}
)

func init() {
	for digits, codes := range map[int32][]string{0: noMinorUnit, 2: twoDigits, 3: threeDigits} {
		for _, code := range codes {
			currencyDigits[Currency(code)] = digits
		}
	}
}

// Currencies returns all currencies in the order of their codes.
func Currencies() []Currency {
	all := make([]Currency, 0, len(currencyDigits))
	for code := range currencyDigits {
		all = append(all, code)
	}
	slices.Sort(all)
	return all
}

// Digits returns the number of digits after the point of an amount in the currency.
func (c Currency) Digits() int32 { return currencyDigits[c] }

// Zero returns 0 with the digits of the currency.
func (c Currency) Zero() Decimal { return Decimal{}.portion(1, 1, c.Digits()) }

// check returns a problem if the currency is unknown, or "".
func (c Currency) check() string {
	if _, known := currencyDigits[c]; !known {
		return fmt.Sprintf("%q is not the ISO 4217 code of a currency, such as EUR", fault.Shorten(string(c)))
	}
	return ""
}
