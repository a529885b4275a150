package resolvers

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/usage"
)

var errNoUsage = catalogue.Errorf(catalogue.Unavailable, "this server counts no use")

func (q query) Usage(context.Context, time.Time, time.Time, *graph.UsageFilter, []graph.UsageDimension, graph.UsageInterval, graph.UsageOrder, int, *string) (*graph.UsageReport, error) {
	return nil, errNoUsage
}

func (q query) Retention(context.Context, string, time.Time, time.Time, []string, bool) (*graph.Retention, error) {
	return nil, errNoUsage
}

func (q query) Statement(context.Context, *string, usage.Month) (*usage.Statement, error) {
	return nil, errNoUsage
}

func (q query) Statements(context.Context, *string) ([]*usage.Statement, error) {
	return nil, errNoUsage
}

func (m mutation) SealMonth(context.Context, usage.Month, bool) ([]*usage.Statement, error) {
	return nil, errNoUsage
}

func (m mutation) ForgetPerson(context.Context, string, *string, *string) (int64, error) {
	return 0, errNoUsage
}
