package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// report collects the times of answers, and errors.
type report struct {
	mu     sync.Mutex
	minute map[string][]time.Duration
	whole  map[string][]time.Duration
	errors int
}

// maxPrinted is how many errors are printed.
const maxPrinted = 20

func (r *report) add(kind string, took time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.minute[kind] = append(r.minute[kind], took)
	if err == nil {
		return
	}
	if r.errors++; r.errors <= maxPrinted {
		fmt.Fprintln(os.Stderr, kind+":", err)
	}
}

// failed returns the number of errors so far.
func (r *report) failed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.errors
}

// next ends a minute and returns its times.
func (r *report) next() map[string][]time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	minute := r.minute
	for kind, times := range minute {
		r.whole[kind] = append(r.whole[kind], times...)
	}
	r.minute = map[string][]time.Duration{}
	return minute
}

// soak runs the load, and returns what is wrong with the server, "" if nothing is.
func soak(ctx context.Context, s settings, out io.Writer) (problem string, err error) {
	folder, err := os.MkdirTemp(s.folder, "filmstrip-soak-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	server, err := startServer(ctx, s, folder)
	if err != nil {
		return "", err
	}
	defer server.log.Close()
	defer server.Stop()
	l := &load{
		base: server.Base, seed: s.seed, report: &report{minute: map[string][]time.Duration{}, whole: map[string][]time.Duration{}},
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}},
	}
	if err := l.prepare(ctx, s); err != nil {
		return "", err
	}
	kinds := l.kinds(s.load)
	write(out, append([]string{"minute", "resident", "most", "files", "Go", "heap", "busy", "requests", "errors"}, names(kinds)...))
	loading, stop := context.WithCancel(ctx)
	defer stop()
	begun := time.Now()
	elapsed := func() int { return int(time.Since(begun) / time.Minute) }
	done := make(chan struct{})
	go func() {
		l.run(loading, kinds, func() bool { return elapsed()%10 == 1 })
		close(done)
	}()
	var last memory
	clock := time.NewTicker(time.Minute)
	defer clock.Stop()
	for minute := 1; minute <= s.minutes && ctx.Err() == nil; minute++ {
		before, err := server.ProcessorTime()
		if err != nil {
			return "", err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-clock.C:
		}
		if last, err = server.memory(ctx); err != nil {
			return "", err
		}
		after, err := server.ProcessorTime()
		if err != nil {
			return "", err
		}
		times := l.report.next()
		write(out, append([]string{fmt.Sprint(minute), mebibytes(last.Resident), mebibytes(last.Most), mebibytes(last.Files), mebibytes(last.goes), mebibytes(last.heap), fmt.Sprintf("%.2f", (after - before).Minutes())}, cells(kinds, times, l.report.failed())...))
		if minute%10 == 5 {
			if err := l.renew(ctx); err != nil {
				return "", err
			}
		}
	}
	stop()
	<-done
	write(out, append([]string{"all", mebibytes(last.Resident), mebibytes(last.Most), "", "", "", ""}, cells(kinds, l.report.whole, l.report.errors)...))
	switch {
	case last.Most > int64(s.memory)*mebibyte:
		return fmt.Sprintf("the server took %s of %d MiB", mebibytes(last.Most), s.memory), nil
	case l.report.errors > 0:
		return fmt.Sprintf("%d answers were errors", l.report.errors), nil
	}
	return "", nil
}

func mebibytes(bytes int64) string { return fmt.Sprint(bytes / mebibyte) }

// cells returns the numbers of requests and errors, and the median and 99th percentile of each kind in milliseconds.
func cells(kinds []kind, times map[string][]time.Duration, errors int) []string {
	requests := 0
	row := make([]string, 2, 2+len(kinds))
	for _, k := range kinds {
		sorted := slices.Sorted(slices.Values(times[k.name]))
		requests += len(sorted)
		if len(sorted) == 0 {
			row = append(row, "")
			continue
		}
		at := func(q int) float64 { return sorted[(len(sorted)-1)*q/100].Seconds() * 1000 }
		row = append(row, fmt.Sprintf("%.3g, %.3g", at(50), at(99)))
	}
	row[0], row[1] = fmt.Sprint(requests), fmt.Sprint(errors)
	return row
}

// write writes a row of a table in Markdown.
func write(out io.Writer, row []string) { fmt.Fprintln(out, "| "+strings.Join(row, " | ")+" |") }
