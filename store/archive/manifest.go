package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// ManifestName is the name of the manifest among the files of an archive.
const ManifestName = "manifest.json"

// manifestFormat is the Format of the manifests that this release writes and reads.
const manifestFormat = 1

// Manifest says which events the archive holds, and in which files. It changes as a whole, in one step, and only from the
// version that the writer has read.
type Manifest struct {
	Format int `json:"format"`
	// Version counts the manifests.
	Version int64 `json:"version"`
	// Before and Through bound what was moved: all events that were received before the month and are at or before the
	// position. Readers find these events here alone, even if the log still has them.
	Before  usage.Month    `json:"before,omitzero"`
	Through event.Position `json:"through"`
	// Dropped is the last position of an event that retention has removed from the archive, or had removed from the log
	// when a month was last moved.
	Dropped event.Position `json:"dropped"`
	Months  []Month        `json:"months"`
}

// Month lists the files with the events that were received in a month.
type Month struct {
	Month  usage.Month `json:"month"`
	Events int64       `json:"events"`
	Files  []Part      `json:"files"`
	// Videos are the files that list, for each video, the files with its events: one for each move.
	Videos []Index `json:"videos"`
}

// Index is a file that lists files by video.
type Index struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Part is one file of events, in the order of positions.
type Part struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Events int64  `json:"events"`
	// Account is the account of all events; null: the events of several accounts, or of none.
	Account *string `json:"account"`
	// The file has the persons whose hash modulo Of is Part, and a share of the events without a person.
	Part int `json:"part"`
	Of   int `json:"of"`
	// Erased: it also has random persons, to whom Erase assigned events; their hashes differ.
	Erased bool `json:"erased,omitempty"`
	// First and Last are the first and the last position. From and To are the first and the last time of receipt.
	First event.Position `json:"first"`
	Last  event.Position `json:"last"`
	From  event.Instant  `json:"from"`
	To    event.Instant  `json:"to"`
	// Addresses: some events have a network address.
	Addresses bool `json:"addresses,omitempty"`
}

// names returns the names of all files of the manifest.
func (m *Manifest) names() map[string]bool {
	names := map[string]bool{}
	for _, month := range m.Months {
		for _, part := range month.Files {
			names[part.Name] = true
		}
		for _, index := range month.Videos {
			names[index.Name] = true
		}
	}
	return names
}

// next returns a copy of the manifest with the next version. Its months may be changed.
func (m *Manifest) next() *Manifest {
	next := *m
	next.Format, next.Version, next.Months = manifestFormat, m.Version+1, slices.Clone(m.Months)
	return &next
}

// droppedWith returns the result of Events.Dropped, from that of the log. A position up to Through was dropped from the log
// because its events were moved, or Dropped knows of it.
func (m *Manifest) droppedWith(log event.Position) event.Position {
	if log > m.Through {
		return max(m.Dropped, log)
	}
	return m.Dropped
}

// moved reports whether an event of the log is among those that were moved.
func (m *Manifest) moved(e *event.Event) bool {
	return e.Position <= m.Through && usage.MonthOf(e.Received).Before(m.Before)
}

// state is a manifest as it is stored. It does not change.
type state struct {
	*Manifest
	tag string
}

// load returns the current manifest; that of an archive to which no events have moved is empty.
func (e *Events) load(ctx context.Context) (*state, error) {
	known := e.known.Load()
	content, tag, err := e.files.Get(ctx, ManifestName, known.tag)
	switch {
	case errors.Is(err, ErrMissing):
		return e.first(ctx)
	case err != nil:
		return nil, e.unavailable("the manifest cannot be read", err)
	case content == nil:
		return known, nil
	}
	read := &Manifest{}
	if err := json.Unmarshal(content, read); err != nil {
		return nil, e.unavailable("the manifest is damaged; restore the file "+ManifestName+" from a copy", err)
	}
	if read.Format != manifestFormat {
		return nil, e.unavailable("the manifest cannot be read", fmt.Errorf("its format is %d, and this release reads format %d", read.Format, manifestFormat))
	}
	now := &state{read, tag}
	e.known.Store(now)
	return now, nil
}

// first returns the empty manifest of an archive that has none. Without the manifest, the events that have moved would be taken for
// dropped ones.
func (e *Events) first(ctx context.Context) (*state, error) {
	begun := e.known.Load().Through > 0
	if !begun && e.begun != nil {
		var err error
		if begun, err = e.begun(ctx); err != nil {
			return nil, err
		}
	}
	if begun {
		return nil, e.unavailable("the file "+ManifestName+" is missing, and events have moved to the archive; mount its disk, correct --archive, or restore the archive from a copy", ErrMissing)
	}
	return &state{Manifest: &Manifest{}}, nil
}

// publish replaces a manifest. The error is ErrChanged if another process has replaced it before.
func (e *Events) publish(ctx context.Context, before *state, m *Manifest) error {
	content, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	tag, err := e.files.Replace(ctx, ManifestName, append(content, '\n'), before.tag)
	if errors.Is(err, ErrChanged) {
		return err
	}
	if err != nil {
		return e.unavailable("the manifest cannot be written", err)
	}
	e.known.Store(&state{m, tag})
	return nil
}

// unavailable returns an error of code Unavailable: a lost file of the archive must not look like a damaged row of the log,
// which an operator could skip.
func (e *Events) unavailable(what string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &fault.Error{Code: fault.Unavailable, Message: "the archive of the event log is unavailable", Cause: fmt.Errorf("%s: %s: %w", e.files, what, err)}
}

// name returns a name for a new file. It contains the version of the manifest from which its writer starts: once a newer
// manifest exists that does not list the file, nobody will ever list it.
func name(folder, kind string, base int64, random string) string {
	return fmt.Sprintf("%s/%s-%d-%s.parquet", folder, kind, base, strings.ToLower(random))
}

// named matches what name returns.
var named = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}/(?:[^/]+-p[0-9]{2,}|videos)-([0-9]+)-[a-z2-7]{10}\.parquet$`)

// baseOf returns the version in a name. Other files in the place of the archive are not ours: analysts may keep theirs there.
func baseOf(name string) (base int64, ok bool) {
	found := named.FindStringSubmatch(name)
	if found == nil {
		return 0, false
	}
	base, err := strconv.ParseInt(found[1], 10, 64)
	return base, err == nil
}
