package events

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	videos "github.com/filmstrip/filmstrip/resolvers/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// clicks collects clicks.
type clicks struct{ reported []string }

func (c *clicks) Clicked(by *account.Account, text, video string) {
	c.reported = append(c.reported, by.ID+" clicked "+video+" after "+text)
}

// recordingSink is a sink that records events.
type recordingSink struct {
	events []event.Event
	fault  error
	// verdict is the verdict for every submission; 0 means stored.
	verdict event.Verdict
}

func (l *recordingSink) Append(_ context.Context, s event.Submission) (event.Verdict, error) {
	if l.fault == nil {
		l.events = append(l.events, s.Events...)
	}
	return cmp.Or(l.verdict, event.Stored), l.fault
}

func (*recordingSink) Recall(context.Context, event.Submission) (event.Verdict, error) { return 0, nil }

const played = "5c542abf5438cdbcb56df0bf"

// knownVideos is a catalogue with some videos.
type knownVideos struct {
	store.Catalogue
	states []catalogue.State
}

func (s knownVideos) States(_ context.Context, ids []catalogue.ID) (found []catalogue.State, _ error) {
	for _, state := range s.states {
		if slices.Contains(ids, state.ID) {
			found = append(found, state)
		}
	}
	return found, nil
}

var withPlayed = knownVideos{states: []catalogue.State{{Ref: catalogue.Ref{ID: played, Version: 1}}}}

func metadataOf(text string) jsontext.Value {
	if text == "" {
		return nil
	}
	return jsontext.Value(text)
}

func TestClicksAfterSearches(t *testing.T) {
	segment := func(metadata string) *event.PlaybackInput {
		return &event.PlaybackInput{VideoID: played, SegmentEndSeconds: 9000, Report: event.Report{CaptureTime: "2026-11-20T12:00:00Z", Metadata: metadataOf(metadata)}}
	}
	list := func(segments ...*event.PlaybackInput) []*event.PlaybackInput { return segments }
	customer := &account.Caller{ClientID: "c", Account: &account.Account{ID: "one"}, Permissions: account.CustomerPermissions()}
	operator := &account.Caller{ClientID: "o", Account: &account.Account{ID: "us", Operator: true}, Permissions: account.OperatorPermissions()}
	type recorder = func(*Resolver, context.Context, []*event.PlaybackInput, *string) (*bool, error)
	single := func(m *Resolver, ctx context.Context, list []*event.PlaybackInput, key *string) (*bool, error) {
		return m.RecordPlayback(ctx, *list[0], key)
	}
	batch := (*Resolver).RecordPlaybackBatch
	for name, test := range map[string]struct {
		caller  *account.Caller
		record  recorder
		events  []*event.PlaybackInput
		referer string
		want    []string
	}{
		"said by the client":      {customer, single, list(segment(`{"query":"Water"}`)), "", []string{"one clicked " + played + " after Water"}},
		"escaped":                 {customer, single, list(segment(`{"query":"w\u0061ter \"x\""}`)), "", []string{"one clicked " + played + ` after water "x"`}},
		"not a text":              {customer, single, list(segment(`{"query":{"query":"x"}}`)), "", nil},
		"within another":          {customer, single, list(segment(`{"a":{"query":"x"}}`)), "", nil},
		"by the page":             {customer, single, list(segment("")), "https://learn.example/find?a=b&query=ice+age", []string{"one clicked " + played + " after ice age"}},
		"by the page in short":    {customer, single, list(segment("")), "https://learn.example/find?q=ice%20age", []string{"one clicked " + played + " after ice age"}},
		"client before page":      {customer, single, list(segment(`{"query":"water"}`)), "https://learn.example/?query=ice", []string{"one clicked " + played + " after water"}},
		"empty before page":       {customer, single, list(segment(`{"query":""}`)), "https://learn.example/?query=ice", []string{"one clicked " + played + " after ice"}},
		"another parameter":       {customer, single, list(segment("")), "https://learn.example/?quest=ice", nil},
		"no address":              {customer, single, list(segment("")), "://?query=ice", nil},
		"nothing said":            {customer, single, list(segment("")), "https://learn.example/", nil},
		"the operator's own":      {operator, single, list(segment(`{"query":"water"}`)), "", nil},
		"a batch, each once":      {customer, batch, list(segment(`{"query":"water"}`), segment(`{"query":"ice"}`), segment(`{"query":"water"}`)), "", []string{"one clicked " + played + " after water", "one clicked " + played + " after ice"}},
		"a batch from one page":   {customer, batch, list(segment(""), segment("")), "https://learn.example/?q=ice", []string{"one clicked " + played + " after ice"}},
		"an account of no record": {&account.Caller{ClientID: "c", Permissions: account.CustomerPermissions()}, single, list(segment(`{"query":"water"}`)), "", nil},
	} {
		ear, log := &clicks{}, &recordingSink{}
		now := func() time.Time { return time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC) }
		m := New(Config{Videos: videos.New(videos.Config{Store: withPlayed, Now: now}), Clicks: ear, Sink: log, Now: now})
		ctx := event.WithCircumstances(account.WithCaller(t.Context(), test.caller), event.Circumstances{Referer: test.referer})
		if _, err := test.record(m, ctx, test.events, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(ear.reported, test.want) {
			t.Errorf("%s: noted is %q, want %q", name, ear.reported, test.want)
		}
		if len(log.events) == 0 {
			t.Errorf("%s: the event is not stored", name)
		}
		ear.reported, log.fault = nil, errors.New("away")
		if _, err := test.record(m, ctx, test.events, nil); err == nil || ear.reported != nil {
			t.Errorf("%s: of an event that was not stored is noted %q, %v", name, ear.reported, err)
		}
		log.fault, log.verdict = nil, event.Repeated
		if _, err := test.record(m, ctx, test.events, nil); err != nil || ear.reported != nil {
			t.Errorf("%s: of a repetition is noted %q, %v", name, ear.reported, err)
		}
	}
}

// TestOtherEventsAreNoClicks proves that only plays and video interactions are clicks.
func TestOtherEventsAreNoClicks(t *testing.T) {
	customer := &account.Caller{ClientID: "lms", Account: &account.Account{ID: "one"}, Permissions: account.CustomerPermissions()}
	visitor := *customer
	visitor.Confine(&account.Embed{Video: played})
	for _, kind := range event.Kinds() {
		ear := &clicks{}
		New(Config{Clicks: ear}).logClicks(customer, []event.Event{{Kind: kind, Video: played, Metadata: []byte(`{"query":"water"}`)}})
		if want := kind == event.Playback || kind == event.VideoInteraction; want != (len(ear.reported) == 1) {
			t.Errorf("%s: noted is %q", kind, ear.reported)
		}
		ear.reported = nil
		New(Config{Clicks: ear}).logClicks(&visitor, []event.Event{{Kind: kind, Video: played, Metadata: []byte(`{"query":"water"}`)}})
		if ear.reported != nil {
			t.Errorf("%s: of a visitor of an embed is noted %q", kind, ear.reported)
		}
	}
}
