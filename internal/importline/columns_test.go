package importline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importline"
)

func TestColumnFields(t *testing.T) {
	types := map[importline.FieldType]string{
		importline.TextField: "text", importline.NumberField: "number", importline.BooleanField: "boolean",
		importline.DurationField: "duration", importline.ListField: "list",
	}
	var got []string
	for _, field := range importline.ColumnFields(catalogue.KindVideo) {
		got = append(got, fmt.Sprintf("%s %s %t", field.Name, types[field.Type], field.Required))
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{
		"title text true", "releasedOn text true", "playback.duration duration true", "playback.stream text false", "subjects list false",
		"subjectsSetManually boolean false", "transcript text false", "ageRange.min number false", "contentWarnings list false", "availableUntil text false",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("there is no %q in\n%s", want, all)
		}
	}
	for _, none := range []string{"attachments", "hasTranscript", "playback text"} {
		if strings.Contains(all, none) {
			t.Errorf("%s is among the columns", none)
		}
	}
	for _, kind := range importline.Kinds() {
		if importline.ColumnFields(kind) == nil {
			t.Errorf("no column fills a %s", kind)
		}
	}
	if importline.ColumnFields("film") != nil {
		t.Error("an unknown kind has fields")
	}
}
