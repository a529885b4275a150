package usage

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// sign sets the checksum.
func (s *Statement) sign() (err error) {
	s.Checksum, err = s.sum()
	return err
}

// sum returns the correct checksum.
func (s *Statement) sum() (string, error) {
	unsigned := *s
	unsigned.Checksum, unsigned.Seal = "", nil
	if unsigned.Lines == nil {
		unsigned.Lines = []Line{} // nil and empty lines have the same encoding
	}
	if s.SealedAt != nil {
		at := s.SealedAt.UTC() // the time zone of a read value must not matter
		unsigned.SealedAt = &at
	}
	return sumOf(unsigned)
}

// sumOf returns the hexadecimal SHA-256 hash of the JSON encoding of a value.
func sumOf(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:]), nil
}

// Difference is a discrepancy found by a check.
type Difference struct {
	// Account and Month identify the statement or counts with the difference; "" and zero if it concerns everything.
	Account string
	Month   Month
	// The found and the expected value, as text.
	What string
}

// String returns account, month and description.
func (d Difference) String() string {
	if d.Month == (Month{}) {
		return d.What
	}
	return fmt.Sprintf("account %q, month %s: %s", d.Account, d.Month, d.What)
}

// CheckChain checks the checksums of all sealed statements of an account, in the order of months, and that each
// refers to its predecessor.
func CheckChain(statements []Statement) []Difference {
	var found []Difference
	previous := ""
	for i := range statements {
		s := &statements[i]
		wrong := func(format string, args ...any) {
			found = append(found, Difference{s.Account, s.Month, fmt.Sprintf(format, args...)})
		}
		if sum, err := s.sum(); err != nil || sum != s.Checksum {
			wrong("the checksum is %s, but the content gives %s", s.Checksum, sum)
		}
		if s.Previous != previous {
			wrong("the previous checksum is given as %q, but is %q", s.Previous, previous)
		}
		if i > 0 && !statements[i-1].Month.Before(s.Month) {
			wrong("it is not after the statement of %s", statements[i-1].Month)
		}
		previous = s.Checksum
	}
	return found
}
