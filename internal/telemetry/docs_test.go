package telemetry_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/telemetry"
)

// exported returns the metrics of a service after some traffic: their types and label names, by name.
func exported(t *testing.T) (types map[string]string, labels map[string][]string) {
	t.Helper()
	c := collect(t)
	w := newWorld(t, telemetry.Options{Traces: c.URL, Sample: 1})
	w.send("GET", "/v1/videos?query=water&size=3", "")
	w.Outbox(w.follower.Lag, func() int64 { position, _ := w.index.Position(t.Context()); return position })
	w.CollectionOutbox(func() int64 { return 0 }, func() int64 { return 1 })
	w.Lease("search", "videos", func() bool { return true })
	w.Breaker("sqlite", func() bool { return false })
	w.Pool("sqlite", func() telemetry.Pool { return telemetry.Pool{Waited: time.Second} })
	w.Rejections(func() map[string]int64 { return map[string]int64{"client": 1} })
	w.Intake(func() telemetry.Intake { return telemetry.Intake{} })
	w.Counting(func() telemetry.Counting { return telemetry.Counting{Verified: true} })
	w.Standby(func() bool { return true })
	w.Replica(func() bool { return true })
	w.Retention(func() bool { return true })
	w.Archive(func() telemetry.Archive { return telemetry.Archive{} })
	w.Queries(func() int64 { return 1 })
	w.Embeddings(func() telemetry.Embeddings { return telemetry.Embeddings{} })
	w.Engines(stateUp)
	types, labels = map[string]string{}, map[string][]string{}
	text := w.scraped()
	for _, found := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`).FindAllStringSubmatch(text, -1) {
		types[found[1]] = found[2]
	}
	for _, found := range regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? \S+$`).FindAllStringSubmatch(text, -1) {
		name := metricOf(found[1], types)
		for _, label := range regexp.MustCompile(`([a-z_]+)="`).FindAllStringSubmatch(found[2], -1) {
			if label[1] != "le" && !slices.Contains(labels[name], label[1]) {
				labels[name] = append(labels[name], label[1])
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return types, labels
}

// metricOf returns the metric that a series belongs to.
func metricOf(series string, types map[string]string) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		if name, found := strings.CutSuffix(series, suffix); found && types[name] == "histogram" {
			return name
		}
	}
	return series
}

