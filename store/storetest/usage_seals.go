package storetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

var sealTests = map[string]func(b *usageFixture){
	"months are sealed in order":       testSealOrder,
	"late plays go to the next seal":   testSealLate,
	"a seal that fails":                testSealFails,
	"the parts of a seal":              testSealComposes,
	"statements are kept as they were": testStatements,
	"seals at once":                    testSealTogether,
}

func noStatements(usage.Progress, []usage.Sum, map[string]usage.Statement) ([]usage.Statement, error) {
	return nil, nil
}

// sealing returns the seal of a month, made eight days after its end.
func sealing(month usage.Month) usage.Seal {
	return usage.Seal{Month: month, Position: -1, At: month.End().Time().Add(8*24*time.Hour + 123*time.Millisecond)}
}

// seal seals a month with a statement for each account. The statement refers to the previous ones.
func (b *usageFixture) seal(month usage.Month) []usage.Statement {
	b.errors.Helper()
	seal := sealing(month)
	statements, err := b.Seal(b.Context(), seal, func(progress usage.Progress, ledger []usage.Sum, last map[string]usage.Statement) ([]usage.Statement, error) {
		return statementsOf(seal, progress, ledger, last), nil
	})
	b.must(err)
	seal.Position = b.model.progress.Position
	b.model.seal(seal)
	return statements
}

// statementsOf returns a simple statement for each account of a ledger.
func statementsOf(seal usage.Seal, progress usage.Progress, ledger []usage.Sum, last map[string]usage.Statement) (statements []usage.Statement) {
	for _, sum := range ledger {
		if n := len(statements); n == 0 || statements[n-1].Account != sum.Account {
			before := last[sum.Account]
			statements = append(statements, usage.Statement{
				Account: sum.Account, Month: seal.Month, Position: progress.Position, SealedAt: &seal.At, Previous: before.Checksum,
				Checksum: fmt.Sprintf("checksum <ü> of %s %s", sum.Account, seal.Month),
			})
		}
		if sum.Sealed != seal.Month {
			continue
		}
		s := &statements[len(statements)-1]
		s.Lines = append(s.Lines, usage.Line{
			Month: sum.Month, Client: sum.Client, Billable: !sum.Sandbox, Adjustment: sum.Month != seal.Month,
			Plays: sum.Plays, Milliseconds: sum.Milliseconds, Seconds: usage.Seconds(sum.Milliseconds), ExcessMilliseconds: sum.Excess,
		})
		s.Plays += sum.Plays
	}
	return statements
}

// inMonth returns a play in the middle of the month that lies ago months before October.
func inMonth(ago int, client string) usage.Play {
	p := play(0, "a", client, "xp", "v")
	p.At = monthsAgo(ago)
	return p
}

func testSealOrder(b *usageFixture) {
	b.apply(inMonth(3, "c"), inMonth(2, "c"), inMonth(1, "c"), inMonth(0, "c"))
	b.seal(monthOf(3))
	b.agreesOnLedger()
	b.seal(monthOf(1)) // this also seals the month between
	b.agreesOnLedger()
	for _, ago := range []int{4, 3, 2, 1} {
		if _, err := b.Seal(b.Context(), sealing(monthOf(ago)), noStatements); fault.CodeOf(err) != fault.Conflict {
			b.Errorf("%s: got %v", monthOf(ago), err)
		}
	}
	b.agreesOnLedger()
	b.seal(monthOf(0))
	b.agreesOnLedger()
}

// testSealLate checks that late plays of a sealed month belong to the next seal, and to no seal until then.
func testSealLate(b *usageFixture) {
	b.apply(inMonth(3, "c"), inMonth(2, "c"))
	b.seal(monthOf(3))
	b.apply(inMonth(3, "c"), inMonth(3, "d"), inMonth(2, "c"))
	b.agreesOnLedger()
	b.seal(monthOf(2))
	b.agreesOnLedger()
	b.apply(inMonth(3, "c"), inMonth(2, "d"), inMonth(1, "c"))
	b.agreesOnLedger()
	b.seal(monthOf(1))
	b.agreesOnLedger()
	b.apply(inMonth(5, "c"), inMonth(0, "c"))
	b.agreesOnLedger()
}

// testSealFails checks that nothing is sealed if the statements cannot be composed.
func testSealFails(b *usageFixture) {
	b.apply(inMonth(1, "c"))
	planned := errors.New("planned")
	_, err := b.Seal(b.Context(), sealing(monthOf(1)), func(usage.Progress, []usage.Sum, map[string]usage.Statement) ([]usage.Statement, error) {
		return []usage.Statement{{Account: "a", Month: monthOf(1)}}, planned
	})
	if !errors.Is(err, planned) {
		b.Errorf("got %v", err)
	}
	b.agreesOnLedger()
	if statements, err := b.Statements(b.Context(), "", usage.Month{}); err != nil || len(statements) > 0 {
		b.Errorf("%d statements (%v)", len(statements), err)
	}
	b.seal(monthOf(1))
	b.agreesOnLedger()
}

