package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/muesli/roff"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/importer"
)

// shownFaults is the number of faults that an import prints. It counts all.
const shownFaults = 1000

type importCommand struct {
	used
	JQ           string        `name:"jq" help:"A file with a jq program that turns each foreign record into catalogue lines." placeholder:"PROGRAM-FILE"`
	JQMemory     int64         `name:"jq-memory" help:"Memory of each process of the jq program, in MiB; there is one process for each processor." default:"512" min:"256"`
	JQTime       time.Duration `name:"jq-time" help:"The time that the jq program may take for one record." default:"10s" min:"1s"`
	Strict       bool          `help:"Import everything, or nothing if any line is rejected."`
	DryRun       bool          `help:"Write nothing: report what the run would add, change, reject and delete, and each field that would change."`
	Prune        bool          `help:"After the import, delete items of the same sources that the lines do not mention."`
	PruneLimit   int           `help:"The share of the items of one kind, in percent, that --prune may delete without --confirm-prune; it may always delete ten." default:"10" placeholder:"PERCENT" min:"1"`
	ConfirmPrune bool          `help:"Let --prune delete any number of items."`
	Files        []string      `arg:"" name:"file" help:"Files of JSON lines (docs/import.md); - is standard input."`
}

// Run imports. Its exit status is 0 if every line was imported, 1 if some were rejected, and 2 after any other error.
func (c *importCommand) Run(ctx context.Context, console console) error {
	failed := func(err error) error {
		return statusError(console.fail(err, importer.ExitFailed))
	}
	if console.alone {
		yieldProcessor()
	}
	if err := c.StoreSettings.Check(); err != nil {
		return failed(err)
	}
	if c.PruneLimit > 100 {
		return failed(fmt.Errorf("--prune-limit %d is above 100", c.PruneLimit))
	}
	translator, err := importer.JQCommand(serveJQName)
	if err != nil {
		return failed(err)
	}
	inputs, err := importer.Files(c.Files, console.in)
	if err != nil {
		return failed(err)
	}
	var program []byte
	if c.JQ != "" {
		if program, err = os.ReadFile(c.JQ); err != nil {
			return failed(err)
		}
	}
	stores, err := c.StoreSettings.Open(ctx, c.Data, slog.New(slog.DiscardHandler))
	if err != nil {
		return failed(err)
	}
	defer func() { _ = stores.Close() }() // everything imported is committed
	progress := console.progress()
	summary, err := importer.Run(ctx, stores.Catalogue, importer.Options{
		Inputs: inputs, JQ: string(program), JQName: c.JQ, JQCommand: translator, JQMemory: c.JQMemory << 20, JQTime: c.JQTime,
		Strict: c.Strict, DryRun: c.DryRun, Prune: c.Prune, PruneLimit: c.PruneLimit, ConfirmPrune: c.ConfirmPrune,
		Collections: stores.ImportCollections(),
		Client:      account.CommandLine, User: systemUser(), Progress: progress, Report: progress.Report,
	})
	if writeErr := console.printf(summaryOf(&summary), "%s", summary); writeErr != nil {
		return failed(writeErr)
	}
	if err != nil {
		return failed(err)
	}
	if status := importer.ExitStatus(summary, nil); status != 0 {
		return statusError(status)
	}
	return nil
}

// importSummary is the summary of an import in JSON. Names of kinds are those of import lines.
type importSummary struct {
	Total           importer.Counts                    `json:"total"`
	Kinds           map[catalogue.Kind]importer.Counts `json:"kinds"`
	Undone          bool                               `json:"nothingWritten"`
	DryRun          bool                               `json:"dryRun,omitempty"`
	PruneRefused    string                             `json:"pruneRefused,omitempty"`
	CollectionsKept string                             `json:"collectionsKept,omitempty"`
	Hidden          int                                `json:"hiddenVideosLeftOut"`
	Held            int                                `json:"heldValues"`
	NoReplacement   int                                `json:"missingReplacements"`
	Seconds         float64                            `json:"seconds"`
}

func summaryOf(s *importer.Summary) importSummary {
	kinds := s.ByKind
	if kinds == nil { // the run did not begin
		kinds = map[catalogue.Kind]importer.Counts{}
	}
	return importSummary{
		Total: s.Counts, Kinds: kinds, Undone: s.Undone || s.DryRun, DryRun: s.DryRun, PruneRefused: s.PruneRefused,
		CollectionsKept: s.CollectionsKept, Hidden: s.Hidden, Held: s.Held, NoReplacement: s.MissingReplacements, Seconds: s.Elapsed.Seconds(),
	}
}

// serveJQName is the command that import starts for the jq program.
const serveJQName = "serve-jq"

type serveJQCommand struct{}

// Run runs the jq program of an import.
func (serveJQCommand) Run(ctx context.Context, console console) error {
	return importer.ServeJQ(ctx, console.in, console.out)
}

type generateCommand struct {
	Catalogue generateCatalogueCommand `cmd:"" default:"withargs" help:"Generate a catalogue as import lines (default)."`
	Events    generateEventsCommand    `cmd:"" help:"Generate events for such a catalogue, as batches for the API or directly in an event log."`
}

type generateCatalogueCommand struct {
	Videos          int    `help:"The number of videos." required:"" min:"0"`
	Seed            uint64 `help:"Selects one of many catalogues of the same size." default:"1"`
	TranscriptWords int    `help:"The mean length of a transcript in words; 0 means no transcripts." default:"0" placeholder:"WORDS" min:"0"`
	Material        bool   `help:"Also generate captions, learning material and highlights of some videos, curricula, phrases, synonyms and legal restrictions."`
	Schools         int    `help:"The number of schools; every ten schools have a district." default:"0" min:"0"`
}

// Run writes the catalogue to standard output.
func (c *generateCatalogueCommand) Run(console console) error {
	return generate.Write(console.out, generate.Options{
		Videos: c.Videos, Seed: c.Seed, TranscriptWords: c.TranscriptWords, Material: c.Material, Schools: c.Schools,
	})
}

type migrateCommand struct {
	used
}

// Run migrates the stores and lists the steps.
func (c *migrateCommand) Run(ctx context.Context, console console) error {
	if err := c.StoreSettings.Check(); err != nil {
		return err
	}
	steps, err := c.StoreSettings.Migrate(ctx, c.Data)
	if err != nil {
		return err
	}
	return console.print(steps, func(w io.Writer) error {
		return writeTable(w, func(w io.Writer) {
			for _, step := range steps {
				when := "applied before"
				if step.Now {
					when = "applied now"
				}
				fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", step.Of, step.Version, step.Name, when)
			}
		})
	})
}

// completionCommand prints the code with which a shell asks this program for completions.
type completionCommand struct{ kongcompletion.Completion }

type manCommand struct{}

// Run prints the manual page.
func (manCommand) Run(parsed *kong.Context, console console) error {
	_, err := fmt.Fprint(console.out, mangokong.NewManPage(1, parsed.Model).Build(roff.NewDocument()))
	return err
}

type versionCommand struct{}

// Run prints the release, the commit that the program was built from, and Go's version.
func (versionCommand) Run(console console) error {
	return console.printf(map[string]string{"release": app.Release, "version": app.Version()}, "filmstrip %s\n", app.Version())
}
