package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

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
func foreignValue(text []byte) (any, error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text))
	value, err := decodeAny(decoder, 0)
	if err == nil {
		if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
			return nil, errors.New("has more behind its value: expected one JSON value a line")
		}
		return value, nil
	}
	if err, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		problem := strings.TrimPrefix(err.Err.Error(), "jsontext: ")
		return nil, fmt.Errorf("is not valid JSON: %s (byte %d)", problem, err.ByteOffset+1)
	}
	return nil, err
}

func decodeAny(decoder *jsontext.Decoder, depth int) (any, error) {
	if depth > maxForeignDepth {
		return nil, fmt.Errorf("is nested more than %d deep", maxForeignDepth)
	}
	token, err := decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	case '0':
		number := token.String()
		if len(number) > maxNumberLength {
			return nil, fmt.Errorf("holds a number of %d characters, at most %d are allowed", len(number), maxNumberLength)
		}
		return json.Number(number), nil
	case '[':
		return decodeArray(decoder, depth)
	default:
		return decodeObject(decoder, depth)
	}
}

func decodeArray(decoder *jsontext.Decoder, depth int) (any, error) {
	array := []any{}
	for decoder.PeekKind() != ']' {
		element, err := decodeAny(decoder, depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, element)
	}
	_, err := decoder.ReadToken()
	return array, err
}

func decodeObject(decoder *jsontext.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		if object[key], err = decodeAny(decoder, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := decoder.ReadToken()
	return object, err
}
