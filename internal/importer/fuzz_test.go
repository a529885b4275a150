package importer

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"
)

// FuzzForeignValue checks that no foreign record causes a panic, and that encoding/json reads an accepted record the
// same way.
func FuzzForeignValue(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-2.5e3,true,false,null,"\u00e4\ud83d\ude00"],"b":{"c":{}}}`, `[]`, `1e999`, `12345678901234567890`, `"x" `, `{"a":1,"a":2}`, "\"\xff\"", `{} x`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		value, err := foreignValue(text)
		if err != nil {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("accepted, but %v", err)
		}
		if !reflect.DeepEqual(value, want) {
			t.Fatalf("got %#v, want %#v", value, want)
		}
	})
}

// FuzzInputs checks that reading any file ends, and that the lines of its texts and problems ascend.
func FuzzInputs(f *testing.F) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(w, "a,b\n1,2\n")
	_ = w.Close()
	for _, seed := range [][]byte{
		[]byte("{\"a\":1}\r\n\n[2]"), []byte("\ufeffa,b\n\"x\ny\",\"\"\"\"\n1\n"), zipped.Bytes(), zipped.Bytes()[:12], []byte("a,\"b\n"), {0x1f, 0x8b},
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, content []byte, isCSV bool) {
		name := "a.jsonl"
		if isCSV {
			name = "a.csv"
		}
		reader := newInputReader([]Input{{Name: name, Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(content)), nil
		}}}, true, nil)
		defer reader.close()
		for before := 0; ; {
			piece, _, err := reader.next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				return
			}
			for _, l := range piece {
				switch {
				case (l.problem == "") == (l.text == nil):
					t.Fatalf("neither text nor problem, or both: %+v", l)
				case l.problem == "" && l.line <= before:
					t.Fatalf("line %d after line %d", l.line, before)
				case isCSV && l.problem == "" && !json.Valid(l.text):
					t.Fatalf("%q is not JSON", l.text)
				}
				before = max(before, l.line)
			}
		}
	})
}
