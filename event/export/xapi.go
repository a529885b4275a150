package export

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/google/uuid"

	"github.com/filmstrip/filmstrip/event"
)

// statements writes events as statements of xAPI 1.0.3, one per line. The statements of videos follow the xAPI Video
// Profile 1.0.3 as far as clients send the data that it requires.
type statements struct {
	names  names
	buffer *bufio.Writer
	json   *json.Encoder
}

func newStatements(w io.Writer, names names) *statements {
	buffer := bufio.NewWriterSize(w, flushed)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	return &statements{names: names, buffer: buffer, json: encoder}
}

// Write implements Events.
func (s *statements) Write(events []event.Event) (written int, err error) {
	for i := range events {
		e := &events[i]
		if e.Kind == event.AccessExpired {
			continue
		}
		d, err := detailsOf(e)
		if err != nil {
			return written, err
		}
		if err := s.json.Encode(s.statement(e, &d)); err != nil {
			return written, err
		}
		written++
	}
	return written, s.buffer.Flush()
}

// Close implements Events.
func (s *statements) Close() error { return nil }

// The names that xAPI and its profiles define.
const (
	xapiVersion  = "1.0.0" // the version in statements of every 1.0.x
	videoProfile = "https://w3id.org/xapi/video"

	typeVideo       = videoProfile + "/activity-type/video"
	typePage        = "http://activitystrea.ms/schema/1.0/page"
	typeCollection  = "http://activitystrea.ms/schema/1.0/collection"
	typeApplication = "http://activitystrea.ms/schema/1.0/application"

	extensionTime     = videoProfile + "/extensions/time"
	extensionSegments = videoProfile + "/extensions/played-segments"
	extensionLength   = videoProfile + "/extensions/length"
	extensionSession  = videoProfile + "/extensions/session-id"
	extensionSpeed    = videoProfile + "/extensions/speed"
	extensionFull     = videoProfile + "/extensions/full-screen"
	extensionCaptions = videoProfile + "/extensions/cc-enabled"
	extensionLanguage = videoProfile + "/extensions/cc-subtitle-lang"
	extensionVolume   = videoProfile + "/extensions/volume"

	// own is the prefix of extensions that no vocabulary defines: members of events under their names in the API.
	own = "https://github.com/filmstrip/filmstrip/xapi/extensions/"
)

var (
	verbPlayed     = verb{videoProfile + "/verbs/played", display{"played"}}
	verbPaused     = verb{videoProfile + "/verbs/paused", display{"paused"}}
	verbInteracted = verb{"http://adlnet.gov/expapi/verbs/interacted", display{"interacted"}}
	verbViewed     = verb{"http://id.tincanapi.com/verb/viewed", display{"viewed"}}
)

type statement struct {
	ID        string    `json:"id"`
	Actor     agent     `json:"actor"`
	Verb      verb      `json:"verb"`
	Object    activity  `json:"object"`
	Result    *result   `json:"result,omitempty"`
	Context   situation `json:"context"`
	Timestamp string    `json:"timestamp"`
	Version   string    `json:"version"`
}

type agent struct {
	Type    string       `json:"objectType"`
	Account agentAccount `json:"account"`
}

type agentAccount struct {
	HomePage string `json:"homePage"`
	Name     string `json:"name"`
}

type verb struct {
	ID      string  `json:"id"`
	Display display `json:"display"`
}

type display struct {
	English string `json:"en-US"`
}

type activity struct {
	Type       string     `json:"objectType"`
	ID         string     `json:"id"`
	Definition definition `json:"definition"`
}

type definition struct {
	Type string `json:"type"`
}

type result struct {
	Extensions extensions `json:"extensions"`
}

// situation is the context of a statement.
type situation struct {
	Platform   string      `json:"platform,omitempty"`
	Activities *activities `json:"contextActivities,omitempty"`
	Extensions extensions  `json:"extensions"`
}

type activities struct {
	Category []category `json:"category"`
}

type category struct {
	ID string `json:"id"`
}

// extensions maps the names of extensions to their values.
type extensions map[string]any

func (x extensions) add(name string, value any) { x[name] = value }

// addRaw adds a JSON value, unless it is empty.
func (x extensions) addRaw(name string, value []byte) {
	if len(value) > 0 {
		x[name] = json.RawMessage(value)
	}
}

func addGiven[T any](x extensions, name string, value *T) {
	if value != nil {
		x[name] = *value
	}
}

func (x extensions) addText(name, text string) {
	if text != "" {
		x[name] = text
	}
}

