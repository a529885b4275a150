package usage_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// sealedStore contains the seals and statements of a store.
type sealedStore struct {
	seals      []usage.Seal
	statements []usage.Statement
}

// sealMonths seals months of the accounts a, b and c. played changes the amounts in the ledger.
func sealMonths(t *testing.T, months []string, played func(month, account string, milliseconds int64) int64) (s sealedStore) {
	t.Helper()
	last := map[string]usage.Statement{}
	for i, m := range months {
		seal := usage.Seal{Month: month(m), Position: event.Position(100 * (i + 1)), At: sealedAt.AddDate(0, i, 0)}
		var ledger []usage.Sum
		for _, account := range []string{"a", "b", "c"} {
			if of := played(m, account, int64(1500*(i+1))); of >= 0 {
				ledger = append(ledger, usage.Sum{Account: account, Month: month(m), Client: "web", Plays: 2, Milliseconds: of})
			}
		}
		made, err := usage.Compose(seal, ledger, last)
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range made {
			last[statement.Account] = statement
		}
		s.seals, s.statements = append(s.seals, seal), append(s.statements, made...)
	}
	return s
}

func honest(_, _ string, milliseconds int64) int64 { return milliseconds }

// publish returns the digests of a store in their published form, one per line.
func (s sealedStore) publish(t *testing.T) (lines string) {
	t.Helper()
	digests, err := usage.Digests(nil, s.seals, s.statements)
	if err != nil {
		t.Fatal(err)
	}
	for _, digest := range digests {
		line, err := json.Marshal(digest)
		if err != nil {
			t.Fatal(err)
		}
		lines += string(line) + "\n"
	}
	return lines
}

// without returns lines without the checksums of statements.
func without(t *testing.T, lines string) (short string) {
	t.Helper()
	published, err := usage.ParseDigests([]byte(lines))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range published {
		one.Statements = nil
		line, _ := json.Marshal(one.SealDigest)
		short += string(line) + "\n"
	}
	return short
}

var sealedMonths = []string{"2026-08", "2026-09", "2026-10", "2026-11"}

