package usage

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// DigestFormat is the Format of SealDigests created by this release.
const DigestFormat = 1

// SealDigest commits to a seal, to the content of all its statements, and to every earlier seal. Its one-line JSON
// encoding can be published: it contains no account names.
type SealDigest struct {
	Format int `json:"format"`
	// Number is the sequence number of the seal, starting at 1.
	Number int   `json:"number"`
	Month  Month `json:"month"`
	// Position and SealedAt come from the seal; SealedAt is in UTC with whole milliseconds.
	Position event.Position `json:"position"`
	SealedAt time.Time      `json:"sealedAt"`
	// Previous is the Digest of the previous seal, or "" for the first.
	Previous string `json:"previous"`
	// Statements are the sorted checksums of the seal's statements. nil means a published line without them.
	Statements []string `json:"statements,omitzero"`
	// Digest is the hexadecimal SHA-256 hash of the JSON encoding with an empty Digest.
	Digest string `json:"digest"`
}

// StatementSeal is the part of the SealDigest that a sealed statement contains.
type StatementSeal struct {
	Number   int    `json:"number"`
	Digest   string `json:"digest"`
	Previous string `json:"previous"`
}

// sum returns the correct Digest.
func (d *SealDigest) sum() (string, error) {
	unsigned := *d
	unsigned.Digest = ""
	return sumOf(unsigned)
}

// Digests returns the digests of seals, which must be in the order of months. It computes them from the content of
// the statements and ignores the checksums in them. before are the digests of the earlier seals.
func Digests(before []SealDigest, seals []Seal, statements []Statement) ([]SealDigest, error) {
	sums := make(map[Month][]string, len(seals))
	for i := range statements {
		sum, err := statements[i].sum()
		if err != nil {
			return nil, err
		}
		sums[statements[i].Month] = append(sums[statements[i].Month], sum)
	}
	digests := slices.Clone(before)
	for _, seal := range seals {
		digest := SealDigest{
			Format: DigestFormat, Number: len(digests) + 1, Month: seal.Month, Position: seal.Position,
			SealedAt: seal.At.UTC().Truncate(time.Millisecond), Statements: append([]string{}, sums[seal.Month]...),
		}
		slices.Sort(digest.Statements)
		if len(digests) > 0 {
			digest.Previous = digests[len(digests)-1].Digest
		}
		var err error
		if digest.Digest, err = digest.sum(); err != nil {
			return nil, err
		}
		digests = append(digests, digest)
	}
	return digests, nil
}

// AttachDigests sets Seal in sealed statements.
func AttachDigests(statements []Statement, digests []SealDigest) {
	for i := range statements {
		if statements[i].Checksum == "" {
			continue
		}
		for _, digest := range digests {
			if digest.Month == statements[i].Month {
				statements[i].Seal = &StatementSeal{Number: digest.Number, Digest: digest.Digest, Previous: digest.Previous}
			}
		}
	}
}

// PublishedDigest is a published SealDigest and its location ("line 3").
type PublishedDigest struct {
	SealDigest
	Where string
}

// ParseDigests parses published digests: one JSON object per line; blank lines are skipped. A digest may lack
// statements. The error names the first line that is not a digest or whose digest does not match its content.
func ParseDigests(text []byte) ([]PublishedDigest, error) {
	var found []PublishedDigest
	for i, line := range bytes.Split(text, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		one := PublishedDigest{Where: fmt.Sprintf("line %d", i+1)}
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&one.SealDigest); err != nil {
			return nil, fmt.Errorf("%s is not a digest: %w", one.Where, err)
		}
		if decoder.More() {
			return nil, fmt.Errorf("%s contains more than one digest", one.Where)
		}
		if err := one.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", one.Where, err)
		}
		found = append(found, one)
	}
	return found, nil
}

// check returns an error for a digest that this release cannot have created.
func (d *SealDigest) check() error {
	switch {
	case d.Format != DigestFormat:
		return fmt.Errorf("format %d is not %d", d.Format, DigestFormat)
	case d.Number < 1:
		return fmt.Errorf("number %d is below 1", d.Number)
	case d.Month == Month{}:
		return fmt.Errorf("month is required")
	case !isSum(d.Digest):
		return fmt.Errorf("digest %q is not 64 lower-case hexadecimal characters", d.Digest)
	case (d.Number > 1 || d.Previous != "") && !isSum(d.Previous):
		return fmt.Errorf("previous %q is not 64 lower-case hexadecimal characters", d.Previous)
	case d.Statements == nil:
		return nil
	}
	sum, err := d.sum()
	if err == nil && sum != d.Digest {
		err = fmt.Errorf("digest is %s, but the content gives %s", d.Digest, sum)
	}
	return err
}

