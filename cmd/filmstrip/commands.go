package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"text/tabwriter"
	"time"

	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// shownFaults is how many faults an import prints; all are counted.
const shownFaults = 1000

type importCommand struct {
	Data   string   `help:"The directory of the stores (${default})." placeholder:"DIR" default:"data"`
	JQ     string   `name:"jq" help:"A file with a jq program that turns each foreign record into catalogue lines." placeholder:"PROGRAM-FILE"`
	Strict bool     `help:"Import everything, or nothing where any line is rejected."`
	Prune  bool     `help:"Afterwards delete what came from the same sources before and was not among the lines."`
	Files  []string `arg:"" name:"file" help:"Files of JSON lines (docs/import.md); - is standard input."`
}

// Run imports; its exit status is 0 where every line is in, 1 where some were rejected, 2 where it
// could not be done.
func (c *importCommand) Run(ctx context.Context, console console) error {
	failed := func(err error) error {
		fmt.Fprintln(console.err, "filmstrip:", err)
		return statusError(importer.ExitFailed)
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
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return failed(err)
	}
	catalogue, err := sqlite.OpenCatalogue(ctx, filepath.Join(c.Data, catalogueFile))
	if err != nil {
		return failed(err)
	}
	defer catalogue.Close()
	progress := progressOn(console.err)
	summary, err := importer.Run(ctx, catalogue, importer.Options{
		Inputs: inputs, JQ: string(program), JQName: c.JQ, Strict: c.Strict, Prune: c.Prune,
		Progress: progress, Report: progress.Report,
	})
	if _, writeErr := fmt.Fprint(console.out, summary); writeErr != nil {
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

// progressOn shows a run on a terminal as a bar, elsewhere as lines.
func progressOn(w io.Writer) importer.Console {
	if file, ok := w.(*os.File); ok {
		return importer.ConsoleOn(file, shownFaults)
	}
	return importer.NewPlainLines(w, shownFaults, 5*time.Second)
}

type generateCommand struct {
	Videos          int    `help:"How many videos." required:""`
	Seed            uint64 `help:"Chooses one of many catalogues of the same size." default:"1"`
	TranscriptWords int    `help:"The mean length of a transcript in words; 0: none." default:"0" placeholder:"WORDS"`
}

// Run writes to standard output.
func (c *generateCommand) Run(console console) error {
	if c.Videos < 0 || c.TranscriptWords < 0 {
		return fmt.Errorf("--videos %d, --transcript-words %d: neither can be below 0", c.Videos, c.TranscriptWords)
	}
	return generate.Write(console.out, generate.Options{
		Videos: c.Videos, Seed: c.Seed, TranscriptWords: c.TranscriptWords,
	})
}

type migrateCommand struct {
	Data string `help:"The directory of the stores (${default})." placeholder:"DIR" default:"data"`
}

// Run migrates both stores and lists the steps.
func (c *migrateCommand) Run(ctx context.Context, console console) error {
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return err
	}
	table := tabwriter.NewWriter(console.out, 0, 0, 2, ' ', 0)
	for _, file := range []struct {
		name    string
		migrate func(context.Context, string) ([]sqlite.Migration, error)
	}{{catalogueFile, sqlite.MigrateCatalogue}, {accountsFile, sqlite.MigrateAccounts}} {
		steps, err := file.migrate(ctx, filepath.Join(c.Data, file.name))
		if err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
		for _, step := range steps {
			when := "applied before"
			if step.Now {
				when = "applied now"
			}
			fmt.Fprintf(table, "%s\t%d\t%s\t%s\n", file.name, step.Version, step.Name, when)
		}
	}
	return table.Flush()
}

type versionCommand struct{}

// Run prints the version that the build carries.
func (versionCommand) Run(console console) error {
	_, err := fmt.Fprintln(console.out, "filmstrip", version())
	return err
}

// version is the module's version, or the commit that the program was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	text := info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && text == "(devel)" {
			text += " " + setting.Value
		}
	}
	return text + " " + info.GoVersion
}