// TestPublishedDigestsProve checks that published digests reveal every change of sealed statements, whether or not the
// operator repairs the chain, and whether or not the checksums of statements were published too.
func TestPublishedDigestsProve(t *testing.T) {
	lines := sealMonths(t, sealedMonths, honest).publish(t)
	for name, c := range map[string]struct {
		tamper func(s sealedStore) sealedStore
		says   string // says is a difference that must be found if the checksums were published.
		holds  bool   // holds is true if CheckChain finds nothing.
	}{
		"nothing": {func(s sealedStore) sealedStore { return s }, "", true},
		"a line": {func(s sealedStore) sealedStore { s.statements[4].Lines[0].Milliseconds--; return s },
			`account "b", month 2026-09: the statement was altered or added`, false},
		"a line, with its checksum copied from elsewhere": {func(s sealedStore) sealedStore {
			s.statements[4].Lines[0].Plays++
			s.statements[4].Checksum = s.statements[3].Checksum
			return s
		}, `account "b", month 2026-09: the statement was altered or added`, false},
		"everything made again with another sum": {func(sealedStore) sealedStore {
			return sealMonths(t, sealedMonths, func(m, account string, ms int64) int64 {
				if m == "2026-09" && account == "b" {
					return ms - 1000
				}
				return ms
			})
		}, `account "b", month 2026-09: the statement was altered or added`, true},
		"an account less, made again": {func(sealedStore) sealedStore {
			return sealMonths(t, sealedMonths, func(_, account string, ms int64) int64 {
				if account == "b" {
					return -1
				}
				return ms
			})
		}, `month 2026-08: the statement with the checksum`, true},
		"an account's chain deleted": {func(s sealedStore) sealedStore {
			s.statements = slices.DeleteFunc(s.statements, func(s usage.Statement) bool { return s.Account == "b" })
			return s
		}, `month 2026-08: the statement with the checksum`, true},
		"the last statement of an account deleted": {func(s sealedStore) sealedStore {
			s.statements = s.statements[:len(s.statements)-1]
			return s
		}, `month 2026-11: the statement with the checksum`, true},
		"the tail truncated": {func(s sealedStore) sealedStore { return sealMonths(t, sealedMonths[:2], honest) },
			`month 2026-10: line 3 was published as number 3, but the chain ends with number 2: seals were removed`, true},
		"everything deleted": {func(sealedStore) sealedStore { return sealedStore{} }, `month 2026-08: line 1 was published as number 1, but the chain ends with number 0`, true},
		"a seal in the middle removed, made again": {func(sealedStore) sealedStore {
			return sealMonths(t, slices.Delete(slices.Clone(sealedMonths), 1, 2), honest)
		}, `month 2026-09: line 2 was published as number 2, which is now that of 2026-10: seals were removed, inserted or reordered`, true},
		"a month put before": {func(sealedStore) sealedStore {
			return sealMonths(t, append([]string{"2026-07"}, sealedMonths...), honest)
		},
			`which is now that of 2026-07`, true},
		"an account more": {func(sealedStore) sealedStore {
			s := sealMonths(t, sealedMonths, honest)
			more, err := usage.Compose(s.seals[3], []usage.Sum{{Account: "z", Month: month("2026-11"), Client: "web", Plays: 1, Milliseconds: 1}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			s.statements = append(s.statements, more...)
			return s
		}, `account "z", month 2026-11: the statement was altered or added`, true},
		"the position of a seal": {func(s sealedStore) sealedStore { s.seals[1].Position++; return s }, `month 2026-09: the seal was altered`, true},
		"the moment of a seal":   {func(s sealedStore) sealedStore { s.seals[1].At = s.seals[0].At; return s }, `month 2026-09: the seal was altered`, true},
	} {
		s := c.tamper(sealMonths(t, sealedMonths, honest))
		for _, text := range []string{lines, without(t, lines)} {
			published, err := usage.ParseDigests([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			found, unpublished, err := usage.CheckPublished(s.seals, s.statements, published)
			if err != nil || (len(found) == 0) != (c.says == "") || (len(unpublished) > 0) != (name == "a month put before") {
				t.Errorf("%s: %v, not published %v: %v", name, found, unpublished, err)
			}
			if differences := fmt.Sprint(found); text == lines && !strings.Contains(differences, c.says) {
				t.Errorf("%s: %s, want %q", name, differences, c.says)
			}
		}
		holds := true
		for _, account := range []string{"a", "b", "c", "z"} {
			own := slices.DeleteFunc(slices.Clone(s.statements), func(s usage.Statement) bool { return s.Account != account })
			holds = holds && usage.CheckChain(own) == nil
		}
		if holds != c.holds {
			t.Errorf("%s: the chain holds: %t", name, holds)
		}
	}
}

// TestPublishedPart checks that one digest commits to all earlier seals, and that later months are reported as not
// published.
func TestPublishedPart(t *testing.T) {
	s := sealMonths(t, sealedMonths, honest)
	third := strings.SplitAfter(s.publish(t), "\n")[2]
	published, err := usage.ParseDigests([]byte("\n" + third + "\n\n" + third))
	if err != nil || len(published) != 2 || published[0].Where != "line 2" {
		t.Fatal(published, err)
	}
	found, unpublished, err := usage.CheckPublished(s.seals, s.statements, published)
	if err != nil || len(found) > 0 || len(unpublished) != 1 || unpublished[0] != month("2026-11") {
		t.Errorf("%v, not published %v: %v", found, unpublished, err)
	}
	s.statements[0].Plays++
	found, _, err = usage.CheckPublished(s.seals, s.statements, published)
	if err != nil || len(found) == 0 || !strings.Contains(found[0].What, "a seal before it was altered") {
		t.Errorf("%v: %v", found, err)
	}
	twice := sealMonths(t, sealedMonths, func(_, _ string, ms int64) int64 { return ms + 1 })
	published, err = usage.ParseDigests([]byte(third + strings.SplitAfter(twice.publish(t), "\n")[2]))
	if err != nil {
		t.Fatal(err)
	}
	found, _, err = usage.CheckPublished(twice.seals, twice.statements, published)
	if err != nil || !strings.Contains(fmt.Sprint(found), "number 3 was published with two digests, in line 1 and line 2") {
		t.Errorf("%v: %v", found, err)
	}
}

// TestMalformedDigests checks that the error names the line and the fault.
func TestMalformedDigests(t *testing.T) {
	lines := sealMonths(t, sealedMonths[:2], honest).publish(t)
	for change, says := range map[string]string{
		`{"format":1`: `line 3 is not a digest`, `{"format":1}`: `line 3: number 0 is below 1`, `[]`: `line 3 is not a digest`,
		strings.Split(lines, "\n")[0] + `{}`:                                `line 3 contains more than one digest`,
		strings.Replace(lines, `"format":1`, `"format":2`, 1):               `line 3: format 2 is not 1`,
		strings.Replace(lines, `"position":100`, `"position":101`, 1):       `line 3: digest is `,
		strings.Replace(lines, `"number":1`, `"number":1,"account":"a"`, 1): `unknown field "account"`,
		strings.Replace(lines, `"previous":""`, `"previous":"x"`, 1):        `line 3: previous "x" is not 64`,
		`{"format":1,"number":1,"month":"2026-13"}`:                         `line 3 is not a digest`,
	} {
		if _, err := usage.ParseDigests([]byte(lines + change)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", change, err, says)
		}
	}
}

// TestStatementsCarryDigests checks that the checksum of a statement does not cover its attached digest.
func TestStatementsCarryDigests(t *testing.T) {
	s := sealMonths(t, sealedMonths, honest)
	digests, err := usage.Digests(nil, s.seals, s.statements)
	if err != nil {
		t.Fatal(err)
	}
	usage.AttachDigests(s.statements, digests)
	for _, statement := range s.statements {
		place := slices.IndexFunc(digests, func(d usage.SealDigest) bool { return d.Month == statement.Month })
		if statement.Seal == nil || statement.Seal.Digest != digests[place].Digest || statement.Seal.Previous != digests[place].Previous ||
			statement.Seal.Number != place+1 || !slices.Contains(digests[place].Statements, statement.Checksum) {
			t.Errorf("%+v", statement)
		}
	}
	if found := usage.CheckChain(slices.DeleteFunc(slices.Clone(s.statements), func(s usage.Statement) bool { return s.Account != "a" })); found != nil {
		t.Error(found)
	}
	again, err := usage.Digests(nil, s.seals, s.statements)
	if err != nil || again[3].Digest != digests[3].Digest {
		t.Errorf("digests of statements that carry digests differ: %v", err)
	}
}
