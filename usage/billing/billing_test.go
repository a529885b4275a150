package billing_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/currency"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
)

var october = usage.Month{Year: 2026, Month: time.October}

func decimal(t interface{ Fatal(...any) }, text string) billing.Decimal {
	d, err := billing.ParseDecimal(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func exact(d billing.Decimal) *big.Rat {
	r, _ := new(big.Rat).SetString(d.String())
	return r
}

func TestDecimals(t *testing.T) {
	for _, text := range []string{"0", "12.50", "-0.0000000001", "999999999999999.9999999999", "007"} {
		d := decimal(t, text)
		body, _ := json.Marshal(d)
		var read billing.Decimal
		if err := json.Unmarshal(body, &read); err != nil || !read.Equal(d) || text != "007" && d.String() != text {
			t.Errorf("%s is written as %s and read as %s, %v", text, body, read, err)
		}
	}
	for _, text := range []string{"1999999999999998.00", "0.00000000001", strings.Repeat("9", 40)} { // too long for inputs
		var read billing.Decimal
		if err := json.Unmarshal([]byte(`"`+text+`"`), &read); err != nil || read.String() != text {
			t.Errorf("%s is decoded as %s, %v", text, read, err)
		}
	}
	for _, text := range []string{"", "1e5", "NaN", ".5"} {
		var read billing.Decimal
		if json.Unmarshal([]byte(`"`+text+`"`), &read) == nil {
			t.Errorf("%q is decoded as %s", text, read)
		}
	}
	for _, text := range []string{"", "1e1000000", "1E5", ".5", "5.", "+1", " 1", "1,5", "0x1", "NaN", "1.00000000001", "1000000000000000", "١", strings.Repeat("1", 1000)} {
		if d, err := billing.ParseDecimal(text); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q is read as %s, %v", text, d, err)
		}
	}
}

func FuzzParseDecimal(f *testing.F) {
	for _, text := range []string{"1.5", "-1", "1e1000000", "00", "-0.0", "1.12345678901"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := billing.ParseDecimal(text)
		if err != nil {
			return
		}
		want, ok := new(big.Rat).SetString(text)
		if !ok || len(text) > 27 || exact(d).Cmp(want) != 0 {
			t.Errorf("%q is read as %s", text, d)
		}
	})
}

func TestCurrencies(t *testing.T) {
	newer := []billing.Currency{"MRU", "SLE", "VED", "VES"} // than the library
	for _, code := range billing.Currencies() {
		if _, err := currency.ParseISO(string(code)); err != nil && !slices.Contains(newer, code) {
			t.Errorf("%s: %v", code, err)
		}
	}
	for code, digits := range map[billing.Currency]int32{"EUR": 2, "JPY": 0, "KWD": 3} {
		if code.Digits() != digits {
			t.Errorf("%s has %d digits", code, code.Digits())
		}
	}
}

func plan(t interface{ Fatal(...any) }, text string) *billing.Terms {
	terms := new(billing.Terms)
	if err := json.Unmarshal([]byte(text), terms); err != nil {
		t.Fatal(err)
	}
	return terms
}

func show(lines []billing.Line) string {
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "%s %s %s %d: %s\n", line.Kind, line.Unit, line.Month, line.Quantity, line.Amount)
	}
	return b.String()
}

