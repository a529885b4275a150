package demo

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"image/color"
	"io"
	"io/fs"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/media"
)

//go:embed catalogue/*.yaml
var files embed.FS

// source is the source of all items of the demo (docs/import.md).
const source = "demo"

// segmentLength is the length of the segments of the streams in the binary. Lengths of videos are rounded up to it, so
// that a stream is exactly as long as its video.
const segmentLength = 6 * time.Second

// file is the content of one file of the catalogue folder.
type file struct {
	// Colors are the backgrounds of title cards by subject, as #rrggbb.
	Colors map[string]string `yaml:"colors"`
	// Items are import lines without format and source.
	Items       []map[string]any `yaml:"items"`
	Videos      []video          `yaml:"videos"`
	Theme       *theme           `yaml:"theme"`
	Collections []collectionList `yaml:"collections"`
}

// video is a video as its authors write it. The other fields of its import line follow from these.
type video struct {
	Ref         string   `yaml:"ref"`
	Title       string   `yaml:"title"`
	Channel     string   `yaml:"channel"`
	Subjects    []string `yaml:"subjects"`
	Topics      []string `yaml:"topics"`
	Released    string   `yaml:"released"`
	Duration    string   `yaml:"duration"` // minutes:seconds
	Language    string   `yaml:"language"`
	Ages        [2]int   `yaml:"ages"`
	Levels      []string `yaml:"levels"`
	CEFR        string   `yaml:"cefr"`
	Style       []string `yaml:"style"`
	Type        string   `yaml:"type"` // "": INSTRUCTIONAL
	BestFor     []string `yaml:"best_for"`
	Warnings    []string `yaml:"warnings"`
	Keywords    []string `yaml:"keywords"`
	Description string   `yaml:"description"`
	// Attachments have the form of import lines. Their links end in .example, so no address is real.
	Attachments []map[string]any `yaml:"attachments"`
	Transcript  string           `yaml:"transcript"`
	Outcomes    []string         `yaml:"outcomes"`
	Questions   []string         `yaml:"questions"`
	Highlights  []highlight      `yaml:"highlights"`
	Retired     bool             `yaml:"retired"`
	RetiredInto string           `yaml:"retired_into"` // the replacement, if any
}

// highlight is a segment of a video; At and To are minutes:seconds.
type highlight struct {
	At      string `yaml:"at"`
	To      string `yaml:"to"`
	Title   string `yaml:"title"`
	Caption string `yaml:"caption"`
}

// theme aligns videos with the curriculum of one subject. Videos are named by ref.
type theme struct {
	Title  string `yaml:"title"`
	Topics []struct {
		Title   string `yaml:"title"`
		Targets []struct {
			Title  string   `yaml:"title"`
			Videos []string `yaml:"videos"`
		} `yaml:"targets"`
	} `yaml:"topics"`
}

// content is the whole catalogue.
type content struct {
	items       []map[string]any
	videos      []video
	themes      []theme
	collections []collectionList
	cards       map[string]media.Card // by name
	categories  map[string]string     // Thema codes by subject
}

// contents parses the files once. They are in the binary, so a fault is a fault of the build, which a test finds.
var contents = sync.OnceValue(func() *content {
	parsed, err := parse(files)
	if err != nil {
		panic("demo: " + err.Error())
	}
	return parsed
})

func parse(files fs.FS) (*content, error) {
	names, err := fs.Glob(files, "catalogue/*.yaml")
	if err != nil {
		return nil, err
	}
	c, colors := &content{cards: map[string]media.Card{}, categories: map[string]string{}}, map[string]string{}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		var one file
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		decoder.KnownFields(true)
		if err := decoder.Decode(&one); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		c.items, c.videos, c.collections = append(c.items, one.Items...), append(c.videos, one.Videos...), append(c.collections, one.Collections...)
		if one.Theme != nil {
			c.themes = append(c.themes, *one.Theme)
		}
		maps.Copy(colors, one.Colors)
	}
	return c, c.addCards(colors)
}

// addCards makes the title card of each video: the color and the name of its first subject, its title and its channel.
func (c *content) addCards(colors map[string]string) error {
	names := map[string]string{} // of channels and subjects, by kind and ref
	for _, item := range c.items {
		names[fmt.Sprint(item["kind"], " ", item["ref"])] = fmt.Sprint(item["name"])
		if categories, ok := item["categories"].([]any); ok && item["kind"] == "subject" {
			c.categories[fmt.Sprint(item["ref"])] = fmt.Sprint(categories[0].(map[string]any)["code"])
		}
	}
	for i := range c.videos {
		v := &c.videos[i]
		if len(v.Subjects) == 0 {
			return fmt.Errorf("video %s has no subject", v.Ref)
		}
		n, err := strconv.ParseUint(strings.TrimPrefix(colors[v.Subjects[0]], "#"), 16, 24)
		if err != nil {
			return fmt.Errorf("video %s: the color of %q: %w", v.Ref, v.Subjects[0], err)
		}
		c.cards[cardName(v.Ref)] = media.Card{
			Title: v.Title, Channel: names["channel "+v.Channel], Subject: names["subject "+v.Subjects[0]],
			Color: color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255},
		}
	}
	return nil
}

// VideoCount returns the number of videos of the catalogue that a customer without restrictions sees.
func VideoCount() int { return len(contents().published()) }

// privateChannel is the channel whose videos customers do not see.
const privateChannel = "workshop"

// published returns the videos that customers see.
func (c *content) published() (list []*video) {
	for i := range c.videos {
		if v := &c.videos[i]; !v.Retired && v.Channel != privateChannel {
			list = append(list, v)
		}
	}
	return list
}