func readFile(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDocsListEveryMetric checks that the table of docs/observability.md lists the exported metrics with their types
// and labels.
func TestDocsListEveryMetric(t *testing.T) {
	types, labels := exported(t)
	documented := map[string]bool{}
	row := regexp.MustCompile("(?m)^\\| `(filmstrip_[a-z_]+)` \\| (\\w+) \\|([^|]*)\\|")
	for _, found := range row.FindAllStringSubmatch(readFile(t, "docs", "observability.md"), -1) {
		name := found[1]
		documented[name] = true
		if types[name] != found[2] {
			t.Errorf("%s is documented as a %s and exported as %q", name, found[2], types[name])
		}
		var listed []string
		for _, label := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(found[3], -1) {
			listed = append(listed, label[1])
		}
		slices.Sort(listed)
		slices.Sort(labels[name])
		if !slices.Equal(listed, labels[name]) {
			t.Errorf("%s is documented with the labels %q and exported with %q", name, listed, labels[name])
		}
	}
	for name := range types {
		if strings.HasPrefix(name, "filmstrip_") && !documented[name] {
			t.Errorf("%s is exported and not documented", name)
		}
	}
}

var metricName = regexp.MustCompile(`\b(?:filmstrip|go|process)_[a-z_]+\b`)

// TestDashboardShowsEveryMetric checks that each exported metric of the service is on the dashboard, so that a new one is
// not forgotten there.
func TestDashboardShowsEveryMetric(t *testing.T) {
	types, _ := exported(t)
	shown := map[string]bool{}
	for _, series := range metricName.FindAllString(strings.Join(expressions(t), "\n"), -1) {
		shown[metricOf(series, types)] = true
	}
	for name := range types {
		if strings.HasPrefix(name, "filmstrip_") && !shown[name] {
			t.Errorf("%s is exported and not on the dashboard", name)
		}
	}
}

// TestRulesAndDashboardAskForExportedMetrics checks that rules and dashboard use only exported metrics and labels.
func TestRulesAndDashboardAskForExportedMetrics(t *testing.T) {
	types, labels := exported(t)
	recorded := map[string]bool{}
	rules := readFile(t, "deploy", "prometheus", "filmstrip.rules.yml")
	for _, found := range regexp.MustCompile(`- record: (\S+)`).FindAllStringSubmatch(rules, -1) {
		recorded[found[1]] = true
	}
	selector := regexp.MustCompile(`\b((?:filmstrip|go|process)_[a-z_]+)\{([^}]*)\}`)
	for name, text := range map[string]string{
		"the rules": rules, "the dashboard": strings.Join(expressions(t), "\n"),
		"the tests of the rules": readFile(t, "deploy", "prometheus", "filmstrip.tests.yml"),
	} {
		found := metricName.FindAllString(text, -1)
		if len(found) == 0 {
			t.Errorf("%s ask for nothing", name)
		}
		for _, series := range found {
			if types[metricOf(series, types)] == "" {
				t.Errorf("%s ask for %s, which is not exported", name, series)
			}
		}
		for _, found := range selector.FindAllStringSubmatch(text, -1) {
			for _, label := range regexp.MustCompile(`([a-z]+)(?:=|!)`).FindAllStringSubmatch(found[2], -1) {
				known := append([]string{"job", "instance", "le"}, labels[metricOf(found[1], types)]...)
				if !slices.Contains(known, label[1]) && types[found[1]] != "summary" {
					t.Errorf("%s ask for %s by %s, which it does not have", name, found[1], label[1])
				}
			}
		}
		for _, rule := range regexp.MustCompile(`filmstrip:[a-z_]+:[a-z0-9_]+`).FindAllString(text, -1) {
			if !recorded[rule] {
				t.Errorf("%s ask for %s, which no rule records", name, rule)
			}
		}
	}
}

// expressions returns the queries of the dashboard. It checks that each uses the variable of the data source.
func expressions(t *testing.T) []string {
	t.Helper()
	type source struct{ Type, UID string }
	var dashboard struct {
		Panels []struct {
			Title      string
			Type       string
			Datasource source
			Targets    []struct {
				Datasource source
				Expr       string
			}
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, "deploy", "grafana", "filmstrip.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, panel := range dashboard.Panels {
		if panel.Type == "row" {
			continue
		}
		want := source{"prometheus", "${datasource}"}
		if panel.Datasource != want || len(panel.Targets) == 0 {
			t.Errorf("the panel %q asks %v", panel.Title, panel.Datasource)
		}
		for _, target := range panel.Targets {
			if target.Datasource != want {
				t.Errorf("the panel %q asks %v", panel.Title, target.Datasource)
			}
			all = append(all, target.Expr)
		}
	}
	return all
}

// TestDocsListEveryAlert checks that every alert is documented, and that every documented alert exists.
func TestDocsListEveryAlert(t *testing.T) {
	docs := readFile(t, "docs", "observability.md")
	alerts := map[string]bool{}
	for _, found := range regexp.MustCompile(`- alert: (\S+)`).FindAllStringSubmatch(readFile(t, "deploy", "prometheus", "filmstrip.rules.yml"), -1) {
		alerts[found[1]] = true
		if !strings.Contains(docs, "`"+found[1]+"`") {
			t.Errorf("the alert %s is not documented", found[1])
		}
	}
	for _, found := range regexp.MustCompile("`(Filmstrip[A-Za-z]+)`").FindAllStringSubmatch(docs, -1) {
		if !alerts[found[1]] {
			t.Errorf("the documented alert %s is none", found[1])
		}
	}
}

// anchorOf returns the fragment with which GitHub addresses a heading.
func anchorOf(heading string) string {
	kept := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(kept, " ", "-")
}

// TestEveryAlertHasARunbook checks that each alert leads to a section of docs/runbooks.md which names the alert and says
// what users notice, how to see it and what to do, and that no section names an alert that does not lead to it.
func TestEveryAlertHasARunbook(t *testing.T) {
	const page = "https://github.com/filmstrip/filmstrip/blob/main/docs/runbooks.md#"
	sections := map[string]string{} // the anchors of the sections, by alert
	for _, section := range strings.Split(readFile(t, "docs", "runbooks.md"), "\n### ")[1:] {
		section, _, _ = strings.Cut(section, "\n## ")
		heading, text, _ := strings.Cut(section, "\n")
		for _, part := range []string{"\nAlerts: `", "\n**Users notice:** ", "\n**See it:** ", "\n**Do:**"} {
			if strings.Count(text, part) != 1 {
				t.Errorf("the runbook %q does not have one part %q", heading, strings.TrimSpace(part))
			}
		}
		line := regexp.MustCompile(`(?m)^Alerts: (.*)$`).FindString(text)
		for _, found := range regexp.MustCompile("`([A-Za-z]+)`").FindAllStringSubmatch(line, -1) {
			if sections[found[1]] != "" {
				t.Errorf("two runbooks are for %s", found[1])
			}
			sections[found[1]] = anchorOf(heading)
		}
	}
	rules := strings.Split(readFile(t, "deploy", "prometheus", "filmstrip.rules.yml"), "- alert: ")[1:]
	if len(rules) != len(sections) {
		t.Errorf("there are %d alerts, and runbooks for %d", len(rules), len(sections))
	}
	for _, rule := range rules {
		name, rest, _ := strings.Cut(rule, "\n")
		if want := "\n          runbook_url: " + page + sections[name] + "\n"; sections[name] == "" || !strings.Contains("\n"+rest, want) {
			t.Errorf("the alert %s does not lead to its runbook %q", name, sections[name])
		}
	}
}