func TestLines(t *testing.T) {
	graduated := plan(t, `{"currency":"EUR","monthlyFee":"50","minimum":"100","components":[
		{"unit":"MINUTE","allowance":100,"steps":[{"upTo":10,"price":"0.5"},{"price":"0.025"}]},
		{"unit":"ACTIVE_USER","steps":[{"price":"1.005"}]}]}`)
	yen := plan(t, `{"currency":"JPY","monthlyFee":"0","minimum":"0","components":[{"unit":"PLAY","steps":[{"price":"0.5"}]}]}`)
	free := plan(t, `{"currency":"EUR","monthlyFee":"0","minimum":"0","components":[]}`)
	for name, c := range map[string]struct {
		terms       *billing.Terms
		q           billing.Quantities
		adjustments []billing.Adjustment
		want        string
	}{
		"nothing": {free, billing.Quantities{Seconds: 7, Plays: 7, Users: 7}, nil, ""},
		"within the allowance": {graduated, billing.Quantities{Seconds: 6000}, nil,
			"FEE  2026-10 0: 50.00\nALLOWANCE MINUTE 2026-10 6000: 0.00\nMINIMUM  2026-10 0: 50.00\n"},
		"a second beyond": {graduated, billing.Quantities{Seconds: 6001}, nil, // 1/60 x 0.5 is 0.00833
			"FEE  2026-10 0: 50.00\nALLOWANCE MINUTE 2026-10 6000: 0.00\nUSAGE MINUTE 2026-10 1: 0.01\nMINIMUM  2026-10 0: 49.99\n"},
		"both steps": {graduated, billing.Quantities{Seconds: 6600 + 60*2000, Users: 1}, nil, // 1.005 is half up
			"FEE  2026-10 0: 50.00\nALLOWANCE MINUTE 2026-10 6000: 0.00\nUSAGE MINUTE 2026-10 600: 5.00\nUSAGE MINUTE 2026-10 120000: 50.00\nUSAGE ACTIVE_USER 2026-10 1: 1.01\n"},
		"half a yen": {yen, billing.Quantities{Plays: 3}, nil, "USAGE PLAY 2026-10 3: 2\n"},
		"a credit": {yen, billing.Quantities{}, []billing.Adjustment{{Month: usage.Month{Year: 2026, Month: 9}, Terms: yen, Before: billing.Quantities{Plays: 3, Users: 9}, After: billing.Quantities{Plays: 2}}},
			"ADJUSTMENT PLAY 2026-09 -1: -1\n"},
		"a credit out of the second step": {graduated, billing.Quantities{}, []billing.Adjustment{{Month: usage.Month{Year: 2026, Month: 9}, Terms: graduated, Before: billing.Quantities{Seconds: 6600 + 120}, After: billing.Quantities{Seconds: 6060}}},
			"FEE  2026-10 0: 50.00\nADJUSTMENT MINUTE 2026-09 -660: -4.55\nMINIMUM  2026-10 0: 50.00\n"},
	} {
		if got := show(c.terms.Lines(october, c.q, c.adjustments)); got != c.want {
			t.Errorf("%s:\n%swant\n%s", name, got, c.want)
		}
	}
}

func TestTermsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		`{"currency":"EUR","components":[{"unit":"PLAY","steps":[{"upTo":5,"price":"1"},{"price":"0"}]}]}`: "",
		`{"currency":"EURO"}`:                                                       `currency: "EURO" is not the ISO 4217 code`,
		`{"currency":"JPY","monthlyFee":"1.5"}`:                                     "monthlyFee: 1.5 has more digits",
		`{"currency":"JPY","monthlyFee":"1.0"}`:                                     "",
		`{"currency":"EUR","minimum":"-1"}`:                                         "minimum: -1 is below 0",
		`{"currency":"EUR","components":[{"unit":"HOUR","steps":[{"price":"1"}]}]}`: `components[0].unit: "HOUR" is not one of MINUTE, PLAY, ACTIVE_USER`,
		`{"currency":"EUR","components":[{"unit":"PLAY"}]}`:                         "components[0].steps is empty",
		`{"currency":"EUR","components":[{"unit":"PLAY","steps":[{"price":"1"}]},{"unit":"PLAY","steps":[{"price":"1"}]}]}`:       "components[1].unit: PLAY has a component already",
		`{"currency":"EUR","components":[{"unit":"PLAY","steps":[{"upTo":5,"price":"1"},{"upTo":5,"price":"1"},{"price":"1"}]}]}`: "components[0].steps[1].upTo: 5 is not above 5",
		`{"currency":"EUR","components":[{"unit":"PLAY","steps":[{"upTo":5,"price":"1"}]}]}`:                                      "components[0].steps[0].upTo: 5: the last step",
		`{"currency":"EUR","components":[{"unit":"PLAY","allowance":-1,"steps":[{"price":"-1"}]}]}`:                               "components[0].allowance: -1 is not",
	} {
		var f catalogue.Faults
		plan(t, text).Check(&f)
		got := ""
		if list := f.List(); len(list) > 0 {
			got = list[0].Error()
		}
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// drawTerms returns any terms in EUR, JPY or KWD without fee and minimum.
func drawTerms(t *rapid.T) *billing.Terms {
	terms := &billing.Terms{Currency: rapid.SampledFrom([]billing.Currency{"EUR", "JPY", "KWD"}).Draw(t, "currency")}
	for _, unit := range billing.Units() {
		component := billing.Component{Unit: unit, Allowance: rapid.Int64Range(0, 20).Draw(t, "allowance")}
		var bound int64
		for range rapid.IntRange(0, 3).Draw(t, "bounds") {
			bound += rapid.Int64Range(1, 20).Draw(t, "width")
			component.Steps = append(component.Steps, billing.Step{UpTo: bound, Price: drawPrice(t)})
		}
		component.Steps = append(component.Steps, billing.Step{Price: drawPrice(t)})
		terms.Components = append(terms.Components, component)
	}
	return terms
}

func drawPrice(t *rapid.T) billing.Decimal {
	return decimal(t, rapid.StringMatching(`[0-9]{1,2}\.[0-9]{1,5}`).Draw(t, "price"))
}

// TestChargeIsThatOfTheModel prices each second, play and user alone, by the step in which it falls.
func TestChargeIsThatOfTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		q := billing.Quantities{Seconds: rapid.Int64Range(-5, 6000).Draw(t, "seconds"), Plays: rapid.Int64Range(0, 90).Draw(t, "plays"), Users: rapid.Int64Range(0, 90).Draw(t, "users")}
		lines := terms.Charge(october, q)
		for _, component := range terms.Components {
			parts := int64(1)
			if component.Unit == billing.Minute {
				parts = 60
			}
			sums := make([]*big.Rat, len(component.Steps)) // nil: the step is not reached
			for n := component.Allowance * parts; n < q.Of(component.Unit); n++ {
				step := 0
				for component.Steps[step].UpTo != 0 && n-component.Allowance*parts >= component.Steps[step].UpTo*parts {
					step++
				}
				if sums[step] == nil {
					sums[step] = new(big.Rat)
				}
				sums[step].Add(sums[step], new(big.Rat).Quo(exact(component.Steps[step].Price), new(big.Rat).SetInt64(parts)))
			}
			var want, got []string
			for _, sum := range sums {
				if sum != nil {
					want = append(want, sum.FloatString(int(terms.Currency.Digits()))) // which rounds half away from zero
				}
			}
			var counted int64
			for _, line := range lines {
				if line.Unit == component.Unit {
					counted += line.Quantity
					if line.Kind == billing.LineUsage {
						got = append(got, line.Amount.String())
					}
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) || counted != max(0, q.Of(component.Unit)) {
				t.Fatalf("%s: %v for %d, want %v", component.Unit, got, counted, want)
			}
		}
	})
}

// TestAdjustmentsAddUp checks that the invoices of any corrections of a month charge for it what its final quantities
// cost.
func TestAdjustmentsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		draw := func() billing.Quantities {
			return billing.Quantities{Seconds: rapid.Int64Range(0, 6000).Draw(t, "seconds"), Plays: rapid.Int64Range(0, 90).Draw(t, "plays"), Users: 12}
		}
		q := draw()
		charged := terms.Total(terms.Lines(october, q, nil))
		month := october
		for range rapid.IntRange(0, 5).Draw(t, "corrections") {
			month = month.Next()
			next := draw()
			charged = charged.Plus(terms.Total(terms.Lines(month, billing.Quantities{}, []billing.Adjustment{{Month: october, Terms: terms, Before: q, After: next}})))
			q = next
		}
		if want := terms.Total(terms.Charge(october, q)); !charged.Equal(want) {
			t.Fatalf("the invoices charge %s, the month costs %s", charged, want)
		}
	})
}

