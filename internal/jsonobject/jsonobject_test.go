package jsonobject_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/jsonobject"
)

func TestSplit(t *testing.T) {
	members, err := jsonobject.Split([]byte(` {"a" : 1.10, "\u0062":{"c":[ ]} } `))
	if err != nil || len(members) != 2 || members[0].Name != "a" || string(members[0].Value) != "1.10" || members[1].Name != "b" || string(members[1].Value) != `{"c":[ ]}` {
		t.Errorf("got %q, %v", members, err)
	}
	if got := string(jsonobject.Join(members)); got != `{"a":1.10,"b":{"c":[ ]}}` {
		t.Errorf("joined: %s", got)
	}
	for text, want := range map[string]string{
		"": "is empty, and not an object", "  ": "is empty, and not an object", "null": "null is not an object", "[1, {}]": "[1, {}] is not an object",
		`"x` + "\u0080\"": `"x�" is not an object`, "{": "is not valid JSON: unexpected EOF (byte 2)", "{}{}": "is followed by something else",
		"{}x": "is followed by something else", `{"a":1,"a":2}`: "a is given twice", `{"a":[{},{"b":1,"b":2}]}`: "a[1].b is given twice",
		`{"a":NaN}`: "a is not valid JSON: invalid character 'N' in literal null (expecting 'n') (byte 6)", "{\"a\":\"\xff\"}": "a is not valid JSON: invalid UTF-8 (byte 7)",
		`{"a":"\ud800"}`: "a is not valid JSON: invalid surrogate pair",
	} {
		if _, err := jsonobject.Split([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), strings.Split(want, " in literal")[0]) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestList(t *testing.T) {
	elements, err := jsonobject.List([]byte(" [ {\"a\":1,\"a\":2} , \"\xff\", 3 ] "), 3)
	if err != nil || len(elements) != 3 || string(elements[0]) != `{"a":1,"a":2}` || string(elements[1]) != "\"\xff\"" || string(elements[2]) != "3" {
		t.Errorf("got %q, %v", elements, err)
	}
	for text, want := range map[string]string{
		"": "is empty, and not a list", "{}": "{} is not a list", "[1,2,3,4": "has more than 3 elements", "[1,2": "is not valid JSON", "[1]]": "is followed by something else",
	} {
		if _, err := jsonobject.List([]byte(text), 3); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// TestReader checks that each fault has the path of its field.
func TestReader(t *testing.T) {
	var in jsonobject.Reader
	in.Enter("a")
	in.Each(jsontext.Value(`["x",1,null,true,12.5,1e2,99999999999]`), 6, func(element jsontext.Value) {
		in.Text(element)
		in.Enter("b")
		in.Whole(element)
		in.Leave()
	})
	in.Boolean(jsontext.Value(`{}`))
	in.Number(jsontext.Value(`[1]`))
	in.Add(&fault.FieldError{Field: "c", Problem: "is given twice"})
	in.Leave()
	in.Fault("is wrong")
	want := []string{
		`a[0].b: "x" is not a whole number`, "a[1]: 1 is not a text", "a[2] must not be null", "a[3]: true is not a text", "a[3].b: true is not a whole number",
		"a[4]: 12.5 is not a text", "a[4].b: 12.5 is not a whole number", "a[5]: 1e2 is not a text", "a has more than 6 elements",
		"a: an object is not true or false", "a: a list is not a number", "a.c is given twice", "is wrong",
	}
	var got []string
	for _, one := range in.Faults {
		got = append(got, one.Error())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if sound := in.Sound(); in.Whole(jsontext.Value("1e2")) != 100 || in.Whole(jsontext.Value("-7")) != -7 || in.Number(jsontext.Value("2.5")) != 2.5 || !sound() {
		t.Errorf("got %v", in.Faults)
	}
	if in.Whole(jsontext.Value("99999999999")); in.Faults[len(in.Faults)-1].Problem != "99999999999 is not a whole number of 32 bits" {
		t.Errorf("got %v", in.Faults)
	}
}

// FuzzSplit checks that an object has the members that encoding/json reads, and that each error is one readable line.
func FuzzSplit(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":1}`, `{"a":{"b":[]},"\u0063":"\n"}`, `[]`, `{"a":1,"a":2}`, "{\"\xff\":1}", "\"\u0080"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		members, err := jsonobject.Split(text)
		if err != nil {
			if !utf8.ValidString(err.Error()) || strings.ContainsFunc(err.Problem, unicode.IsControl) {
				t.Fatalf("%q: %q", text, err)
			}
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil || len(want) != len(members) {
			t.Fatalf("%q: got %q, want %q, %v", text, members, want, err)
		}
		for _, m := range members {
			if string(want[m.Name]) != string(m.Value) {
				t.Fatalf("%q: %q is %s, want %s", text, m.Name, m.Value, want[m.Name])
			}
		}
	})
}
