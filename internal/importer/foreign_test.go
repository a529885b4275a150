package importer_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importer"
)

func jq(program string) importer.Options {
	return importer.Options{JQ: program, JQName: "p.jq"}
}

const topicProgram = `{format: 1, kind: "topic", ref: (.id | tostring), name: .name}`

func TestAProgramMakesAnyNumberOfLines(t *testing.T) {
	c := openStore(t)
	o := imported(t, c, jq(`.names[] | {format: 1, kind: "topic", ref: ., name: "\($file):\($line) \(.)"}`),
		`{"names":["a","b"]}`+"\n\n"+`{"names":[]}`+"\n"+`{"names":["c"]}`)
	o.expect(t, importer.Counts{Added: 3})
	var names []string
	for _, topic := range must(c.Directory(t.Context(), 0)).Topics {
		names = append(names, topic.Name)
	}
	if got := strings.Join(names, ", "); got != "1.jsonl:1 a, 1.jsonl:1 b, 1.jsonl:4 c" {
		t.Error(got)
	}
}

func TestFaultsOfForeignRecordsNameTheRecord(t *testing.T) {
	for name, test := range map[string]struct {
		program, text string
		added         int
		fault         string
	}{
		"the program fails":        {topicProgram, `5`, 0, `1.jsonl:1 (output 1): jq: expected an object but got: number (5)`},
		"it fails half-way":        {`{format: 1, kind: "topic", ref: "a", name: "A"}, error("no more")`, `1`, 1, `1.jsonl:1 (output 2): jq: error: no more`},
		"it stops":                 {`{format: 1, kind: "topic", ref: "a", name: "A"}, halt`, `1`, 1, ``},
		"it stops with an error":   {`"bad" | halt_error`, `1`, 0, `1.jsonl:1 (output 1): jq: halt error: bad`},
		"it makes no object":       {`.`, `[1]`, 0, `1.jsonl:1 (output 1): [1] is not an object`},
		"it makes a faulty line":   {`{format: 1, kind: "topic", ref: "a", name: "A"}, {format: 1, kind: "topic", ref: "b", name: 5}`, `{}`, 1, `1.jsonl:1 (output 2): name: 5 is not a text`},
		"it makes too many":        {`range(20000) | {format: 1, kind: "topic", ref: "a", name: "A"}`, `1`, 10_000, `1.jsonl:1 (output 10001): jq: more than 10000 lines of one record`},
		"the record is no JSON":    {topicProgram, `{"a":tru}`, 0, `1.jsonl:1: is not valid JSON: invalid character '}' in literal true (expecting 'e') (byte 9)`},
		"two records on a line":    {topicProgram, `{} {}`, 0, `1.jsonl:1: has more behind its value: expected one JSON value a line`},
		"garbage behind":           {topicProgram, `{} x`, 0, `1.jsonl:1: has more behind its value: expected one JSON value a line`},
		"a key twice":              {topicProgram, `{"id":1,"id":2}`, 0, `1.jsonl:1: is not valid JSON: duplicate object member name (byte 9)`},
		"the record is no text":    {topicProgram, "\"\xff\"", 0, `1.jsonl:1: is not valid JSON: invalid UTF-8 (byte 2)`},
		"nested too deep":          {topicProgram, strings.Repeat("[", 10_000), 0, `1.jsonl:1: is nested more than 500 deep`},
		"a number without end":     {topicProgram, strings.Repeat("9", 101), 0, `1.jsonl:1: holds a number of 101 characters, at most 100 are allowed`},
		"big numbers stay exact":   {topicProgram, `{"id":123456789012345678901234567890,"name":"N"}`, 1, ``},
		"huge exponents are tamed": {`. * 2 | {format: 1, kind: "topic", ref: tostring, name: "N"}`, `1e99999`, 1, ``},
		"there is no environment":  {`{format: 1, kind: "topic", ref: "a", name: (env | length | tostring)}, {format: 1, kind: "topic", ref: "b", name: $ENV.PATH}`, `1`, 1, `1.jsonl:1 (output 2): name: must not be null`},
	} {
		t.Run(name, func(t *testing.T) {
			o := imported(t, openStore(t), jq(test.program), test.text)
			if problem := strings.Join(o.faults, "\n"); problem != test.fault {
				t.Errorf("got  %s\nwant %s", problem, test.fault)
			}
			if o.Added+o.Unchanged != test.added {
				t.Errorf("%+v", o.Counts)
			}
		})
	}
}

func TestAProgramThatDoesNotEndIsStopped(t *testing.T) {
	options := jq(`if . == 1 then def f: f; f else {format: 1, kind: "topic", ref: "a", name: "A"} end`)
	options.JQTime = 50 * time.Millisecond
	imported(t, openStore(t), options, "1\n2\n").expect(t, importer.Counts{Added: 1, Rejected: 1},
		"1.jsonl:1 (output 1): jq: took more than 50ms")
}

