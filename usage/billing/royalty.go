package billing

import (
	"cmp"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/filmstrip/filmstrip/catalogue"
)

// RoyaltyBasis is how a channel is paid.
type RoyaltyBasis string

// The bases.
const (
	// Share pays a percentage of the totals of invoices, split by the time that the channel has.
	Share RoyaltyBasis = "SHARE"
	// Rate pays for each minute.
	Rate RoyaltyBasis = "RATE"
)

// RoyaltyBases returns all bases.
func RoyaltyBases() []RoyaltyBasis { return []RoyaltyBasis{Share, Rate} }

// Royalty is what a channel is paid.
type Royalty struct {
	Basis RoyaltyBasis `json:"basis"`
	// Percent is 0 to 100, for Share.
	Percent Decimal `json:"percent"`
	// Price is the price of a minute in Currency, for Rate.
	Price    Decimal  `json:"price"`
	Currency Currency `json:"currency,omitempty"`
}

var hundred = Decimal{decimal.NewFromInt(100)}

// Check adds the errors of all fields.
func (r *Royalty) Check(f *catalogue.Faults) {
	catalogue.Listed(f, "basis", r.Basis, RoyaltyBases())
	switch r.Basis {
	case Share:
		if r.Percent.Sign() < 0 || r.Percent.Compare(hundred) > 0 {
			f.Add("percent", "%s is not 0 to 100", r.Percent)
		}
		if r.Price.Sign() != 0 || r.Currency != "" {
			f.Add("price", "a share has a percent, and neither price nor currency")
		}
	case Rate:
		if r.Price.Sign() < 0 {
			f.Add("price", "%s is below 0", r.Price)
		}
		if problem := r.Currency.check(); problem != "" {
			f.Add("currency", "%s", problem)
		}
		if r.Percent.Sign() != 0 {
			f.Add("percent", "a rate has a price and a currency, and no percent")
		}
	}
}

// RoyaltyStatement is what a channel is paid for a month.
type RoyaltyStatement struct {
	Channel string
	// ChannelName is "" if the channel was deleted, and before a resolver sets it.
	ChannelName string
	Royalty     Royalty
	// Lines are in the order of accounts.
	Lines []RoyaltyLine
	// Totals are the sums of the lines by currency, in the order of currencies.
	Totals []Amount
}

// RoyaltyLine is what a channel is paid for the plays of one account.
type RoyaltyLine struct {
	Account, AccountName string
	// Milliseconds are those of the channel, out of AccountMilliseconds.
	Milliseconds, AccountMilliseconds int64
	// Revenue is the total of the account's invoice.
	Revenue         Decimal
	RevenueCurrency Currency
	// Amount is rounded once, half up, to the minor unit of Currency.
	Amount   Decimal
	Currency Currency
}

// Amount is an amount of money.
type Amount struct {
	Currency Currency
	Amount   Decimal
}

// Royalties collects the royalty statements of a month.
type Royalties struct {
	terms    map[string]Royalty
	channels map[string]*RoyaltyStatement
}

// NewRoyalties returns a collection for channels with the given terms.
func NewRoyalties(terms map[string]Royalty) *Royalties {
	return &Royalties{terms: terms, channels: map[string]*RoyaltyStatement{}}
}

// Add adds the lines that follow from an invoice. The shares of all channels in it, taken together, never exceed its total:
// where rounding half up would, the shares that gained most by rounding are one minor unit less.
func (r *Royalties) Add(invoice *Invoice) {
	type shared struct {
		line *RoyaltyLine
		gain Decimal
	}
	var shares []shared
	sum := Decimal{}
	currency := invoice.Terms.Currency
	for _, of := range invoice.Channels {
		royalty, paid := r.terms[of.Channel]
		if !paid || of.Milliseconds <= 0 {
			continue
		}
		line := RoyaltyLine{
			Account: invoice.Account, AccountName: invoice.Customer.Name,
			Milliseconds: of.Milliseconds, AccountMilliseconds: invoice.Milliseconds, Revenue: invoice.Total, RevenueCurrency: currency,
		}
		statement := r.channels[of.Channel]
		if statement == nil {
			statement = &RoyaltyStatement{Channel: of.Channel, Royalty: royalty}
			r.channels[of.Channel] = statement
		}
		statement.Lines = append(statement.Lines, line)
		last := &statement.Lines[len(statement.Lines)-1] // which stays in place, because an invoice has a channel once
		if royalty.Basis == Rate {
			last.Currency = royalty.Currency
			last.Amount = royalty.Price.portion(of.Milliseconds, 60_000, royalty.Currency.Digits())
			continue
		}
		last.Currency = currency
		exact := Decimal{invoice.Total.value.Mul(royalty.Percent.value)}
		last.Amount = exact.portion(of.Milliseconds, 100*invoice.Milliseconds, currency.Digits())
		fine := exact.portion(of.Milliseconds, 100*invoice.Milliseconds, currency.Digits()+20)
		sum = sum.Plus(last.Amount)
		shares = append(shares, shared{last, Decimal{last.Amount.value.Abs().Sub(fine.value.Abs())}})
	}
	excess := Decimal{sum.value.Abs().Sub(invoice.Total.value.Abs())}
	if excess.Sign() <= 0 || len(shares) == 0 {
		return
	}
	slices.SortStableFunc(shares, func(a, b shared) int { return b.gain.Compare(a.gain) })
	unit := Decimal{decimal.New(1, -currency.Digits())}
	if invoice.Total.Sign() < 0 {
		unit.value = unit.value.Neg()
	}
	for i := 0; excess.Sign() > 0 && i < len(shares); i++ {
		shares[i].line.Amount = shares[i].line.Amount.Minus(unit)
		excess = Decimal{excess.value.Sub(unit.value.Abs())}
	}
}

// Statements returns the statements in the order of channels.
func (r *Royalties) Statements() []RoyaltyStatement {
	statements := make([]RoyaltyStatement, 0, len(r.channels))
	for _, channel := range slices.Sorted(maps.Keys(r.channels)) {
		statement := *r.channels[channel]
		slices.SortFunc(statement.Lines, func(a, b RoyaltyLine) int { return cmp.Compare(a.Account, b.Account) })
		totals := Totals{}
		for _, line := range statement.Lines {
			totals.Add(line.Currency, line.Amount)
		}
		statement.Totals = totals.Amounts()
		statements = append(statements, statement)
	}
	return statements
}

// Totals are sums by currency.
type Totals map[Currency]Decimal

// Add adds an amount.
func (t Totals) Add(currency Currency, amount Decimal) {
	sum, known := t[currency]
	if !known {
		sum = currency.Zero()
	}
	t[currency] = sum.Plus(amount)
}

// Amounts returns the sums in the order of currencies.
func (t Totals) Amounts() []Amount {
	amounts := make([]Amount, 0, len(t))
	for _, currency := range slices.Sorted(maps.Keys(t)) {
		amounts = append(amounts, Amount{currency, t[currency]})
	}
	return amounts
}
