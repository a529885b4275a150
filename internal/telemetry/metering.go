package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Intake holds the totals of event intake since the start; Waiting is a current value.
type Intake struct {
	// Stored events took Commits of the log. Refused are requests whose events were refused before an attempt, Failed
	// those whose events could not be stored.
	Stored, Commits, Refused, Failed int64
	// Waiting events are not stored yet.
	Waiting int64
}

// Intake exports the state of event intake.
func (t *Telemetry) Intake(read func() Intake) {
	stored := describe("events_stored_total", "Events that have been stored.", nil)
	commits := describe("event_commits_total", "Commits of the event log, which concurrent requests share.", nil)
	turned := describe("event_requests_unstored_total", "Requests whose events were not stored: refused before an attempt, or failed.", nil, "outcome")
	waiting := describe("events_waiting", "Events that wait to be stored.", nil)
	t.register(func(send sender) {
		now := read()
		send(stored, prometheus.CounterValue, float64(now.Stored))
		send(commits, prometheus.CounterValue, float64(now.Commits))
		send(turned, prometheus.CounterValue, float64(now.Refused), "refused")
		send(turned, prometheus.CounterValue, float64(now.Failed), "failed")
		send(waiting, prometheus.GaugeValue, float64(now.Waiting))
	}, stored, commits, turned, waiting)
}

// Counting is the progress of counting the event log, and the result of the last comparison with it.
type Counting struct {
	// Behind is how many events are not counted yet.
	Behind int64
	// Verified reports whether a process has compared; Differences is how many differences the last comparison found.
	Verified    bool
	Differences int64
	// Unverified is how long ago the part of the log was verified that was verified the longest ago, and Uncompared how long
	// ago the last comparison ended. They are negative if this process does not know them.
	Unverified, Uncompared time.Duration
}

// Counting exports the state of counting.
func (t *Telemetry) Counting(read func() Counting) {
	behind := describe("usage_lag_events", "Events that are stored and not counted yet.", nil)
	differences := describe("usage_differences", "Differences that the last comparison of counts and statements with the event log found; absent before the first comparison.", nil)
	unverified := describe("usage_unverified_seconds", "Age of the oldest recount among all parts of the event log.", nil)
	uncompared := describe("usage_uncompared_seconds", "Time since the last comparison of counts and statements with the event log ended.", nil)
	t.register(func(send sender) {
		now := read()
		send(behind, prometheus.GaugeValue, float64(now.Behind))
		if now.Verified {
			send(differences, prometheus.GaugeValue, float64(now.Differences))
		}
		if now.Unverified >= 0 && now.Uncompared >= 0 {
			send(unverified, prometheus.GaugeValue, now.Unverified.Seconds())
			send(uncompared, prometheus.GaugeValue, now.Uncompared.Seconds())
		}
	}, behind, differences, unverified, uncompared)
}

// Retention exports whether deletions by the wall clock are stopped.
func (t *Telemetry) Retention(stopped func() bool) {
	t.gauge("retention_stopped", "1 while retention and key expiry are stopped, because a wall clock is not trusted.",
		nil, func() float64 { return truth(stopped()) })
}

// Archive is the content of the archive of the event log, as this process last read its manifest.
type Archive struct {
	Months, Files int
	Events, Bytes int64
}

// Archive exports what the archive of the event log holds.
func (t *Telemetry) Archive(read func() Archive) {
	months := describe("archive_months", "Months of events in the archive.", nil)
	files := describe("archive_files", "Files of events in the archive.", nil)
	events := describe("archive_events", "Events in the archive.", nil)
	bytes := describe("archive_bytes", "Bytes of the files of events in the archive.", nil)
	t.register(func(send sender) {
		now := read()
		send(months, prometheus.GaugeValue, float64(now.Months))
		send(files, prometheus.GaugeValue, float64(now.Files))
		send(events, prometheus.GaugeValue, float64(now.Events))
		send(bytes, prometheus.GaugeValue, float64(now.Bytes))
	}, months, files, events, bytes)
}

// Replica exports whether reads use the replica of the database.
func (t *Telemetry) Replica(used func() bool) {
	t.gauge("replica_used", "1 while reads use the replica of the database.", nil, func() float64 { return truth(used()) })
}

// Standby exports whether commits of events wait for a standby.
func (t *Telemetry) Standby(waits func() bool) {
	t.gauge("commits_wait_for_standby", "1 while commits of events are acknowledged only when a synchronous standby has them.",
		nil, func() float64 { return truth(waits()) })
}
