package importline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/jsonobject"
)

// The maximum lengths of a source and a reference, in bytes.
const (
	MaxSourceLength    = 200
	MaxReferenceLength = 2_000
)

// Decode decodes one line. It never fails: faults are in the record's Faults. The record does not refer to the line's
// memory.
func Decode(line []byte) *Record {
	s := &scope{}
	r := &Record{}
	members, wrong := jsonobject.Split(line)
	if wrong != nil {
		r.Faults = fault.FieldErrors{*wrong}
		return r
	}
	rest := s.header(r, members)
	r.Source = s.source
	if len(s.Faults) == 0 {
		r.said = r.shape.fresh()
		r.present = r.shape.read(s, r.said, rest)
		if len(s.Faults) == 0 {
			s.identify(r)
		}
	}
	r.Faults, r.references = s.Faults, s.references
	if len(r.Faults) == 0 {
		r.classify()
	}
	return r
}

// NotALine is the problem of the field format of a line that has neither a format nor a known kind.
const NotALine = "is missing, and there is no known kind: this is not an import line"

// header reads the members that every line has, regardless of its kind, and returns the others.
func (s *scope) header(r *Record, members []jsonobject.Member) (rest []jsonobject.Member) {
	s.source = DefaultSource
	var format, kind bool
	for _, m := range members {
		s.Enter(m.Name)
		switch m.Name {
		case "format":
			format = true
			if sound := s.Sound(); whole(s, m.Value) != Format && sound() {
				s.Fault("%s is not a format that is known: expected %d", jsonobject.Describe(m.Value), Format)
			}
		case "kind":
			kind = true
			r.Kind = s.kindOf(m)
			r.shape = shapes[r.Kind]
		case "id":
			r.ID = s.idOf(m)
		case "source":
			r.source = s.name(m, MaxSourceLength)
			s.source = r.source
		case "ref":
			r.reference = s.name(m, MaxReferenceLength)
			if catalogue.ID(r.reference).Valid() {
				s.Fault("%q has the form of an id: give it as \"id\"", r.reference)
			}
		default:
			rest = append(rest, m)
		}
		s.Leave()
	}
	if !format && r.Kind == "" {
		s.Faults = fault.FieldErrors{{Field: "format", Problem: NotALine}} // the other members belong to a foreign format
		return nil
	}
	if !format {
		s.FaultAt("format", "is required: expected %d", Format)
	}
	if !kind {
		s.FaultAt("kind", "is required: expected one of %s", kindNames())
	}
	return rest
}

func (s *scope) kindOf(m jsonobject.Member) catalogue.Kind {
	sound := s.Sound()
	kind := catalogue.Kind(text(s, m.Value))
	if _, ok := shapes[kind]; ok {
		return kind
	}
	if sound() {
		s.Fault("%s is not a kind: expected one of %s", jsonobject.Describe(m.Value), kindNames())
	}
	return ""
}

func (s *scope) idOf(m jsonobject.Member) catalogue.ID {
	sound := s.Sound()
	id := catalogue.ID(text(s, m.Value))
	if id.Valid() {
		return id
	}
	if sound() {
		s.Fault("%s is not %d lower-case hexadecimal characters", jsonobject.Describe(m.Value), catalogue.IDLength)
	}
	return ""
}

func kindNames() string {
	var names []string
	for _, kind := range Kinds() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}

// name reads a source or a reference.
func (s *scope) name(m jsonobject.Member, most int) string {
	sound := s.Sound()
	name := text(s, m.Value)
	switch {
	case !sound():
	case strings.TrimSpace(name) == "":
		s.Fault("must not be blank")
	case len(name) > most:
		s.Fault("has %d bytes, at most %d are allowed", len(name), most)
	}
	return name
}

// identify sets the item's id, source and reference, and the values derived from them.
func (s *scope) identify(r *Record) {
	switch item := r.said.(type) {
	case *catalogue.EducationLevel:
		s.identifyLevel(r, item)
	case *catalogue.Captions:
		s.identifyByFields(r, catalogue.CaptionsID(item.VideoID, item.Language), "video", "language")
	case *catalogue.Material:
		s.identifyByFields(r, catalogue.MaterialID(item.VideoID), "video")
	case *catalogue.District:
		s.identifyPlace(r, item.ExternalID)
	case *catalogue.School:
		s.identifyPlace(r, item.ExternalID)
	default:
		s.identifyByName(r)
	}
	head := r.said.Head()
	head.ID, head.Source, head.Reference = r.ID, s.source, r.reference
	switch item := r.said.(type) {
	case *catalogue.Video:
		s.completeVideo(r, item)
	case *Collection:
		s.completeCollection(item)
	}
	for name, other := range r.shape.instead {
		if r.present.has(r.shape.index[name]) && r.present.has(r.shape.index[other]) {
			s.FaultAt(other, "must not be given beside %q", name)
		}
	}
}

// completeVideo fills in the values that a line may leave out of a video and its parts.
func (s *scope) completeVideo(r *Record, video *catalogue.Video) {
	if video.Type == "" {
		video.Type = catalogue.Instructional
	}
	if r.present.has(r.shape.index["playback"]) {
		playback := &video.Playback
		playback.ID = cmp.Or(playback.ID, string(video.ID))
		playback.Provider = cmp.Or(playback.Provider, catalogue.ProviderHLS)
	}
	s.completeAttachments(video.ID, video.Attachments)
}

// completeAttachments derives the ids that a line leaves out of an item's attachments.
func (s *scope) completeAttachments(of catalogue.ID, attachments []catalogue.Attachment) {
	seen := make([]string, 0, len(attachments))
	for i := range attachments {
		attachment := &attachments[i]
		if attachment.ID == "" {
			name := string(attachment.Type) + " " + attachment.Link
			attachment.ID = string(catalogue.DeriveID(attachmentKind, string(of), name))
		}
		if slices.Contains(seen, attachment.ID) {
			s.FaultAt("attachments["+strconv.Itoa(i)+"]", "repeats another attachment")
		}
		seen = append(seen, attachment.ID)
	}
}

// attachmentKind stands for attachments in derived ids; they are not a kind of their own.
const attachmentKind catalogue.Kind = "attachment"
