package importer

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/itchyny/gojq"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importline"
)

// The limits of a jq program per record.
const (
	// MaxOutputs is the maximum number of lines that it yields.
	MaxOutputs = 10_000
	// MaxOutputBytes is the maximum size of these lines together.
	MaxOutputBytes = MaxLineLength
	// maxNumberLength is the maximum number of characters of a number in a foreign record.
	maxNumberLength = 100
	// maxForeignDepth is the maximum nesting depth of a foreign record.
	maxForeignDepth = 500
)

// program is a compiled jq program. It sees the record and the variables $file and $line, but nothing of the machine:
// no environment, no other files, no modules.
type program struct {
	code *gojq.Code
	// time is the maximum time per record.
	time time.Duration
	// processes run the program in bounded memory; with nil, it runs in this process.
	processes *jqProcesses
}

// output is a result of a program for a record: a line, or a problem.
type output struct {
	Text    []byte
	Problem string
	// OfRecord means that the record itself is at fault, and the program has not seen it.
	OfRecord bool
	// Last marks the end of the outputs of a record; it has no other content.
	Last bool
}

// compile returns nil for an empty text. The error has code Invalid and names the program and the line.
func compile(name, text string, time time.Duration) (*program, error) {
	if text == "" {
		return nil, nil
	}
	query, err := gojq.Parse(text)
	if err != nil {
		place := name
		if parseErr, ok := errors.AsType[*gojq.ParseError](err); ok {
			place = fmt.Sprintf("%s:%d", name, 1+strings.Count(text[:min(parseErr.Offset, len(text))], "\n"))
		}
		return nil, fault.InvalidRequest("%s: %s", place, err)
	}
	code, err := gojq.Compile(query, gojq.WithVariables([]string{"$file", "$line"}))
	if err != nil {
		return nil, fault.InvalidRequest("%s: %s", name, err)
	}
	return &program{code: code, time: time}, nil
}

// translate appends the import lines that the program makes of a foreign line. An error of the program becomes an entry
// with a fault; its earlier outputs remain.
func (p *program) translate(ctx context.Context, l line, entries []entry) []entry {
	at := l.position
	emit := func(o output) {
		if o.OfRecord {
			entries = append(entries, faulty(l.position, o.Problem))
			return
		}
		at.output++
		if o.Problem != "" {
			entries = append(entries, faulty(at, o.Problem))
			return
		}
		entries = append(entries, entry{position: at, text: o.Text, record: importline.Decode(o.Text)})
	}
	if p.processes != nil {
		p.processes.translate(ctx, l, emit)
	} else {
		p.run(ctx, l.text, l.file, l.line, emit)
	}
	return entries
}

// run runs the program on a record.
func (p *program) run(ctx context.Context, text []byte, file string, number int, emit func(output)) {
	record, err := foreignValue(text)
	if err != nil {
		emit(output{Problem: err.Error(), OfRecord: true})
		return
	}
	ctx, cancel := context.WithTimeout(ctx, p.time)
	defer cancel()
	outputs, bytes := p.code.RunWithContext(ctx, record, file, number), 0
	for n := 1; ; n++ {
		value, more := outputs.Next()
		if !more {
			return
		}
		if err, failed := value.(error); failed {
			if problem := p.problem(err); problem != "" {
				emit(output{Problem: problem})
			}
			return
		}
		if n > MaxOutputs {
			emit(output{Problem: fmt.Sprintf("jq: more than %d lines of one record", MaxOutputs)})
			return
		}
		made := outputOf(value)
		if bytes += len(made.Text); bytes > MaxOutputBytes {
			emit(output{Problem: fmt.Sprintf("jq: more than %d bytes of lines of one record", MaxOutputBytes)})
			return
		}
		emit(made)
	}
}

func outputOf(value any) output {
	text, err := gojq.Marshal(value)
	switch {
	case err != nil:
		return output{Problem: "jq: " + err.Error()}
	case len(text) > MaxLineLength:
		return output{Problem: fmt.Sprintf("jq: a line of %d bytes, at most %d are allowed", len(text), MaxLineLength)}
	}
	return output{Text: text}
}

// problem describes an error; it returns "" if the program merely halted.
func (p *program) problem(err error) string {
	if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
		return ""
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return tookTooLong(p.time)
	}
	text := err.Error()
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "…"
	}
	return "jq: " + text
}

func tookTooLong(limit time.Duration) string { return fmt.Sprintf("jq: took more than %s", limit) }

// foreignValue decodes a foreign record as gojq expects it. Numbers keep their spelling.
func foreignValue(text []byte) (value any, err error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text))
	if err = json.UnmarshalDecode(decoder, &value, foreignForm); err == nil {
		if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
			return nil, errors.New("has more behind its value: expected one JSON value a line")
		}
		return value, nil
	}
	if err, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		problem := strings.TrimPrefix(err.Err.Error(), "jsontext: ")
		return nil, fmt.Errorf("is not valid JSON: %s (byte %d)", problem, err.ByteOffset+1)
	}
	if err, ok := errors.AsType[*json.SemanticError](err); ok {
		return nil, err.Err
	}
	return nil, err
}

// foreignForm keeps the spelling of numbers, and bounds their length and the depth of records.
var foreignForm = json.WithUnmarshalers(json.UnmarshalFromFunc(func(decoder *jsontext.Decoder, value *any) error {
	if decoder.StackDepth() > maxForeignDepth {
		return fmt.Errorf("is nested more than %d deep", maxForeignDepth)
	}
	if decoder.PeekKind() != '0' {
		return errors.ErrUnsupported // which lets the package decode the value
	}
	number, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	if len(number) > maxNumberLength {
		return fmt.Errorf("holds a number of %d characters, at most %d are allowed", len(number), maxNumberLength)
	}
	*value = stdjson.Number(number)
	return nil
}))
