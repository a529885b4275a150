// Package billing administers money: price plans, invoices and royalties (docs/billing.md).
package billing

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
)

// Config lists the ports that billing needs. A field whose port is nil returns an error with the code Unavailable.
type Config struct {
	Registry *registry.Registry
	// Catalogue has the names of channels.
	Catalogue store.Catalogue
	Counts    store.Usage
	// Clock returns what the processes observed about their wall clocks.
	Clock func(ctx context.Context) (store.ClockRecord, error)
	Now   func() time.Time
}

// Resolver resolves the fields about money.
type Resolver struct{ config Config }

// New makes a resolver.
func New(config Config) *Resolver { return &Resolver{config} }

// maxBatch is the most accounts or invoices that one call drafts or issues, and batch how many it changes in one
// transaction, for which other changes of records wait.
const (
	maxBatch = 1000
	batch    = 100
)

func (r *Resolver) counts() (store.Usage, error) {
	if r.config.Counts == nil {
		return nil, fault.Errorf(fault.Unavailable, "this server does not count usage")
	}
	return r.config.Counts, nil
}

func (r *Resolver) PricePlans(ctx context.Context, first int, after *string) (*graph.PricePlanConnection, error) {
	nodes, info, err := registry.Page(ctx, r.config.Registry, registry.Query{Kind: account.KindPricePlan}, first, after, nil, shownPlan)
	return &graph.PricePlanConnection{Nodes: nodes, PageInfo: info}, err
}

func (r *Resolver) PricePlan(ctx context.Context, id string) (*graph.PricePlan, error) {
	return registry.View(ctx, r.config.Registry, account.KindPricePlan.Key(id), shownPlan)
}

func (r *Resolver) PutPricePlan(ctx context.Context, input graph.PricePlanInput, version *int) (*graph.PricePlan, error) {
	create := func() *account.PricePlan { return &account.PricePlan{ID: input.ID} }
	plan, err := registry.Put(ctx, r.config.Registry, version, create, func(_ context.Context, _ store.RegistryTx, plan *account.PricePlan) error {
		plan.Name, plan.Terms = input.Name, termsOf(&input)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return shownPlan(plan), nil
}

func (r *Resolver) DeletePricePlan(ctx context.Context, id string, version *int) (string, error) {
	return id, r.config.Registry.Remove(ctx, account.KindPricePlan.Key(id), version)
}

func (r *Resolver) PricePreview(_ context.Context, input graph.PricePlanInput, seconds, plays, users int) (*graph.PricePreview, error) {
	plan := account.PricePlan{ID: "preview", Name: "Preview", Terms: termsOf(&input)}
	if faults := plan.Validate(); faults != nil {
		var f inputs.Faults
		for _, one := range faults {
			f.Add(one.Field, "%s", one.Problem)
		}
		return nil, f.Err()
	}
	for field, quantity := range map[string]int{"seconds": seconds, "plays": plays, "users": users} {
		if quantity < 0 {
			return nil, inputs.Invalid(field, "%d is below 0", quantity)
		}
	}
	lines := plan.Lines(usage.MonthOf(event.InstantOf(r.config.Now())), billing.Quantities{Seconds: int64(seconds), Plays: int64(plays), Users: int64(users)}, nil)
	return &graph.PricePreview{Lines: shownLines(lines), Total: plan.Total(lines)}, nil
}

func termsOf(input *graph.PricePlanInput) billing.Terms {
	return billing.Terms{
		Currency: billing.Currency(input.Currency), MonthlyFee: input.MonthlyFee, Minimum: input.Minimum,
		Components: values.Map(input.Components, func(c *graph.PriceComponentInput) billing.Component {
			return billing.Component{Unit: c.Unit, Allowance: int64(c.Allowance), Steps: values.Map(c.Steps, func(s *graph.PriceStepInput) billing.Step {
				return billing.Step{UpTo: int64(values.Or(s.UpTo)), Price: s.Price}
			})}
		}),
	}
}

func shownPlan(p *account.PricePlan) *graph.PricePlan {
	return &graph.PricePlan{
		ID: p.ID, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, Version: int(p.Version), Name: p.Name,
		Currency: string(p.Currency), MonthlyFee: p.MonthlyFee, Minimum: p.Minimum,
		Components: values.Map(p.Components, func(c billing.Component) *graph.PriceComponent {
			return &graph.PriceComponent{Unit: c.Unit, Allowance: int(c.Allowance), Steps: values.Map(c.Steps, func(s billing.Step) *graph.PriceStep {
				return &graph.PriceStep{UpTo: values.OrNil(int(s.UpTo)), Price: s.Price}
			})}
		}),
	}
}

func shownLines(lines []billing.Line) []*graph.InvoiceLine {
	return values.Map(lines, func(l billing.Line) *graph.InvoiceLine {
		line := &graph.InvoiceLine{Kind: l.Kind, Unit: values.OrNil(l.Unit), Month: l.Month, Quantity: l.Quantity, To: values.OrNil(l.To), Price: l.Price, Amount: l.Amount}
		if l.Kind == billing.LineUsage {
			line.From = &l.From
		}
		return line
	})
}

func shownMoney(amounts []billing.Amount) []*graph.Money {
	return values.Map(amounts, func(a billing.Amount) *graph.Money { return money(a.Currency, a.Amount) })
}

func money(currency billing.Currency, amount billing.Decimal) *graph.Money {
	return &graph.Money{Currency: string(currency), Amount: amount}
}

// require returns an error with the code Forbidden unless the caller may see bills. Fields have the rule in the schema;
// files have it here.
func require(ctx context.Context) error { return account.Require(ctx, account.ViewBilling) }
