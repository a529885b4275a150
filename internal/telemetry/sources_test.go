package telemetry_test

import (
	"context"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/telemetry"
)

// value returns the value of a series of the exported metrics.
func (w *world) value(series string) float64 {
	w.Helper()
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(series) + ` (\S+)$`).FindStringSubmatch(w.scraped())
	if found == nil {
		w.Fatalf("there is no %s", series)
	}
	value, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		w.Fatal(err)
	}
	return value
}

func TestSourcesAreAskedWhenSomebodyReads(t *testing.T) {
	w := &world{TB: t, Telemetry: newTelemetry(t, telemetry.Options{Version: "1.2.3", Store: "postgres", Search: "typesense", Cache: "redis"})}
	var on atomic.Bool
	state := "up"
	pool := telemetry.Pool{InUse: 3, Idle: 4, Max: 10, Waits: 5, Waited: 1500 * time.Millisecond}
	w.Lease("index", "videos", on.Load)
	w.Breaker("redis", on.Load)
	w.Pool("postgres", func() telemetry.Pool { return pool })
	w.Pool("redis", func() telemetry.Pool { return telemetry.Pool{} })
	w.Rejections(func() map[string]int64 { return map[string]int64{"client": 7, "login": 0} })
	w.Engines(func(ctx context.Context) map[string]string {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("engines are asked without a limit of time")
		}
		return map[string]string{"store": "up", "search": state}
	})
	w.expect(`filmstrip_lease_held{index="videos",work="index"}`, "0")
	w.expect(`filmstrip_engine_breaker_open{engine="redis"}`, "0")
	w.expect(`filmstrip_engine_state{engine="search",state="up"}`, "1")
	on.Store(true)
	state = "degraded"
	pool.InUse = 10
	for series, value := range map[string]string{
		`filmstrip_lease_held{index="videos",work="index"}`:          "1",
		`filmstrip_engine_breaker_open{engine="redis"}`:              "1",
		`filmstrip_engine_state{engine="store",state="up"}`:          "1",
		`filmstrip_engine_state{engine="search",state="up"}`:         "0",
		`filmstrip_engine_state{engine="search",state="degraded"}`:   "1",
		`filmstrip_engine_state{engine="search",state="down"}`:       "0",
		`filmstrip_pool_connections{engine="postgres",state="used"}`: "10",
		`filmstrip_pool_connections{engine="postgres",state="idle"}`: "4",
		`filmstrip_pool_connections_max{engine="postgres"}`:          "10",
		`filmstrip_pool_waits_total{engine="postgres"}`:              "5",
		`filmstrip_pool_wait_seconds_total{engine="postgres"}`:       "1.5",
		`filmstrip_pool_connections_max{engine="redis"}`:             "0",
		`filmstrip_limit_refusals_total{limit="client"}`:             "7",
		`filmstrip_limit_refusals_total{limit="login"}`:              "0",
	} {
		w.expect(series, value)
	}
	if !regexp.MustCompile(`filmstrip_build_info\{cache="redis",go="go[^"]+",search="typesense",store="postgres",version="1.2.3"\} 1`).MatchString(w.scraped()) {
		t.Errorf("the build is not reported:\n%s", w.scraped())
	}
}

func TestOutboxLag(t *testing.T) {
	w := &world{TB: t, Telemetry: newTelemetry(t, telemetry.Options{})}
	var lag, position atomic.Int64
	position.Store(100)
	w.Outbox(lag.Load, position.Load)
	w.expect("filmstrip_outbox_lag_changes", "0")
	w.expect("filmstrip_outbox_lag_seconds", "0")
	w.expect("filmstrip_index_position", "100")
	lag.Store(7)
	w.expect("filmstrip_outbox_lag_changes", "7")
	w.eventually("the change waits", func() bool { return w.value("filmstrip_outbox_lag_seconds") > 0.05 })
	lag.Store(0)
	w.expect("filmstrip_outbox_lag_seconds", "0")
}

func stateUp(context.Context) map[string]string { return map[string]string{"store": "up"} }
