package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/filmstrip/filmstrip/tools/internal/program"
)

const (
	accounts = 20
	// account is neither a large nor a small one. Its clients are named after it.
	account = "generated-5"
	// eventsOfPersons is how many events there are for each user of an account.
	eventsOfPersons = 10_000
	videos          = 10_000
)

// installation is a data directory of the program.
type installation struct {
	ctx          context.Context
	binary, data string
	column       []measured
}

// measure makes an installation with a number of events, measures it and removes it.
func measure(ctx context.Context, binary, folder string, events int) ([]measured, error) {
	data, err := os.MkdirTemp(folder, "filmstrip-growth-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(data) }()
	i := &installation{ctx: ctx, binary: binary, data: data}
	for _, step := range []func(events int) error{i.generate, i.count, i.ask, i.export, i.forget} {
		if err := step(events); err != nil {
			return nil, err
		}
	}
	return i.column, nil
}

// run runs a command and returns its output, its time and its processor time.
func (i *installation) run(in io.Reader, out io.Writer, args ...string) (took, processor float64, err error) {
	var problems bytes.Buffer
	command := exec.CommandContext(i.ctx, i.binary, args...)
	command.Stdin, command.Stdout, command.Stderr = in, out, &problems
	begun := time.Now()
	if err := command.Run(); err != nil {
		return 0, 0, fmt.Errorf("%v: %w: %s", args, err, problems.Bytes())
	}
	fmt.Fprintf(os.Stderr, "%s %v\n", time.Since(begun).Round(time.Millisecond), args)
	return time.Since(begun).Seconds(), (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds(), nil
}

// time adds the row of a command, without its output.
func (i *installation) time(name string, args ...string) error {
	took, processor, err := i.run(nil, nil, append(args, "--data", i.data)...)
	i.column = append(i.column, measured{name: name, value: processor, clock: took})
	return err
}

// size adds the row of a database.
func (i *installation) size(name, file string) error {
	var sum int64
	files, err := filepath.Glob(filepath.Join(i.data, file+"*"))
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		sum += info.Size()
	}
	i.column = append(i.column, measured{name: name, value: float64(sum), isBytes: true})
	return err
}

func persons(events int) int { return events / eventsOfPersons }

// generate imports a catalogue, so that plays have channels and subjects, and generates the log.
func (i *installation) generate(events int) error {
	var catalogue, result bytes.Buffer
	if _, _, err := i.run(nil, &catalogue, "generate", "--videos", strconv.Itoa(videos)); err != nil {
		return err
	}
	if _, _, err := i.run(&catalogue, nil, "import", "--data", i.data, "-"); err != nil {
		return err
	}
	if _, _, err := i.run(nil, nil, "migrate", "--data", i.data); err != nil {
		return err
	}
	_, processor, err := i.run(nil, &result, "generate", "events", "--json", "--append", "--data", i.data, "--count", strconv.Itoa(events),
		"--accounts", strconv.Itoa(accounts), "--videos", strconv.Itoa(videos), "--persons", strconv.Itoa(persons(events)), "--interactions")
	if err != nil {
		return err
	}
	var took struct{ Seconds, IndexSeconds float64 }
	if err := json.Unmarshal(result.Bytes(), &took); err != nil {
		return err
	}
	i.column = append(i.column, measured{name: "generate and index the log", value: processor, clock: took.Seconds + took.IndexSeconds})
	return i.size("size of the log", "events.db")
}

// count counts by asking for a statement, which counts the log first.
func (i *installation) count(int) error {
	if err := i.time("count", "usage", "export", "--account", account, "--month", "2025-03", "--format", "jsonl"); err != nil {
		return err
	}
	if err := i.size("size of the counts", "usage.db"); err != nil {
		return err
	}
	return i.time("verify", "usage", "verify")
}

// questions are the queries of dashboards about a year of one account.
var questions = [][2]string{
	{"total", ""}, {"by month", "interval: MONTH"}, {"by day, a page of 365", "interval: DAY, first: 365"}, {"by hour, a page of 1,000", "interval: HOUR, first: 1000"},
	{"by client", "by: [CLIENT]"}, {"by subject", "by: [SUBJECT]"}, {"by channel", "by: [CHANNEL]"},
	{"ten top videos", "by: [VIDEO], orderBy: SECONDS, first: 10"}, {"ten top users", "by: [USER], orderBy: SECONDS, first: 10"},
}

// asked is how often a query is asked. The medians count.
const asked = 7

// ask runs queries on a server.
func (i *installation) ask(int) error {
	serve := exec.CommandContext(i.ctx, i.binary, "serve", "--demo", "--no-demo-past", "--addr", "127.0.0.1:0", "--data", i.data, "--client-rate", "0", "--log-level", "error")
	serve.Stderr = os.Stderr
	server, err := program.StartServer(i.ctx, serve, &http.Client{Timeout: time.Minute}, "demo-operator", "demo-secret")
	if err != nil {
		return err
	}
	defer server.Stop()
	for _, question := range questions {
		arguments := question[1]
		if arguments != "" {
			arguments = ", " + arguments
		}
		query := fmt.Sprintf(`{ usage(from: "2025-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z", filter: {accounts: [%q]}%s) { rows { plays seconds users videos } } }`, account, arguments)
		var clocks, processors []float64
		for range asked {
			begun := time.Now()
			before, err := server.ProcessorTime()
			if err != nil {
				return err
			}
			if err := ask(i.ctx, server, query); err != nil {
				return fmt.Errorf("%s: %w", question[0], err)
			}
			after, err := server.ProcessorTime()
			if err != nil {
				return err
			}
			clocks, processors = append(clocks, time.Since(begun).Seconds()), append(processors, (after-before).Seconds())
		}
		i.column = append(i.column, measured{name: "usage of an account: " + question[0], value: program.Median(processors), clock: program.Median(clocks)})
	}
	return nil
}

// ask runs a query, which must have rows and no errors.
func ask(ctx context.Context, server *program.Server, query string) error {
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return err
	}
	request := program.Request{Method: http.MethodPost, Path: "/graphql", Token: server.Token, ContentType: "application/json", Body: body}
	answer, err := request.Send(ctx, server.Client, server.Base)
	if err != nil {
		return err
	}
	var found struct {
		Data struct {
			Usage struct {
				Rows []json.RawMessage
			}
		}
		Errors []json.RawMessage
	}
	if err := json.Unmarshal(answer.Body, &found); err != nil || len(found.Errors) > 0 || len(found.Data.Usage.Rows) == 0 {
		return fmt.Errorf("%d: %.300s", answer.Status, answer.Body)
	}
	return nil
}

func (i *installation) export(events int) error {
	if err := i.time("export the events of an account", "events", "export", "--format", "jsonl", "--account", account); err != nil {
		return err
	}
	return i.time("export a person", append([]string{"users", "export"}, somebody(events)...)...)
}

func (i *installation) forget(events int) error {
	return i.time("forget a person", append([]string{"users", "forget"}, somebody(events)...)...)
}

// somebody selects a user who watches about as much as most.
func somebody(events int) []string {
	n := persons(events)
	return []string{"--account", account, "--external", fmt.Sprintf("pupil-%d", n+n/4)}
}