func TestProgramsThatCannotBeRun(t *testing.T) {
	for program, want := range map[string]string{
		"{a: 1,\n b: ]}":     `p.jq:2: unexpected token "]"`,
		"nonsense":           `p.jq: function not defined: nonsense/0`,
		`import "x" as x; .`: `p.jq: cannot load module: "x"`,
		`include "x"; .`:     `p.jq: cannot load module: "x"`,
		"input":              `p.jq: input(s)/0 is not allowed`,
		"$home":              `p.jq: variable not defined: $home`,
	} {
		summary, err := importer.Run(t.Context(), openStore(t), jq(program))
		if fault.CodeOf(err) != fault.Invalid || err.Error() != want || importer.ExitStatus(summary, err) != importer.ExitFailed {
			t.Errorf("%s: got %v, want %s", program, err, want)
		}
	}
}

func csvInput(text string) importer.Input {
	return importer.Input{Name: "t.csv", Size: -1, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
}

func TestCSV(t *testing.T) {
	for name, test := range map[string]struct {
		text   string
		names  string
		faults []string
	}{
		"quotes, lines and blanks": {"\ufeffid, name\n1,\"A, \"\"b\"\"\nc\"\n\n2,D\n", "A, \"b\"\nc|D", nil},
		"only a header":            {"id,name\n", "", nil},
		"nothing":                  {"", "", nil},
		"another number of fields": {"id,name\n1\n2,B\n", "B", []string{"t.csv:2: number of fields: 1; the first line names 2"}},
		"a bare quote":             {"id,name\n1,a\"b\n2,B\n", "B", []string{"t.csv:2: is not valid CSV: bare \" in non-quoted-field"}},
		"a quote without end":      {"id,name\n1,A\n2,\"B\n3,C\n", "A", []string{"t.csv:3: is not valid CSV: extraneous or missing \" in quoted-field"}},
		"not UTF-8":                {"id,name\n1,A\xff\n2,B\n", "B", []string{"t.csv:2: column \"name\" is not valid UTF-8: save the file as \"CSV UTF-8\""}},
		"a column without a name":  {"id,\n1,A\n", "", []string{"t.csv:1: cannot be read any further: column 2 has no name"}},
		"a picture":                {"\x89PNG\r\n\x1a\n\x00", "", []string{"t.csv:1: cannot be read any further: the name of column 1 is not valid UTF-8: save the file as \"CSV UTF-8\""}},
		"two columns of one name":  {"id,id\n1,A\n", "", []string{"t.csv:1: cannot be read any further: two columns are named \"id\""}},
		"the program's fault":      {"id,name\n1,A\n\n2,\n", "A", []string{"t.csv:4 (output 1): name: is required"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := openStore(t)
			options := jq(topicProgram)
			options.Inputs = []importer.Input{csvInput(test.text)}
			o := imported(t, c, options)
			if got, want := strings.Join(o.faults, "\n"), strings.Join(test.faults, "\n"); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			var names []string
			for _, topic := range must(c.Directory(t.Context(), 0)).Topics {
				names = append(names, topic.Name)
			}
			if got := strings.Join(names, "|"); got != test.names {
				t.Errorf("got %q, want %q", got, test.names)
			}
		})
	}
}

func TestACSVRecordWithoutEndIsBounded(t *testing.T) {
	endless := importer.Input{Name: "t.csv", Size: -1, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader("id,name\n1,A\n2,\""), forever{})), nil
	}}
	options := jq(topicProgram)
	options.Inputs = []importer.Input{endless}
	o := imported(t, openStore(t), options)
	o.expect(t, importer.Counts{Added: 1, Rejected: 1}, "t.csv: cannot be read any further: is longer than 16 MiB")
}

type forever struct{}

func (forever) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = "x\n"[i%2]
	}
	return len(b), nil
}

func TestCSVNeedsAProgram(t *testing.T) {
	_, err := importer.Run(t.Context(), openStore(t), importer.Options{Inputs: []importer.Input{csvInput("id\n1\n")}})
	want := "t.csv: CSV needs a jq program (--jq) that makes import lines of it"
	if fault.CodeOf(err) != fault.Invalid || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestStrictKeepsWhatTheProgramMade(t *testing.T) {
	options := jq(topicProgram)
	options.Strict = true
	imported(t, openStore(t), options, `{"id":1,"name":"A"}`+"\n"+`{"id":2}`).expect(t, importer.Counts{Rejected: 1},
		"1.jsonl:2 (output 1): name: must not be null")
	imported(t, openStore(t), options, `{"id":1,"name":"A"}`+"\n"+fmt.Sprintf(`{"id":2,"name":%q}`, strings.Repeat("B", 200))).expect(t,
		importer.Counts{Added: 2})
}
