package usage_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

func month(text string) usage.Month {
	m, err := usage.ParseMonth(text)
	if err != nil {
		panic(err)
	}
	return m
}

// The checksums of TestCompose were computed without this program, as SHA-256 of the compact JSON. Readers of
// statements can compute them too, so they must not change between releases.
const (
	sumA    = "7be52ea772ffd1bec03f4ce345fddd4498142e1996c358ed05f1100b5732c7be"
	sumB    = "0cea1734184d1aeb7dd23577915993386a7e5e4f295aa63cbd22598500fd8895"
	sumIdle = "24dbb910093b838b1c2c12b23c2defed319963744696ea9bdf64a7c1eada35ae"
)

var sealedAt = time.Date(2026, 11, 9, 8, 0, 0, 123_456_789, time.UTC)

func TestCompose(t *testing.T) {
	october := month("2026-10")
	ledger := []usage.Sum{
		{Account: "", Month: october, Client: "web", Plays: 9, Milliseconds: 9000},
		{Account: "a", Month: month("2026-08"), Client: "lms", Plays: 1, Milliseconds: 500},
		{Account: "a", Month: month("2026-09"), Client: "web", Sealed: month("2026-09"), Plays: 7, Milliseconds: 70_000},
		{Account: "a", Month: october, Client: "lms", Plays: 1, Milliseconds: 1250, Excess: 40},
		{Account: "a", Month: october, Client: "lms", Sealed: october, Plays: 1, Milliseconds: 249, Excess: 2},
		{Account: "a", Month: october, Client: "web", Plays: 3, Milliseconds: 10_500},
		{Account: "a", Month: october, Client: "web", Sandbox: true, Plays: 1, Milliseconds: 4000, Excess: 9},
		{Account: "a", Month: month("2026-11"), Client: "web", Plays: 1, Milliseconds: 1000},
		{Account: "b", Month: october, Client: "b-web", Sandbox: true, Plays: 1, Milliseconds: 2600},
	}
	before := usage.Statement{Account: "a", Checksum: "abc"}
	last := map[string]usage.Statement{"a": before, "idle": {Account: "idle", Checksum: "def"}}
	statements, err := usage.Compose(usage.Seal{Month: october, Position: 26, At: sealedAt}, ledger, last)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(statements, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const want = `[
 {
  "account": "a",
  "month": "2026-10",
  "lines": [
   {
    "month": "2026-08",
    "client": "lms",
    "billable": true,
    "adjustment": true,
    "plays": 1,
    "milliseconds": 500,
    "seconds": 1,
    "excessMilliseconds": 0
   },
   {
    "month": "2026-10",
    "client": "lms",
    "billable": true,
    "adjustment": false,
    "plays": 2,
    "milliseconds": 1499,
    "seconds": 1,
    "excessMilliseconds": 42
   },
   {
    "month": "2026-10",
    "client": "web",
    "billable": true,
    "adjustment": false,
    "plays": 3,
    "milliseconds": 10500,
    "seconds": 11,
    "excessMilliseconds": 0
   },
   {
    "month": "2026-10",
    "client": "web",
    "billable": false,
    "adjustment": false,
    "plays": 1,
    "milliseconds": 4000,
    "seconds": 4,
    "excessMilliseconds": 9
   }
  ],
  "plays": 6,
  "milliseconds": 12499,
  "seconds": 13,
  "excessMilliseconds": 42,
  "position": 26,
  "sealedAt": "2026-11-09T08:00:00.123Z",
  "previous": "abc",
  "checksum": "%s"
 },
 {
  "account": "b",
  "month": "2026-10",
  "lines": [
   {
    "month": "2026-10",
    "client": "b-web",
    "billable": false,
    "adjustment": false,
    "plays": 1,
    "milliseconds": 2600,
    "seconds": 3,
    "excessMilliseconds": 0
   }
  ],
  "plays": 0,
  "milliseconds": 0,
  "seconds": 0,
  "excessMilliseconds": 0,
  "position": 26,
  "sealedAt": "2026-11-09T08:00:00.123Z",
  "previous": "",
  "checksum": "%s"
 },
 {
  "account": "idle",
  "month": "2026-10",
  "lines": [],
  "plays": 0,
  "milliseconds": 0,
  "seconds": 0,
  "excessMilliseconds": 0,
  "position": 26,
  "sealedAt": "2026-11-09T08:00:00.123Z",
  "previous": "def",
  "checksum": "%s"
 }
]`
	if want := fmt.Sprintf(want, sumA, sumB, sumIdle); string(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestProvisional(t *testing.T) {
	sum := func(m, sealed string, ms int64) usage.Sum {
		s := usage.Sum{Account: "a", Month: month(m), Client: "web", Plays: 1, Milliseconds: ms}
		if sealed != "" {
			s.Sealed = month(sealed)
		}
		return s
	}
	ledger := []usage.Sum{
		sum("2026-07", "", 1), sum("2026-08", "2026-08", 10), sum("2026-08", "", 100),
		sum("2026-09", "", 1000), sum("2026-10", "", 10_000), {Account: "b", Month: month("2026-09"), Milliseconds: 5},
	}
	for _, test := range []struct {
		month string
		seals []usage.Seal
		want  int64
	}{
		{"2026-08", nil, 110 - 10}, // The ledger overrides the list of seals, as when a seal happens between the two reads.
		{"2026-09", nil, 1000},
		{"2026-09", []usage.Seal{{Month: month("2026-08")}}, 1101},
		{"2026-10", []usage.Seal{{Month: month("2026-08")}}, 10_000},
		{"2026-12", []usage.Seal{{Month: month("2026-08")}}, 0},
	} {
		got := usage.Provisional("a", month(test.month), usage.Progress{Position: 7}, ledger, test.seals)
		if got.Milliseconds != test.want || got.Position != 7 || got.SealedAt != nil || got.Checksum != "" || got.Lines == nil {
			t.Errorf("%s with %d seals: got %+v, want %d ms", test.month, len(test.seals), got, test.want)
		}
	}
}

// counted computes a ledger the slow way: it looks up the seal of each play.
func counted(plays []usage.Play, seals []usage.Seal) []usage.Sum {
	sums := map[usage.Sum]usage.Sum{}
	for _, p := range plays {
		month := usage.MonthOf(p.At)
		key := usage.Sum{Account: p.Account, Month: month, Client: p.Client, Sandbox: p.Sandbox, Sealed: usage.SealOf(seals, month, p.Position)}
		sum := sums[key]
		sum.Plays++
		sum.Milliseconds += p.Milliseconds()
		sum.Excess += p.Excess
		sums[key] = sum
	}
	var ledger []usage.Sum
	for key, sum := range sums {
		key.Plays, key.Milliseconds, key.Excess = sum.Plays, sum.Milliseconds, sum.Excess
		ledger = append(ledger, key)
	}
	return ledger
}

func TestEveryPlayIsBilledOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var plays []usage.Play
		var seals []usage.Seal
		chains := map[string][]usage.Statement{}
		last := map[string]usage.Statement{}
		billed := map[string]usage.Measures{}
		next := month("2026-01")
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if rapid.IntRange(0, 4).Draw(t, "step") > 0 {
				at := month("2026-01").Start() + event.Instant(rapid.Int64Range(0, int64(300*24*event.Hour)).Draw(t, "at"))
				start := rapid.Int64Range(0, 5000).Draw(t, "start")
				plays = append(plays, usage.Play{
					Position: int64(len(plays) + 1), At: at, Start: start, End: start + rapid.Int64Range(1, 5000).Draw(t, "length"),
					Account: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "account"),
					Client:  rapid.SampledFrom([]string{"web", "lms"}).Draw(t, "client"),
					Sandbox: rapid.IntRange(0, 5).Draw(t, "sandbox") == 0,
				})
				plays[len(plays)-1].Excess = rapid.Int64Range(0, plays[len(plays)-1].Milliseconds()).Draw(t, "excess")
				continue
			}
			for range rapid.IntRange(0, 2).Draw(t, "months passed over") {
				next = next.Next()
			}
			seal := usage.Seal{Month: next, Position: int64(len(plays)), At: sealedAt}
			next = next.Next()
			statements, err := usage.Compose(seal, counted(plays, seals), last)
			if err != nil {
				t.Fatal(err)
			}
			seals = append(seals, seal)
			for _, s := range statements {
				chains[s.Account] = append(chains[s.Account], s)
				last[s.Account] = s
				add(billed, s)
			}
			// Composing the statement again from the ledger of a later day gives the same result.
			again, err := usage.Compose(seal, onlySealed(counted(plays, seals), seal.Month), previous(chains, seal.Month))
			if err != nil || fmt.Sprint(deref(again)) != fmt.Sprint(deref(statements)) {
				t.Fatalf("composed again: %+v, want %+v (%v)", again, statements, err)
			}
		}
		for account := range chains {
			if faults := usage.CheckChain(chains[account]); len(faults) > 0 {
				t.Fatal(faults)
			}
		}
		ledger := counted(plays, seals)
		for m := month("2026-01"); m.Before(month("2040-01")); m = m.Next() {
			sealed := slices.ContainsFunc(seals, func(s usage.Seal) bool { return !s.Month.Before(m) })
			for _, account := range []string{"a", "b"} {
				if !sealed {
					add(billed, usage.Provisional(account, m, usage.Progress{}, ledger, seals))
				}
			}
		}
		want := map[string]usage.Measures{}
		for _, p := range plays {
			sum := want[p.Account]
			if !p.Sandbox {
				sum.Plays++
				sum.Milliseconds += p.Milliseconds()
				sum.Excess += p.Excess
			}
			want[p.Account] = sum
		}
		for account := range want {
			if billed[account] != want[account] {
				t.Fatalf("account %s: billed %+v, played %+v", account, billed[account], want[account])
			}
		}
	})
}

func add(billed map[string]usage.Measures, s usage.Statement) {
	sum := billed[s.Account]
	sum.Plays += s.Plays
	sum.Milliseconds += s.Milliseconds
	sum.Excess += s.ExcessMilliseconds
	billed[s.Account] = sum
}

func onlySealed(ledger []usage.Sum, month usage.Month) []usage.Sum {
	return slices.DeleteFunc(ledger, func(s usage.Sum) bool { return s.Sealed != month })
}

func previous(chains map[string][]usage.Statement, month usage.Month) map[string]usage.Statement {
	last := map[string]usage.Statement{}
	for account, chain := range chains {
		for _, s := range chain {
			if s.Month.Before(month) {
				last[account] = s
			}
		}
	}
	return last
}

// deref returns the JSON of statements, so that they can be compared.
func deref(statements []usage.Statement) []string {
	var texts []string
	for _, s := range statements {
		text, err := json.Marshal(s)
		texts = append(texts, fmt.Sprintf("%s %v", text, err))
	}
	return texts
}
