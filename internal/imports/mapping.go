package imports

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/internal/importline"
)

// step fills one field of import lines.
type step struct {
	account.ImportField
	path   []string
	column int // -1: none
	is     importline.FieldType
	// named returns the ID of the item with a name, for fields that refer to channels and subjects; nil for all others.
	named func(name string) catalogue.ID
}

// columnsOf is importer.Options.Columns for a mapping. The directory resolves the names of channels and subjects. The
// error has the code Invalid if a column is missing. The function that it returns refuses records that are not UTF-8.
func columnsOf(m *account.Mapping, header []string, directory *catalogue.Directory) (func(record []string) ([]byte, error), error) {
	if faults := CheckMapping(m); len(faults) > 0 {
		return nil, fault.InvalidRequest("mapping: %s", faults.Error())
	}
	types := map[string]importline.FieldType{}
	for _, field := range importline.ColumnFields(m.Kind) {
		types[field.Name] = field.Type
	}
	var steps []step
	for _, field := range m.Fields {
		one := step{ImportField: field, path: strings.Split(field.Field, "."), column: -1, is: types[field.Field]}
		if field.Column != "" {
			if one.column = slices.Index(header, field.Column); one.column < 0 {
				return nil, fault.InvalidRequest("the file has no column %q; its columns are %s", field.Column, fault.Shorten(strings.Join(header, ", ")))
			}
		}
		one.named = namesOf(one.path[len(one.path)-1], m.Source, directory)
		steps = append(steps, one)
	}
	return func(record []string) ([]byte, error) {
		if err := importer.CheckUTF8(header, record); err != nil { // json.Marshal would replace the bytes
			return nil, err
		}
		line := map[string]any{"format": importline.Format, "kind": m.Kind}
		if m.Source != "" {
			line["source"] = m.Source
		}
		for i := range steps {
			steps[i].fill(line, record)
		}
		return json.Marshal(line)
	}, nil
}

// namesOf returns a function that finds the channel or subject with a name, or nil if a field refers to neither.
func namesOf(field, source string, directory *catalogue.Directory) func(string) catalogue.ID {
	if source == "" {
		source = importline.DefaultSource
	}
	var kind catalogue.Kind
	var find func(name string) catalogue.Item
	switch field {
	case "channel":
		kind, find = catalogue.KindChannel, func(name string) catalogue.Item {
			if found := directory.ChannelNamed(name); found != nil {
				return found
			}
			return nil
		}
	case "subjects":
		kind, find = catalogue.KindSubject, func(name string) catalogue.Item {
			if found := directory.SubjectNamed(name); found != nil {
				return found
			}
			return nil
		}
	default:
		return nil
	}
	return func(name string) catalogue.ID {
		if directory.Item(kind, catalogue.DeriveID(kind, source, name)) != nil { // it is a reference
			return ""
		}
		if found := find(name); found != nil {
			return found.Head().ID
		}
		return ""
	}
}

// fill sets the field in a line. A record without a value, and without a constant for it, leaves the field out.
func (s *step) fill(line map[string]any, record []string) {
	text := ""
	if s.column >= 0 {
		text = strings.TrimSpace(record[s.column])
	}
	if text == "" {
		text = s.Constant
	}
	if text == "" {
		return
	}
	object := line
	for _, name := range s.path[:len(s.path)-1] {
		inner, ok := object[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[name] = inner
		}
		object = inner
	}
	object[s.path[len(s.path)-1]] = s.value(text)
}

// value converts a text. Import lines refuse the text itself, with a reason, if it cannot be converted.
func (s *step) value(text string) any {
	switch s.is {
	case importline.NumberField:
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	case importline.BooleanField:
		switch strings.ToLower(text) {
		case "true", "yes", "y", "1":
			return true
		case "false", "no", "n", "0":
			return false
		}
	case importline.DurationField:
		if seconds, ok := secondsOf(text); ok {
			return seconds
		}
	case importline.ListField:
		list := []string{}
		for _, one := range s.split(text) {
			if one = strings.TrimSpace(one); one != "" {
				list = append(list, s.reference(one))
			}
		}
		return list
	case importline.TextField:
		return s.reference(text)
	}
	return text
}