// testSealComposes checks that statements are composed from the ledger including the seal, the progress and the
// previous statements.
func testSealComposes(b *usageFixture) {
	other := inMonth(2, "c")
	other.Account = "b"
	b.apply(inMonth(2, "c"), inMonth(2, "d"), other, inMonth(1, "c"))
	b.seal(monthOf(2))
	b.apply(inMonth(1, "c"))
	seal := sealing(monthOf(1))
	var (
		gotLedger []usage.Sum
		gotLast   map[string]usage.Statement
		gotPlace  usage.Progress
	)
	statements, err := b.Seal(b.Context(), seal, func(progress usage.Progress, ledger []usage.Sum, last map[string]usage.Statement) ([]usage.Statement, error) {
		gotPlace, gotLedger, gotLast = progress, ledger, last
		return []usage.Statement{{Account: "a", Month: seal.Month, Checksum: "2"}}, nil
	})
	b.must(err)
	seal.Position = b.model.progress.Position
	b.model.seals = append(b.model.seals, seal)
	if diff := cmp.Diff(b.model.ledger(""), gotLedger); diff != "" || gotPlace != b.model.progress {
		b.Errorf("at %v (-want +got):\n%s", gotPlace, diff)
	}
	if len(gotLast) != 2 || gotLast["a"].Month != monthOf(2) || gotLast["b"].Checksum != "checksum <ü> of b "+monthOf(2).String() {
		b.Errorf("the last statements were %+v", gotLast)
	}
	if len(statements) != 1 || statements[0].Checksum != "2" {
		b.Errorf("got %+v", statements)
	}
	_, err = b.Seal(b.Context(), sealing(monthOf(0)), func(_ usage.Progress, _ []usage.Sum, last map[string]usage.Statement) ([]usage.Statement, error) {
		gotLast = last
		return nil, nil
	})
	if err != nil || len(gotLast) != 2 || gotLast["a"].Checksum != "2" || gotLast["b"].Month != monthOf(2) {
		b.Errorf("then the last statements were %+v (%v)", gotLast, err)
	}
}

func testStatements(b *usageFixture) {
	other := inMonth(2, "クライアント \"&<>")
	other.Account, other.Sandbox = "konto-ä", true
	b.apply(inMonth(2, "c"), other, inMonth(1, "c"), inMonth(3, "c"))
	var all []usage.Statement
	for _, ago := range []int{2, 1, 0} {
		all = append(all, b.seal(monthOf(ago))...)
	}
	if len(all) != 6 || len(all[0].Lines) != 2 || len(all[2].Lines) != 1 || len(all[5].Lines) != 0 {
		b.Fatalf("composed %+v", all)
	}
	for _, test := range []struct {
		account string
		month   usage.Month
	}{{"", usage.Month{}}, {"a", usage.Month{}}, {"konto-ä", usage.Month{}}, {"", monthOf(1)}, {"a", monthOf(2)}, {"nobody", usage.Month{}}, {"a", monthOf(3)}} {
		var want []usage.Statement
		for _, s := range all {
			if (test.account == "" || s.Account == test.account) && (test.month == usage.Month{} || s.Month == test.month) {
				want = append(want, s)
			}
		}
		got, err := b.Statements(b.Context(), test.account, test.month)
		b.must(err)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			b.Errorf("%+v (-want +got):\n%s", test, diff)
		}
	}
}

// testSealTogether checks that, of several processes that seal one month, one succeeds, while others continue to count.
func testSealTogether(b *usageFixture) {
	b.apply(inMonth(1, "c"), inMonth(1, "d"))
	fixtures := []*usageFixture{b, {T: b.T, Usage: b.another(), errors: b}, {T: b.T, Usage: b.another(), errors: b}}
	sealed := make([]bool, 6)
	together(6, func(i int) {
		statements, err := fixtures[i%3].Seal(b.Context(), sealing(monthOf(1)), func(progress usage.Progress, ledger []usage.Sum, last map[string]usage.Statement) ([]usage.Statement, error) {
			return statementsOf(sealing(monthOf(1)), progress, ledger, last), nil
		})
		if sealed[i] = err == nil && len(statements) == 1; !sealed[i] && fault.CodeOf(err) != fault.Conflict {
			b.Errorf("got %d statements (%v)", len(statements), err)
		}
	})
	seal := sealing(monthOf(1))
	seal.Position = b.model.progress.Position
	b.model.seals = append(b.model.seals, seal)
	b.agreesOnLedger()
	if n := slices.Index(sealed, true); n < 0 || slices.Contains(sealed[n+1:], true) {
		b.Errorf("sealed by %v", sealed)
	}
}
