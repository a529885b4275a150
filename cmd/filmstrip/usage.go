package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/export"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

type usageCommand struct {
	Export      usageExport      `cmd:"" help:"Write an account's statement for a month, which is provisional until the month is sealed."`
	Seal        usageSeal        `cmd:"" help:"Seal a month for all accounts, after which its statements never change."`
	Void        usageVoid        `cmd:"" help:"Remove playback from counts and bills: of one event, of a client in a period, or of a video. The next statement adjusts sealed months."`
	Voids       usageVoids       `cmd:"" help:"List voids, the newest first."`
	Unvoid      usageUnvoid      `cmd:"" help:"Undo a void, which restores its playback."`
	Digests     usageDigests     `cmd:"" help:"Print the digests of sealed months, one JSON line each, for publication."`
	Verify      usageVerify      `cmd:"" help:"Count all events again and compare them with counts and statements; exits with status 1 if anything differs."`
	SkipDropped usageSkipDropped `cmd:"" help:"Continue counting after events that retention dropped before they were counted; no bill contains these events."`
	SkipDamaged usageSkipDamaged `cmd:"" help:"Skip events of the log that cannot be read because their rows are damaged. No bill contains them. The command refuses readable events."`
	Recount     usageRecount     `cmd:"" help:"Count all events again and replace the counts with the result; seals and statements stay. The command resumes an interrupted recount."`
}

// used is the common part of the commands that use the stores.
type used struct {
	Data              string `help:"The directory of SQLite's files (${default})." placeholder:"DIR" default:"data" group:"Stores:"`
	app.StoreSettings `group:"Stores:"`
}

// use contains the open stores and their counter.
type use struct {
	*app.Stores
	counter *counting.Counter
	// personKey is the key of pseudonyms. It is nil if pseudonyms were never enabled.
	personKey []byte
}

// open opens existing stores. A server may run on them: each event is counted once, by whichever process reaches it
// first.
func (c *used) open(ctx context.Context) (*use, error) {
	if err := c.StoreSettings.Check(); err != nil {
		return nil, err
	}
	for _, file := range []string{app.CatalogueFile, app.AccountsFile, app.EventsFile, app.UsageFile} {
		if err := c.MustExist(c.Data, file); err != nil {
			return nil, err
		}
	}
	opened, err := c.StoreSettings.Open(ctx, c.Data, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	keys, err := opened.Accounts.Keys(ctx, app.PersonKeys)
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return &use{
		Stores: opened, personKey: app.FirstSecret(keys),
		counter: counting.New(counting.Options{Log: opened.Events, Usage: opened.Usage, Catalogue: opened.Catalogue}),
	}, nil
}

// ask runs one operation of the schema and returns the value of its one root field.
func (u *use) ask(ctx context.Context, operation string, variables input) (json.RawMessage, error) {
	return u.askAs(ctx, atCommandLine(), operation, variables)
}

func (u *use) askAs(ctx context.Context, caller *account.Caller, operation string, variables input) (json.RawMessage, error) {
	schema := resolvers.NewSchema(resolvers.Config{
		Registry: u.Accounts, SignIns: u.Accounts, Clock: u.Events.ClockRecord,
		Usage: u.Usage, Statements: u.counter, Persons: u.Recorder.Persons(u.counter), Voids: u.Recorder.Voids(u.counter), PersonKey: u.personKey,
	})
	return execute(account.WithCaller(ctx, caller), schema, operation, variables)
}

// using opens the stores and calls work.
func (c *used) using(ctx context.Context, work func(u *use) error) (err error) {
	u, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, u.Close()) }()
	return work(u)
}

// with opens the stores, counts the remaining events, and calls work.
func (c *used) with(ctx context.Context, work func(u *use) error) error {
	return c.using(ctx, func(u *use) error {
		if err := u.counter.CatchUp(ctx); err != nil {
			return err
		}
		return work(u)
	})
}

