package export

import (
	"bufio"
	"encoding/json"
	"io"
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// envelopeEvents is the maximum number of events of an envelope.
const envelopeEvents = 100

// The names that Caliper defines.
const (
	caliperContext  = "http://purl.imsglobal.org/ctx/caliper/v1p2"
	anonymousPerson = "http://purl.imsglobal.org/caliper/Person" // the specification's id of an anonymous person
)

// envelopes writes events as envelopes of IMS Caliper Analytics 1.2, one per line.
type envelopes struct {
	names  names
	now    func() time.Time
	buffer *bufio.Writer
	json   *json.Encoder
	// gathered contains the events of the next envelope.
	gathered []*caliperEvent
}

func newEnvelopes(w io.Writer, names names, now func() time.Time) *envelopes {
	buffer := bufio.NewWriterSize(w, flushed)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	return &envelopes{names: names, now: now, buffer: buffer, json: encoder}
}

type envelope struct {
	Sensor      string          `json:"sensor"`
	SendTime    string          `json:"sendTime"`
	DataVersion string          `json:"dataVersion"`
	Data        []*caliperEvent `json:"data"`
}

type caliperEvent struct {
	Context    string     `json:"@context"`
	ID         string     `json:"id"`
	Type       string     `json:"type"`
	Profile    string     `json:"profile"`
	Actor      entity     `json:"actor"`
	Action     string     `json:"action"`
	Object     entity     `json:"object"`
	EventTime  string     `json:"eventTime"`
	Target     *entity    `json:"target,omitempty"`
	EdApp      entity     `json:"edApp"`
	Group      *entity    `json:"group,omitempty"`
	Extensions extensions `json:"extensions"`
}

// entity is an entity of Caliper. Its durations are in the format of ISO 8601.
type entity struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Duration    string `json:"duration,omitempty"`
	CurrentTime string `json:"currentTime,omitempty"`
}

// Write implements Events.
func (v *envelopes) Write(events []event.Event) (written int, err error) {
	for i := range events {
		e := &events[i]
		if e.Kind == event.AccessExpired {
			continue
		}
		d, err := detailsOf(e)
		if err != nil {
			return written, err
		}
		v.gathered = append(v.gathered, v.event(e, &d))
		written++
		if len(v.gathered) == envelopeEvents {
			if err := v.send(); err != nil {
				return written, err
			}
		}
	}
	return written, v.buffer.Flush()
}

// Close implements Events.
func (v *envelopes) Close() error {
	if err := v.send(); err != nil {
		return err
	}
	return v.buffer.Flush()
}

// send writes an envelope of the gathered events, or nothing if there are none.
func (v *envelopes) send() error {
	if len(v.gathered) == 0 {
		return nil
	}
	sent := envelope{
		Sensor: v.names.base, SendTime: event.InstantOf(v.now()).String(), DataVersion: caliperContext, Data: v.gathered,
	}
	err := v.json.Encode(&sent)
	clear(v.gathered)
	v.gathered = v.gathered[:0]
	return err
}

func (v *envelopes) event(e *event.Event, d *details) *caliperEvent {
	made := &caliperEvent{
		Context: caliperContext, ID: "urn:uuid:" + e.ID.String(), EventTime: e.At.String(),
		Actor: v.actor(e), EdApp: entity{ID: v.names.client(e.Client), Type: "SoftwareApplication"},
		Extensions: extensions{"kind": e.Kind.String(), "receivedAt": e.Received.String()},
	}
	if e.Account != "" {
		made.Group = &entity{ID: v.names.account(e.Account), Type: "Organization"}
	}
	x := made.Extensions
	if e.Sandbox {
		x.add("sandbox", true)
	}
	x.addText(subtypeField(e.Kind), e.Subtype)
	switch e.Kind {
	case event.Playback:
		v.segment(made, e)
	case event.PlayerInteraction:
		v.interaction(made, e, d)
	case event.VideoInteraction:
		v.videoInteraction(made, e)
	case event.PageRender:
		v.page(made, d)
	case event.CollectionInteraction:
		made.is("Event", "GeneralProfile", "Used")
		made.Object = entity{ID: v.names.collection(deref(d.CollectionID)), Type: "DigitalResourceCollection"}
	default:
		made.is("ToolUseEvent", "ToolUseProfile", "Used")
		made.Object = made.EdApp
		addGiven(x, "searchQuery", d.SearchQuery)
		if d.Impressions != nil {
			x.add("impressions", d.Impressions)
		}
		addGiven(x, "componentId", d.ComponentID)
		addGiven(x, "completionId", d.CompletionID)
	}
	return made
}

