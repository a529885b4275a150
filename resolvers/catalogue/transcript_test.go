package catalogue

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFileName(t *testing.T) {
	for title, want := range map[string]string{
		"Why ice floats":           "Why_ice_floats.txt",
		"  Why ice floats\n":       "Why_ice_floats.txt",
		`a/b\c?d%e*f:g|h"i<j>k.`:   "a_b_c_d_e_f_g_h_i_j_k_.txt",
		"one\r\ntwo\tthree":        "one__two_three.txt",
		"../../etc/passwd":         "______etc_passwd.txt",
		"x.exe":                    "x_exe.txt",
		"Élan – 日本":                "Élan_–_日本.txt",
		"it's (1) + 2 & 3; 'four'": "it's_(1)_+_2_&_3;_'four'.txt",
	} {
		if got := fileName(title) + ".txt"; got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.String().Draw(t, "title")
		name := fileName(title)
		if strings.ContainsAny(name, "/\\?%*:|\"<>. \n\r\t") {
			t.Fatalf("%q becomes %q", title, name)
		}
	})
}

func TestReadable(t *testing.T) {
	for text, want := range map[string]string{
		"One. Two. Three.":       "One.\n\nTwo.\n\nThree.",
		"One.\n\nTwo. Three.":    "One.\n\nTwo. Three.",
		"One.\nTwo. Three.":      "One.\nTwo.\n\nThree.",
		"No full stop":           "No full stop",
		"":                       "",
		"3.14 is not a sentence": "3.14 is not a sentence",
	} {
		if got := readable(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