type usageExport struct {
	used
	Account string      `required:"" help:"The account."`
	Month   usage.Month `required:"" help:"The month, such as 2026-10."`
	Format  string      `enum:"csv,jsonl,parquet" default:"jsonl" help:"The output format: csv, jsonl or parquet (docs/exports.md)."`
	Output  string      `help:"The output file instead of standard output; it appears once it is complete." placeholder:"FILE"`
}

// Run writes one statement.
func (c *usageExport) Run(ctx context.Context, console console) error {
	if err := console.checkFormat(c.Format); err != nil {
		return err
	}
	return c.with(ctx, func(u *use) error {
		statement, err := u.counter.Statement(ctx, c.Account, c.Month)
		if err != nil {
			return err
		}
		if len(statement.Lines) == 0 { // a misspelled ID has no lines either
			if err := checkAccount(ctx, u.ask, c.Account); err != nil {
				return err
			}
		}
		return writeOutput(console, c.Output, func(w io.Writer) error {
			return export.Statements(w, export.Format(c.Format), []usage.Statement{statement})
		})
	})
}

type usageSeal struct {
	used
	Month usage.Month `required:"" help:"The month, such as 2026-10."`
	Force bool        `help:"Seal even if the month ended less than seven days ago, or does not follow the last sealed month; skipped months cannot be sealed any more."`
}

// Run seals, lists the statements, and prints the digest to publish.
func (c *usageSeal) Run(ctx context.Context, console console) error {
	return c.with(ctx, func(u *use) error {
		answer, err := u.ask(ctx, `mutation($month: Month!, $force: Boolean!) {
			sealMonth(month: $month, force: $force) { account plays seconds checksum } }`, input{"month": c.Month, "force": c.Force})
		if err != nil {
			return err
		}
		var statements []json.RawMessage
		if err := json.Unmarshal(answer, &statements); err != nil {
			return err
		}
		digest, err := u.digestOf(ctx, c.Month)
		if err != nil {
			return fmt.Errorf("%s is sealed, but its digest cannot be read: %w; filmstrip usage digests --month %s prints it", c.Month, err, c.Month)
		}
		result := struct {
			Seal       usage.SealDigest  `json:"seal"`
			Statements []json.RawMessage `json:"statements"`
		}{digest, statements}
		return console.print(result, func(w io.Writer) error {
			if err := printTable(w, []string{"account", "plays", "seconds", "checksum"}, statements); err != nil {
				return err
			}
			if _, err := io.WriteString(w, "Publish the digest of this seal (docs/usage.md):\n"); err != nil {
				return err
			}
			return json.NewEncoder(w).Encode(digest)
		})
	})
}

// digestOf returns the digest of a sealed month.
func (u *use) digestOf(ctx context.Context, month usage.Month) (usage.SealDigest, error) {
	digests, err := u.counter.Digests(ctx)
	if err != nil {
		return usage.SealDigest{}, err
	}
	at := slices.IndexFunc(digests, func(d usage.SealDigest) bool { return d.Month == month })
	if at < 0 {
		return usage.SealDigest{}, fmt.Errorf("%s is not sealed", month)
	}
	return digests[at], nil
}

type usageDigests struct {
	used
	Month *usage.Month `help:"Only the digest of this month, such as 2026-10."`
}

// Run prints digests as JSON lines.
func (c *usageDigests) Run(ctx context.Context, console console) error {
	return c.using(ctx, func(u *use) error {
		digests, err := u.counter.Digests(ctx)
		if err != nil {
			return err
		}
		if c.Month != nil {
			one, err := u.digestOf(ctx, *c.Month)
			if err != nil {
				return err
			}
			digests = []usage.SealDigest{one}
		}
		encoder := json.NewEncoder(console.out)
		for _, digest := range digests {
			if err := encoder.Encode(digest); err != nil {
				return err
			}
		}
		return nil
	})
}

type usageVerify struct {
	used
	Against string `help:"Also compare all seals and statements with published digests: JSON lines in a file, at an http or https address, or on standard input (-)." placeholder:"FILE|URL"`
}

