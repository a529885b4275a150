package importline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
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
	members, err := split(line)
	if err != nil {
		r.Faults = fault.FieldErrors{syntaxFault(err)}
		return r
	}
	rest := s.header(r, members)
	r.Source = s.source
	if len(s.faults) == 0 {
		r.said = r.shape.fresh()
		r.present = r.shape.read(s, r.said, rest)
		if len(s.faults) == 0 {
			s.identify(r)
		}
	}
	r.Faults = s.faults
	if len(r.Faults) == 0 {
		r.judge()
	}
	return r
}

// header reads the members that every line has, whatever its kind, and returns the others.
func (s *scope) header(r *Record, members []member) (rest []member) {
	s.source = DefaultSource
	var format, kind bool
	for _, m := range members {
		s.enter(m.name)
		switch m.name {
		case "format":
			format = true
			if sound := s.sound(); whole(s, m.value) != Format && sound() {
				s.fault("%s is not a format that is known: expected %d", describe(m.value), Format)
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
				s.fault("%q has the form of an id: give it as \"id\"", r.reference)
			}
		default:
			rest = append(rest, m)
		}
		s.leave()
	}
	if !format {
		s.faultAt("format", "is required: expected %d", Format)
	}
	if !kind {
		s.faultAt("kind", "is required: expected one of %s", kindNames())
	}
	return rest
}

func (s *scope) kindOf(m member) catalogue.Kind {
	sound := s.sound()
	kind := catalogue.Kind(text(s, m.value))
	if _, ok := shapes[kind]; ok {
		return kind
	}
	if sound() {
		s.fault("%s is not a kind: expected one of %s", describe(m.value), kindNames())
	}
	return ""
}

func (s *scope) idOf(m member) catalogue.ID {
	sound := s.sound()
	id := catalogue.ID(text(s, m.value))
	if id.Valid() {
		return id
	}
	if sound() {
		s.fault("%s is not %d lower-case hexadecimal characters", describe(m.value), catalogue.IDLength)
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
func (s *scope) name(m member, most int) string {
	sound := s.sound()
	name := text(s, m.value)
	switch {
	case !sound():
	case strings.TrimSpace(name) == "":
		s.fault("must not be blank")
	case len(name) > most:
		s.fault("has %d bytes, at most %d are allowed", len(name), most)
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
			s.faultAt(other, "must not be given beside %q", name)
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
			s.faultAt("attachments["+strconv.Itoa(i)+"]", "repeats another attachment")
		}
		seen = append(seen, attachment.ID)
	}
}

// attachmentKind stands for attachments in derived ids; they are not a kind of their own.
const attachmentKind catalogue.Kind = "attachment"

// syntaxFault turns an error of the JSON decoder into a fault of the field where it occurred.
func syntaxFault(err error) fault.FieldError {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return fault.FieldError{Problem: err.Error()}
	}
	problem := fault.FieldError{Field: pathOf(syntactic.JSONPointer)}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		problem.Problem = "is given twice"
		return problem
	}
	problem.Problem = fmt.Sprintf("is not valid JSON: %s (byte %d)",
		strings.TrimPrefix(syntactic.Err.Error(), "jsontext: "), syntactic.ByteOffset+1)
	return problem
}

// maxPathDepth is the maximum number of path steps that a fault shows.
const maxPathDepth = 8

// pathOf formats a JSON pointer the way faults name fields: "/attachments/1/link" becomes "attachments[1].link".
func pathOf(pointer jsontext.Pointer) string {
	var path strings.Builder
	var depth int
	for token := range pointer.Tokens() {
		if depth++; depth > maxPathDepth {
			path.WriteString("…")
			break
		}
		switch {
		case depth > 1 && strings.Trim(token, "0123456789") == "":
			path.WriteString("[" + token + "]")
		case depth > 1:
			path.WriteString("." + catalogue.Shorten(token))
		default:
			path.WriteString(catalogue.Shorten(token))
		}
	}
	return path.String()
}