// Card returns the title card with a name (media.Options.Card). Its content is in the binary, so it is no secret.
func Card(name string) (media.Card, bool) {
	card, ok := contents().cards[name]
	return card, ok
}

func cardName(ref string) string { return "card-" + ref }

// id returns the ID that the importer derives for a video.
func id(ref string) catalogue.ID { return catalogue.DeriveID(catalogue.KindVideo, source, ref) }

// write writes the catalogue as import lines.
func (c *content) write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	line := func(kind string, fields map[string]any) error {
		fields["format"], fields["source"], fields["kind"] = 1, source, kind
		return encoder.Encode(fields)
	}
	for _, item := range c.items {
		if err := line(fmt.Sprint(item["kind"]), maps.Clone(item)); err != nil {
			return err
		}
	}
	for i := range c.videos {
		if err := c.videos[i].write(c, line); err != nil {
			return fmt.Errorf("video %s: %w", c.videos[i].Ref, err)
		}
	}
	for i := range c.themes {
		if err := line("theme", c.themes[i].fields()); err != nil {
			return err
		}
	}
	return nil
}

// write writes the line of a video and the lines of the items that belong to it.
func (v *video) write(c *content, line func(kind string, fields map[string]any) error) error {
	length, err := v.length()
	if err != nil {
		return err
	}
	if err := line("video", v.fields(c, length)); err != nil {
		return err
	}
	if v.Transcript != "" {
		err := line("captions", map[string]any{
			"video": v.Ref, "language": v.Language, "humanGenerated": v.hash()%3 > 0, "cues": cues(v.Transcript, length),
		})
		if err != nil {
			return err
		}
	}
	if v.Outcomes != nil || v.Questions != nil {
		err := line("learning-material", map[string]any{"video": v.Ref, "learningOutcomes": v.Outcomes, "assessmentQuestions": v.Questions})
		if err != nil {
			return err
		}
	}
	for i, h := range v.Highlights {
		from, err := clock(h.At)
		if err != nil {
			return err
		}
		to, err := clock(h.To)
		if err != nil {
			return err
		}
		err = line("highlight", map[string]any{
			"ref": fmt.Sprintf("highlight-%s-%d", v.Ref, i+1), "video": v.Ref, "start": from.Seconds(), "end": min(to, length).Seconds(),
			"title": h.Title, "caption": h.Caption,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// streams are the streams in the binary.
var streams = []string{"pattern", "fractal", "bars"}

// fields returns the fields of the video's import line.
func (v *video) fields(c *content, length time.Duration) map[string]any {
	stream := catalogue.DemoStreamScheme + streams[v.hash()%len(streams)]
	fields := map[string]any{
		"ref": v.Ref, "title": v.Title, "channel": v.Channel, "subjects": v.Subjects, "topics": v.Topics, "subjectsSetManually": true,
		"releasedOn": v.Released, "language": v.Language, "description": v.Description, "keywords": v.Keywords,
		"type": cmp.Or(v.Type, string(catalogue.Instructional)), "contentCategories": v.Style, "categories": []string{c.categories[v.Subjects[0]]},
		"ageRange": map[string]int{"min": v.Ages[0], "max": v.Ages[1]}, "educationLevels": v.Levels,
		"bestFor": v.BestFor, "contentWarnings": append([]string{}, v.Warnings...),
		"playback": map[string]any{
			"duration": length.Seconds(), "stream": stream, "preview": stream, "thumbnail": catalogue.DemoStreamScheme + cardName(v.Ref),
		},
	}
	if v.Transcript != "" {
		fields["transcript"] = v.Transcript
	}
	if v.Attachments != nil {
		fields["attachments"] = v.Attachments
	}
	if v.CEFR != "" {
		fields["cefrLevel"] = v.CEFR
	}
	if v.Retired {
		fields["retired"] = true
	}
	if v.RetiredInto != "" {
		fields["retiredInto"] = v.RetiredInto
	}
	return fields
}

// length returns the length of the video and of its stream.
func (v *video) length() (time.Duration, error) {
	length, err := clock(v.Duration)
	return (length + segmentLength - 1).Truncate(segmentLength), err
}

// hash returns a number that depends on the video only.
func (v *video) hash() int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(v.Ref))
	return int(h.Sum32() >> 1)
}

func (t *theme) fields() map[string]any {
	topics := make([]map[string]any, len(t.Topics))
	for i, topic := range t.Topics {
		targets := make([]map[string]any, len(topic.Targets))
		for k, target := range topic.Targets {
			targets[k] = map[string]any{"title": target.Title, "videos": target.Videos}
		}
		topics[i] = map[string]any{"title": topic.Title, "targets": targets}
	}
	return map[string]any{"ref": "theme-" + strings.ToLower(t.Title), "provider": curriculum, "type": "Standard", "title": t.Title, "topics": topics}
}

// curriculum is the provider of all themes.
const curriculum = "open-curriculum"

// cues spreads the sentences of a transcript over a video, each for a time that its length suggests.
func cues(transcript string, length time.Duration) (list []map[string]any) {
	total, said := utf8.RuneCountInString(transcript), 0
	at := func(n int) float64 {
		return (length * time.Duration(n) / time.Duration(total)).Round(time.Millisecond).Seconds()
	}
	for _, sentence := range generate.Sentences(transcript) {
		start := at(said)
		said += utf8.RuneCountInString(sentence)
		list = append(list, map[string]any{"start": start, "end": at(said), "text": sentence})
	}
	return list
}

// clock parses minutes:seconds.
func clock(text string) (time.Duration, error) {
	minutes, seconds, _ := strings.Cut(text, ":")
	length, err := time.ParseDuration(minutes + "m" + seconds + "s")
	if err != nil {
		return 0, fmt.Errorf("%q is not minutes:seconds", text)
	}
	return length, nil
}