func (s *step) split(text string) []string {
	if s.Separator == "" {
		return []string{text}
	}
	return strings.Split(text, s.Separator)
}

// reference returns the ID of the item that a text names, or the text.
func (s *step) reference(text string) string {
	if s.named != nil {
		if id := s.named(text); id != "" {
			return string(id)
		}
	}
	return text
}

// secondsOf reads a number of seconds, M:SS or H:MM:SS.
func secondsOf(text string) (json.Number, bool) {
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return "", false
	}
	var seconds float64
	for i, part := range parts {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || n < 0 || i > 0 && n >= 60 || i < len(parts)-1 && strings.Contains(part, ".") {
			return "", false
		}
		seconds = 60*seconds + n
	}
	number := json.Number(strconv.FormatFloat(seconds, 'f', -1, 64))
	_, err := json.Marshal(number) // neither infinite nor NaN
	return number, err == nil
}

// synonyms are names of columns for the fields of a video, folded.
var synonyms = map[string][]string{
	"ref":                {"ref", "reference", "externalid", "videoid", "assetid", "uid", "key", "sku", "code", "id", "number", "no"},
	"title":              {"title", "name", "videotitle", "heading", "headline"},
	"channel":            {"channel", "provider", "producer", "brand", "createdby", "publisher", "series"},
	"releasedOn":         {"releasedon", "releasedate", "released", "date", "published", "publishedon", "publishedat", "publishdate", "publicationdate"},
	"playback.duration":  {"playbackduration", "duration", "length", "runtime", "seconds", "durationseconds"},
	"playback.stream":    {"playbackstream", "stream", "streamurl", "url", "videourl", "hls", "hlsurl", "link", "file", "media"},
	"playback.thumbnail": {"playbackthumbnail", "thumbnail", "thumbnailurl", "poster", "image", "imageurl", "picture"},
	"description":        {"description", "summary", "abstract", "synopsis", "about"},
	"subjects":           {"subjects", "subject"},
	"topics":             {"topics", "topic"},
	"keywords":           {"keywords", "keyword", "tags"},
	"language":           {"language", "lang", "locale"},
	"ageRange.min":       {"agerangemin", "agemin", "minage", "minimumage", "agefrom", "fromage"},
	"ageRange.max":       {"agerangemax", "agemax", "maxage", "maximumage", "ageto", "toage"},
	"educationLevels":    {"educationlevels", "educationlevel", "levels", "level"},
	"cefrLevel":          {"cefrlevel", "cefr"},
	"transcript":         {"transcript", "text"},
	"type":               {"type", "videotype", "contenttype"},
	"promoted":           {"promoted", "featured"},
	"availableUntil":     {"availableuntil", "until", "expires", "expireson", "expirydate", "expiry", "enddate"},
	"legacyId":           {"legacyid", "oldid"},
	"legalRestrictions":  {"legalrestrictions", "restrictions", "rights"},
}

// Guess returns a mapping to videos from the names of columns, and the separators of lists from their values.
func Guess(header []string, records []importer.RawRecord) *account.Mapping {
	m := &account.Mapping{Kind: catalogue.KindVideo, Fields: []account.ImportField{}}
	fields := append([]importline.FieldInfo{{Name: "ref"}}, importline.ColumnFields(catalogue.KindVideo)...)
	taken := map[string]bool{}
	for _, field := range fields {
		for _, name := range append([]string{folded(field.Name)}, synonyms[field.Name]...) {
			at := slices.IndexFunc(header, func(column string) bool { return folded(column) == name && !taken[column] })
			if at < 0 {
				continue
			}
			taken[header[at]] = true
			one := account.ImportField{Field: field.Name, Column: header[at]}
			if field.Type == importline.ListField {
				one.Separator = separatorIn(records, at)
			}
			m.Fields = append(m.Fields, one)
			break
		}
	}
	return m
}

// folded returns the letters and digits of a name in lower case.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// separatorIn returns what separates the values in a column.
func separatorIn(records []importer.RawRecord, column int) string {
	for _, separator := range []string{";", "|", ","} {
		for _, record := range records {
			if column < len(record.Fields) && strings.Contains(record.Fields[column], separator) {
				return separator
			}
		}
	}
	return ";"
}