// isSum reports whether text is a hexadecimal SHA-256 hash.
func isSum(text string) bool {
	raw, err := hex.DecodeString(text)
	return err == nil && len(raw) == sha256.Size && text == hex.EncodeToString(raw)
}

// CheckPublished compares all seals and statements with published digests. It returns the differences, and the months
// whose seals are not covered because they come after the last published digest.
func CheckPublished(seals []Seal, statements []Statement, published []PublishedDigest) (differences []Difference, unpublished []Month, err error) {
	chain, err := Digests(nil, seals, statements)
	if err != nil {
		return nil, nil, err
	}
	differs := func(account string, month Month, format string, args ...any) {
		what := fmt.Sprintf(format, args...)
		if account == "" {
			what, month = fmt.Sprintf("month %s: %s", month, what), Month{}
		}
		differences = append(differences, Difference{Account: account, Month: month, What: what})
	}
	ordered := slices.Clone(published)
	slices.SortStableFunc(ordered, func(a, b PublishedDigest) int { return a.Number - b.Number })
	last := 0
	for i := range ordered {
		one := &ordered[i]
		if i > 0 && ordered[i-1].Number == one.Number {
			if ordered[i-1].Digest != one.Digest {
				differs("", one.Month, "number %d was published with two digests, in %s and %s: the chain was written twice", one.Number, ordered[i-1].Where, one.Where)
			}
			if ordered[i-1].Digest == one.Digest && (one.Statements == nil) == (ordered[i-1].Statements == nil) {
				continue
			}
		}
		last = max(last, one.Number)
		if one.Number > len(chain) {
			differs("", one.Month, "%s was published as number %d, but the chain ends with number %d: seals were removed", one.Where, one.Number, len(chain))
			continue
		}
		own := &chain[one.Number-1]
		if own.Digest == one.Digest {
			continue
		}
		if own.Month != one.Month {
			differs("", one.Month, "%s was published as number %d, which is now that of %s: seals were removed, inserted or reordered", one.Where, one.Number, own.Month)
			continue
		}
		before := len(differences)
		if own.Position != one.Position || !own.SealedAt.Equal(one.SealedAt) {
			differs("", one.Month, "the seal was altered: it is of position %d and %s, published in %s as of position %d and %s",
				own.Position, own.SealedAt.Format(time.RFC3339Nano), one.Where, one.Position, one.SealedAt.Format(time.RFC3339Nano))
		}
		if one.Statements != nil {
			if err := compareSums(own, one, statements, differs); err != nil {
				return nil, nil, err
			}
		}
		switch {
		case own.Previous != one.Previous:
			differs("", one.Month, "a seal before it was altered, removed or inserted: the digest before is %q, published in %s as %q", own.Previous, one.Where, one.Previous)
		case len(differences) == before:
			differs("", one.Month, "a statement was altered, removed or added: the digest is %s, published in %s as %s", own.Digest, one.Where, one.Digest)
		}
	}
	for _, own := range chain[min(last, len(chain)):] {
		unpublished = append(unpublished, own.Month)
	}
	return differences, unpublished, nil
}

// compareSums reports the statements of a month that differ from the published ones.
func compareSums(own *SealDigest, one *PublishedDigest, statements []Statement, differs func(account string, month Month, format string, args ...any)) error {
	for i := range statements {
		if statements[i].Month != own.Month {
			continue
		}
		sum, err := statements[i].sum()
		if err != nil {
			return err
		}
		if !slices.Contains(one.Statements, sum) {
			differs(statements[i].Account, own.Month, "the statement was altered or added: its checksum is %s, which is not among those published in %s", sum, one.Where)
		}
	}
	for _, sum := range one.Statements {
		if !slices.Contains(own.Statements, sum) {
			differs("", own.Month, "the statement with the checksum %s, published in %s, was altered or removed", sum, one.Where)
		}
	}
	return nil
}