func (s *statements) statement(e *event.Event, d *details) *statement {
	made := &statement{
		ID: e.ID.String(), Actor: s.actor(e), Timestamp: e.At.String(), Version: xapiVersion,
		Context: situation{Platform: e.Client, Extensions: extensions{own + "receivedAt": e.Received.String()}},
	}
	x := made.Context.Extensions
	if e.Sandbox {
		x.add(own+"sandbox", true)
	}
	x.addText(own+subtypeField(e.Kind), e.Subtype)
	switch e.Kind {
	case event.Playback:
		s.segment(made, e)
	case event.PlayerInteraction:
		s.interaction(made, e, d)
	case event.VideoInteraction:
		s.ofVideo(made, e, verbInteracted)
	case event.PageRender:
		made.Verb = verbViewed
		made.Object = activityOf(s.names.page(deref(d.URL)), typePage)
		addGiven(x, own+"viewport", d.Viewport)
		addGiven(x, own+"isResize", d.IsResize)
	case event.CollectionInteraction:
		made.Verb = verbInteracted
		made.Object = activityOf(s.names.collection(deref(d.CollectionID)), typeCollection)
	case event.SearchCompletions:
		made.Verb = verbInteracted
		made.Object = activityOf(s.names.client(e.Client), typeApplication)
		addGiven(x, own+"searchQuery", d.SearchQuery)
		x.add(own+"impressions", d.Impressions)
		addGiven(x, own+"componentId", d.ComponentID)
		addGiven(x, own+"completionId", d.CompletionID)
	default:
		made.Verb = verbInteracted
		made.Object = activityOf(s.names.client(e.Client), typeApplication)
	}
	return made
}

// actor returns the user of an event as an agent's account. An unknown user is the agent "anonymous" of the account,
// because a statement must have an actor.
func (s *statements) actor(e *event.Event) agent {
	place, name := s.names.person(e)
	if name == "" {
		name = "anonymous"
	}
	return agent{"Agent", agentAccount{place, name}}
}

func activityOf(id, kind string) activity { return activity{"Activity", id, definition{kind}} }

// ofVideo makes a statement of the Video Profile.
func (s *statements) ofVideo(made *statement, e *event.Event, what verb) {
	made.Verb = what
	made.Object = activityOf(s.names.video(e.Video), typeVideo)
	made.Context.Activities = &activities{[]category{{videoProfile}}}
	known := knownOf(e.Metadata)
	made.Context.Extensions.addRaw(extensionLength, number(known.Duration))
	if player := text(known.Player); uuid.Validate(player) == nil { // the profile requires a UUID for a session
		made.Context.Extensions.add(extensionSession, player)
	}
}

// segment reports that playback paused at the end of the segment, which is when clients send the event. The time at
// which playback started is unknown.
func (s *statements) segment(made *statement, e *event.Event) {
	s.ofVideo(made, e, verbPaused)
	end := event.AppendSeconds(nil, e.End)
	made.Result = &result{extensions{extensionTime: json.RawMessage(end)}}
	if e.Continues {
		made.Context.Extensions.add(own+"continues", true)
	}
	if e.Reversed() {
		made.Context.Extensions.add(own+"reversed", true)
		made.Context.Extensions.addRaw(own+"segmentStartSeconds", event.AppendSeconds(nil, e.Start))
		return
	}
	made.Result.Extensions.add(extensionSegments, string(event.AppendSeconds(nil, e.Start))+"[.]"+string(end))
}

// interaction maps the known subtypes of player interactions to the Video Profile. All others are interactions.
func (s *statements) interaction(made *statement, e *event.Event, d *details) {
	s.ofVideo(made, e, verbInteracted)
	made.Result = &result{extensions{}}
	made.Result.Extensions.addRaw(extensionTime, number(d.CurrentTime))
	x := made.Context.Extensions
	x.addRaw(own+"payload", d.Payload)
	payload := knownOf(d.Payload)
	switch e.Subtype {
	case "play":
		made.Verb = verbPlayed
	case "captionsEnabled", "captionsLanguageChanged":
		x.add(extensionCaptions, true)
		x.addText(extensionLanguage, text(payload.Language))
	case "captionsDisabled":
		x.add(extensionCaptions, false)
	case "fullscreenEnabled":
		x.add(extensionFull, true)
	case "fullscreenDisabled":
		x.add(extensionFull, false)
	case "speedChanged":
		if speed := number(payload.Speed); speed != nil {
			x.add(extensionSpeed, string(speed)+"x")
		}
	case "muted":
		x.add(extensionVolume, 0)
	}
}
