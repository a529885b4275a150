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

// sum is what the checksum has to be.
func (s *Statement) sum() (string, error) {
	unsigned := *s
	unsigned.Checksum, unsigned.Seal = "", nil
	if unsigned.Lines == nil {
		unsigned.Lines = []Line{} // no lines are written alike, however they are kept
	}
	if s.SealedAt != nil {
		at := s.SealedAt.UTC() // and a moment, in whatever zone it was read
		unsigned.SealedAt = &at
	}
	text, err := json.Marshal(unsigned)
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:]), nil
}

// Difference is something that does not agree with the log.
type Difference struct {
	// Account and Month say where; "" and zero: everywhere.
	Account string
	Month   Month
	// What says what was found and what was expected.
	What string
}

// String is account, month and what.
func (d Difference) String() string {
	if d.Month == (Month{}) {
		return d.What
	}
	return fmt.Sprintf("account %q, month %s: %s", d.Account, d.Month, d.What)
}

// CheckChain checks the checksums of an account's sealed statements, which are all in the order of months, and
// that each names the one before. It returns what is wrong.
func CheckChain(statements []Statement) []Difference {
	var found []Difference
	previous := ""
	for i := range statements {
		s := &statements[i]
		wrong := func(format string, args ...any) {
			found = append(found, Difference{s.Account, s.Month, fmt.Sprintf(format, args...)})
		}
		if sum, err := s.sum(); err != nil || sum != s.Checksum {
			wrong("the checksum is %s, its content comes to %s", s.Checksum, sum)
		}
		if s.Previous != previous {
			wrong("it names %q as the checksum before, which is %q", s.Previous, previous)
		}
		if i > 0 && !statements[i-1].Month.Before(s.Month) {
			wrong("it does not come after that of %s", statements[i-1].Month)
		}
		previous = s.Checksum
	}
	return found
}