// TestSharesNeverExceedRevenue checks royalties against exact fractions.
func TestSharesNeverExceedRevenue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		invoice := &billing.Invoice{Account: "school", Terms: billing.Terms{Currency: rapid.SampledFrom([]billing.Currency{"EUR", "JPY"}).Draw(t, "currency")}}
		invoice.Total = invoice.Terms.Currency.Zero().Plus(decimal(t, rapid.StringMatching(`-?[0-9]{1,3}`).Draw(t, "total")))
		terms := map[string]billing.Royalty{}
		for i := range rapid.IntRange(1, 9).Draw(t, "channels") {
			id := fmt.Sprint("channel", i)
			terms[id] = billing.Royalty{Basis: billing.Share, Percent: decimal(t, rapid.SampledFrom([]string{"100", "100", "50", "33.3"}).Draw(t, "percent"))}
			time := rapid.Int64Range(1, 50).Draw(t, "time")
			invoice.Channels = append(invoice.Channels, billing.ChannelTime{Channel: id, Milliseconds: time})
			invoice.Milliseconds += time
		}
		invoice.Milliseconds += rapid.Int64Range(0, 10).Draw(t, "time without a channel")
		royalties := billing.NewRoyalties(terms)
		royalties.Add(invoice)
		sum := invoice.Terms.Currency.Zero()
		unit := new(big.Rat).SetFrac64(1, map[int32]int64{0: 1, 2: 100}[invoice.Terms.Currency.Digits()])
		for _, statement := range royalties.Statements() {
			line := statement.Lines[0]
			sum = sum.Plus(line.Amount)
			want := new(big.Rat).Mul(exact(invoice.Total), exact(statement.Royalty.Percent))
			want.Mul(want, big.NewRat(line.Milliseconds, 100*invoice.Milliseconds))
			off := new(big.Rat).Sub(exact(line.Amount), want)
			if off.Abs(off).Cmp(unit) > 0 {
				t.Fatalf("%s is paid %s, exactly %s", statement.Channel, line.Amount, want.FloatString(5))
			}
		}
		if new(big.Rat).Abs(exact(sum)).Cmp(new(big.Rat).Abs(exact(invoice.Total))) > 0 {
			t.Fatalf("shares of %s are %s", invoice.Total, sum)
		}
	})
}

func TestRoyalties(t *testing.T) {
	royalties := billing.NewRoyalties(map[string]billing.Royalty{
		"a": {Basis: billing.Share, Percent: decimal(t, "50")}, "b": {Basis: billing.Rate, Price: decimal(t, "0.03"), Currency: "USD"},
		"c": {Basis: billing.Share, Percent: decimal(t, "10")},
	})
	for _, account := range []string{"two", "one"} {
		royalties.Add(&billing.Invoice{
			Account: account, Customer: billing.Party{Name: account}, Terms: billing.Terms{Currency: "EUR"}, Total: decimal(t, "100.01"), Milliseconds: 120_000,
			Channels: []billing.ChannelTime{{Channel: "a", Milliseconds: 60_000}, {Channel: "b", Milliseconds: 30_000}, {Channel: "x", Milliseconds: 30_000}},
		})
	}
	var got []string
	for _, s := range royalties.Statements() {
		for _, line := range s.Lines {
			got = append(got, fmt.Sprint(s.Channel, " ", line.Account, " ", line.Amount, " ", line.Currency))
		}
		got = append(got, fmt.Sprint(s.Totals))
	}
	// A quarter of 100.01 is 25.0025; half a minute costs 0.015.
	if want := "a one 25.00 EUR|a two 25.00 EUR|[{EUR 50.00}]|b one 0.02 USD|b two 0.02 USD|[{USD 0.04}]"; strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}