func (c *caliperEvent) is(kind, profile, action string) {
	c.Type, c.Profile, c.Action = kind, profile, action
}

func (v *envelopes) actor(e *event.Event) entity {
	place, name := v.names.person(e)
	if name == "" {
		return entity{ID: anonymousPerson, Type: "Person"}
	}
	return entity{ID: within(place, name), Type: "Person"}
}

func (v *envelopes) video(e *event.Event) entity {
	video := entity{ID: v.names.video(e.Video), Type: "VideoObject"}
	if length := thousandths(number(knownOf(e.Metadata).Duration)); length != nil {
		video.Duration = duration(*length)
	}
	return video
}

// at returns the location at an offset in the video.
func (v *envelopes) at(e *event.Event, milliseconds int64) *entity {
	return &entity{ID: v.names.video(e.Video), Type: "MediaLocation", CurrentTime: duration(milliseconds)}
}

// segment reports that playback paused at the end of the segment, which is when clients send the event. An extension
// contains the start of the segment.
func (v *envelopes) segment(made *caliperEvent, e *event.Event) {
	made.is("MediaEvent", "MediaProfile", "Paused")
	made.Object = v.video(e)
	made.Target = v.at(e, e.End)
	made.Extensions.addRaw("segmentStartSeconds", event.AppendSeconds(nil, e.Start))
	made.Extensions.addRaw("segmentEndSeconds", event.AppendSeconds(nil, e.End))
	if e.Continues {
		made.Extensions.add("continues", true)
	}
	if e.Reversed() {
		made.Extensions.add("reversed", true)
	}
}

// mediaActions maps the subtypes of player interactions to actions of the Media Profile.
var mediaActions = map[string]string{
	"captionsEnabled":    "EnabledClosedCaptioning",
	"captionsDisabled":   "DisabledClosedCaptioning",
	"fullscreenEnabled":  "EnteredFullScreen",
	"fullscreenDisabled": "ExitedFullScreen",
	"seeked":             "JumpedTo",
	"jumpedForward":      "ForwardedTo",
	"jumpedBackward":     "JumpedTo",
	"speedChanged":       "ChangedSpeed",
	"muted":              "Muted",
	"unmuted":            "Unmuted",
	"playbackStarted":    "Started",
}

func (v *envelopes) interaction(made *caliperEvent, e *event.Event, d *details) {
	made.is("Event", "GeneralProfile", "Used")
	at := thousandths(number(d.CurrentTime))
	action, known := mediaActions[e.Subtype]
	if e.Subtype == "play" && at != nil && *at > 0 { // at the beginning, playbackStarted reports it
		action, known = "Resumed", true
	}
	if known {
		made.is("MediaEvent", "MediaProfile", action)
	}
	made.Object = v.video(e)
	if at != nil {
		made.Target = v.at(e, *at)
	}
	made.Extensions.addRaw("payload", d.Payload)
}

func (v *envelopes) videoInteraction(made *caliperEvent, e *event.Event) {
	made.is("Event", "GeneralProfile", "Used")
	if e.Subtype == "NAVIGATE_TO_VIDEO_DETAILS" {
		made.is("NavigationEvent", "MediaProfile", "NavigatedTo")
	}
	made.Object = v.video(e)
}

// page reports that a user navigated to a page, or viewed it again after resizing the window.
func (v *envelopes) page(made *caliperEvent, d *details) {
	made.is("NavigationEvent", "ReadingProfile", "NavigatedTo")
	if d.IsResize != nil && *d.IsResize {
		made.is("ViewEvent", "ReadingProfile", "Viewed")
	}
	made.Object = entity{ID: v.names.page(deref(d.URL)), Type: "WebPage"}
	addGiven(made.Extensions, "viewport", d.Viewport)
}

// duration returns a duration in the format of ISO 8601.
func duration(milliseconds int64) string {
	return string(append(event.AppendSeconds([]byte("PT"), milliseconds), 'S'))
}
