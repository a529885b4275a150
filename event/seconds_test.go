package event_test

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/event"
)

// played parses a number and returns it in milliseconds.
func played(number string) (int64, error) {
	t, err := event.ParseSeconds([]byte(number))
	return int64(t), err
}

func TestSecondsAreExact(t *testing.T) {
	for number, want := range map[string]int64{
		"0": 0, "-0": 0, "0.0": 0, "-0.0e-5": 0, "0e99999999999999999999": 0, "1": 1000, "0.29": 290, "1.1": 1100, "4.35": 4350, "2.675": 2675, "1.005": 1005,
		"12.333333333333334": 12333, "0.105628": 105, "0.9999": 999, "0.0009": 0, "0.001": 1, "1e3": 1_000_000, "1E+3": 1_000_000, "1.5e-1": 150,
		"123e-4": 12, "123456e-5": 1234, "0.00012345e5": 12_345, "0.29e1": 2900, "1e-3": 1, "9e-4": 0, "1e-99999999999999999999": 0, "100e-2": 1000,
		"31622400": 31_622_400_000, "31622399.9999": 31_622_399_999, "0.0316224e9": 31_622_400_000, "31622400.0009": 31_622_400_000, "9007199.254740993": 9_007_199_254,
		"1" + strings.Repeat("0", 500) + "e-500": 1000, "0." + strings.Repeat("0", 500) + "1e501": 1000, "0." + strings.Repeat("3", 500): 333,
	} {
		if got, err := played(number); err != nil || got != want {
			t.Errorf("%.40s: got %d, %v, want %d", number, got, err, want)
		}
	}
	for _, number := range []string{"31622400.001", "1e8", "99999999999", "1e99999999999999999999", "1" + strings.Repeat("0", 500), "-1", "-1e-99", "-31622401"} {
		if got, err := played(number); err == nil {
			t.Errorf("%.40s is taken as %d", number, got)
		}
	}
}

// TestSecondsAgreeWithRationals checks that the milliseconds are exact, whatever the form of the number.
func TestSecondsAgreeWithRationals(t *testing.T) {
	most := new(big.Int).SetInt64(event.MaxSeconds * 1000)
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`(0|[1-9][0-9]{0,12})(\.[0-9]{1,15})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number")
		exact, ok := new(big.Rat).SetString(number)
		if !ok {
			t.Fatalf("%q is no number", number)
		}
		exact.Mul(exact, big.NewRat(1000, 1))
		want := new(big.Int).Quo(exact.Num(), exact.Denom())
		got, err := played(number)
		if fits := want.Cmp(most) <= 0; fits != (err == nil) || fits && got != want.Int64() {
			t.Fatalf("%s: got %d, %v, want %v", number, got, err, want)
		}
	})
}

// TestSecondsRoundTrip checks that written seconds are read as the same value and have the shortest form.
func TestSecondsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Int64Range(0, event.MaxSeconds*1000).Draw(t, "milliseconds")
		text := string(event.AppendSeconds(nil, want))
		if got, err := played(text); err != nil || got != want {
			t.Fatalf("%d is written %s and read as %d, %v", want, text, got, err)
		}
		if strings.Contains(text, ".") && strings.HasSuffix(text, "0") {
			t.Fatalf("%s ends with a zero", text)
		}
	})
	for milliseconds, want := range map[int64]string{0: "0", 1: "0.001", 10: "0.01", 1500: "1.5", -250: "-0.25", 31_622_400_000: "31622400"} {
		if got := string(event.AppendSeconds([]byte("x"), milliseconds)); got != "x"+want {
			t.Errorf("%d: got %s, want x%s", milliseconds, got, want)
		}
	}
}