// Run prints the comparisons and the differences. Its exit status is 1 if anything differs, and 2 after any other
// error.
func (c *usageVerify) Run(ctx context.Context, console console) error {
	var report counting.Report
	var published []usage.PublishedDigest
	var err error
	if c.Against != "" {
		published, err = readDigests(ctx, c.Against, console)
	}
	if err == nil {
		err = c.with(ctx, func(u *use) (err error) {
			if report, err = u.counter.Verify(ctx); err != nil || c.Against == "" {
				return err
			}
			return u.counter.VerifyAgainst(ctx, &report, published)
		})
	}
	if err == nil {
		err = console.printf(reportOf(&report), "%s", strings.Join(append(report.Lines(), ""), "\n"))
	}
	switch {
	case err != nil:
		return statusError(console.fail(err, 2))
	case !report.Agrees():
		return statusError(1)
	}
	return nil
}

// verifyReport is a report in JSON. Differences are the first hundred.
type verifyReport struct {
	Agrees      bool           `json:"agrees"`
	From        event.Position `json:"after"`
	UpTo        event.Position `json:"upTo"`
	Events      int64          `json:"events"`
	Plays       int64          `json:"plays"`
	Skipped     int64          `json:"omittedAsDamaged"`
	Sums        int            `json:"sums"`
	Statements  int            `json:"statements"`
	Unchecked   []string       `json:"notFullyCompared"`
	Published   int            `json:"publishedDigests"`
	Unpublished []string       `json:"sealedAndNotPublished"`
	Different   int            `json:"different"`
	Differences []string       `json:"differences"`
}

func reportOf(report *counting.Report) verifyReport {
	out := verifyReport{
		Agrees: report.Agrees(), From: report.From, UpTo: report.UpTo, Events: report.Events, Plays: report.Plays, Skipped: report.Skipped,
		Sums: report.Sums, Statements: report.Statements, Unchecked: texts(report.Unchecked), Published: report.Published,
		Unpublished: texts(report.Unpublished), Different: report.Different, Differences: texts(report.Differences),
	}
	return out
}

// texts returns the values as people read them.
func texts[T any](values []T) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = fmt.Sprint(value)
	}
	return out
}

type usageRecount struct {
	used
	Anew bool `help:"Do not resume an interrupted recount: begin with the first event."`
}

// Run counts the log again from its start.
func (c *usageRecount) Run(ctx context.Context, console console) error {
	return c.using(ctx, func(u *use) error {
		if c.Anew {
			if err := u.counter.DiscardRecount(ctx); err != nil {
				return err
			}
		}
		if err := u.counter.Recount(ctx); err != nil {
			return err
		}
		if err := u.counter.CatchUp(ctx); err != nil {
			return err
		}
		progress, err := u.Usage.Progress(ctx)
		if err != nil {
			return err
		}
		skipped, err := u.Events.Skipped(ctx)
		if err != nil {
			return err
		}
		text := fmt.Sprintf("counted up to event %d\n", progress.Position)
		if len(skipped) > 0 {
			text += fmt.Sprintf("omitted as damaged: %d events (usage skip-damaged)\n", len(skipped))
		}
		result := struct {
			UpTo    event.Position `json:"upTo"`
			Skipped int            `json:"omittedAsDamaged"`
		}{progress.Position, len(skipped)}
		return console.printf(result, "%s", text)
	})
}

type usageSkipDropped struct{ used }

// Run continues counting after the dropped events, and prints the events that no bill contains.
func (c *usageSkipDropped) Run(ctx context.Context, console console) error {
	return c.using(ctx, func(u *use) error {
		after, upTo, err := u.counter.SkipDropped(ctx)
		if err != nil {
			return err
		}
		result := struct {
			After event.Position `json:"after"`
			UpTo  event.Position `json:"upTo"`
		}{after, upTo}
		if after == upTo {
			return console.printf(result, "no event was dropped before it was counted\n")
		}
		if err := u.counter.CatchUp(ctx); err != nil {
			return err
		}
		return console.printf(result, "no bill contains the dropped events after %d, up to %d\n", after, upTo)
	})
}
