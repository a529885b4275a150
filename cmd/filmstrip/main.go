// Filmstrip is a catalogue server for educational video. One program contains the server and the commands that an
// operator runs beside it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"github.com/filmstrip/filmstrip/internal/app"
)

func main() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(app.GCPercent)
	}
	ctx, stop := untilSignal(context.Background())
	status := realMain(ctx, console{in: os.Stdin, out: os.Stdout, err: os.Stderr, alone: true}, os.Args[1:], os.Environ())
	stop()
	os.Exit(status)
}

// untilSignal returns a context that ends with a signal to stop. SIGHUP stays ignored under nohup.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signal.NotifyContext(ctx, signals...)
}

// commands are the sub-commands. A field's tags are its flag, its help and its default. The tag plain marks commands that
// print no result, so --json has nothing to select. The tag min is the minimum of a number or duration.
type commands struct {
	Config string `help:"A YAML file of settings; flags and variables override it." placeholder:"FILE" type:"path" group:"All commands:"`
	JSON   bool   `name:"json" help:"Print results as JSON on standard output, and messages as JSON lines on standard error." group:"All commands:"`

	Serve        serveCommand        `cmd:"" plain:"" help:"Serve the catalogue over HTTP."`
	ServeJQ      serveJQCommand      `cmd:"" plain:"" name:"serve-jq" hidden:"" help:"Run the jq program of an import, which starts this command itself."`
	Import       importCommand       `cmd:"" help:"Import catalogue lines, or data of any other format, into the catalogue."`
	Generate     generateCommand     `cmd:"" help:"Generate a synthetic catalogue as import lines, or events for it."`
	Reindex      reindexCommand      `cmd:"" help:"Rebuild the search index from the store; a running server continues to answer."`
	Migrate      migrateCommand      `cmd:"" help:"Migrate the schemas of the stores and show the steps."`
	Backup       backupCommand       `cmd:"" help:"Back up SQLite's files to a folder, consistent and verified, also while a server runs."`
	Restore      restoreCommand      `cmd:"" help:"Restore a backup, without data that was forgotten, revoked or voided since."`
	Accounts     accountsCommand     `cmd:"" help:"Administer accounts: customers, and the operator's own."`
	Clients      clientsCommand      `cmd:"" help:"Administer clients and their secrets."`
	Users        usersCommand        `cmd:"" help:"Administer users."`
	Events       eventsCommand       `cmd:"" help:"Export events."`
	Usage        usageCommand        `cmd:"" help:"Export usage statements, seal months, and verify counts."`
	Invoices     invoicesCommand     `cmd:"" help:"List, draft, issue and export invoices."`
	Clock        clockCommand        `cmd:"" help:"Show and confirm the state of the servers' wall clocks, which decide when old data is deleted."`
	Videos       videosCommand       `cmd:"" help:"List videos."`
	Subjects     subjectsCommand     `cmd:"" help:"List subjects."`
	Channels     channelsCommand     `cmd:"" help:"List channels."`
	Searches     searchesCommand     `cmd:"" help:"Report searches, their results and clicks."`
	Owner        ownerCommand        `cmd:"" help:"Invite owners of the console."`
	Staff        staffCommand        `cmd:"" help:"Administer the roles of the operator's staff."`
	Tiers        tiersCommand        `cmd:"" help:"Administer tiers, which set what accounts may do."`
	Packages     packagesCommand     `cmd:"" help:"Administer content packages, which set what accounts see."`
	Policy       policyCommand       `cmd:"" help:"Administer the policy for all tokens and clients."`
	Audit        auditCommand        `cmd:"" help:"Show the audit log."`
	Deprecations deprecationsCommand `cmd:"" help:"List deprecated parts of the API and the clients that use them, and set sunsets."`
	Keys         keysCommand         `cmd:"" help:"Rotate the keys that sign tokens."`
	OpenAPI      openapiCommand      `cmd:"" name:"openapi" help:"Print the OpenAPI document of the service."`
	Completion   completionCommand   `cmd:"" plain:"" help:"Show how to turn on the completion of commands and flags in a shell, or print the code for it."`
	Man          manCommand          `cmd:"" plain:"" help:"Print the manual page of all commands, in roff."`
	Version      versionCommand      `cmd:"" help:"Print the version."`
}

// statusError ends the program with a certain exit status.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// realMain runs one command and returns its exit status: 0, 1 after an error, 2 after wrong usage, or another one that
// the command documents.
// environment has the form of os.Environ.
func realMain(ctx context.Context, console console, args, environment []string) (status int) {
	args = expandArguments(args)
	console.json = slices.Contains(args, "--json") // also in errors before the arguments are parsed
	settings, err := loadSettings(args, variablesOf(environment))
	if err != nil {
		return console.fail(err, 2)
	}
	var all commands
	exited := -1
	parser, err := kong.New(&all,
		kong.Name("filmstrip"),
		kong.Description("A catalogue server for educational video.\n\nEvery flag may also be a variable (FILMSTRIP_BASE_URL) or a line of the settings file (base-url: …); a flag overrides a variable, and a variable overrides the file. \"filmstrip help COMMAND\" shows the flags of a command."),
		kong.Resolvers(settings),
		kong.Writers(console.out, console.err),
		kong.Exit(func(code int) { exited = code; panic(exit{}) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err != nil {
		return console.fail(err, 2)
	}
	defer func() {
		if panicked := recover(); panicked != nil {
			if _, ok := panicked.(exit); !ok {
				panic(panicked)
			}
			status = exited
		}
	}()
	if console.alone {
		kongcompletion.Register(parser) // answers the shell if it asks for completions
	}
	parsed, err := parser.Parse(args)
	if err == nil {
		console.json = all.JSON
		err = errors.Join(settings.check(parsed), checkMinimums(parsed), checkJSON(parsed, all.JSON))
	}
	if err != nil {
		return console.fail(err, 2)
	}
	err = parsed.Run(console)
	var own statusError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &own):
		return int(own)
	}
	return console.fail(err, 1)
}

// checkJSON refuses --json for a command that prints no result.
func checkJSON(parsed *kong.Context, asJSON bool) error {
	if node := parsed.Selected(); asJSON && node != nil && node.Tag.Has("plain") {
		return fmt.Errorf("--json: %s prints no result", node.FullPath())
	}
	return nil
}

// expandArguments replaces two customary forms: help COMMAND by COMMAND --help, and --version by the command version,
// because a command has a flag of that name.
func expandArguments(args []string) []string {
	switch {
	case len(args) > 0 && args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	}
	return args
}

// exit unwinds realMain after kong has printed help.
type exit struct{}
