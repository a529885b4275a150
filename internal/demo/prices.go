package demo

import (
	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// The price plans of the demo: schools pay by minutes, and platforms by users.
const (
	schoolPlan   = "school"
	platformPlan = "platform"
)

// prices returns the price plans and the royalty terms of the demo.
func prices() []account.Entity {
	channel := func(ref string) string { return string(catalogue.DeriveID(catalogue.KindChannel, source, ref)) }
	return []account.Entity{
		&account.PricePlan{ID: schoolPlan, Name: "Schools", Terms: billing.Terms{
			Currency: "EUR", MonthlyFee: decimal("49.00"), Components: []billing.Component{
				{Unit: billing.Minute, Allowance: 1000, Steps: []billing.Step{{UpTo: 5000, Price: decimal("0.02")}, {Price: decimal("0.0125")}}},
			},
		}},
		&account.PricePlan{ID: platformPlan, Name: "Platforms", Terms: billing.Terms{
			Currency: "USD", Minimum: decimal("100.00"), Components: []billing.Component{
				{Unit: billing.ActiveUser, Allowance: 2, Steps: []billing.Step{{Price: decimal("1.50")}}},
				{Unit: billing.Play, Steps: []billing.Step{{UpTo: 1000, Price: decimal("0.05")}, {Price: decimal("0.03")}}},
			},
		}},
		&account.RoyaltyTerms{ID: channel("clearwater"), Royalty: billing.Royalty{Basis: billing.Share, Percent: decimal("40")}},
		&account.RoyaltyTerms{ID: channel("bench-time"), Royalty: billing.Royalty{Basis: billing.Rate, Price: decimal("0.005"), Currency: "EUR"}},
	}
}

func decimal(text string) billing.Decimal {
	d, err := billing.ParseDecimal(text)
	if err != nil {
		panic(err) // a mistake in this file
	}
	return d
}
