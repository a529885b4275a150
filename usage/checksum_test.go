package usage_test

import (
	"slices"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/usage"
)

func TestChain(t *testing.T) {
	chain := func() []usage.Statement {
		var statements []usage.Statement
		last := map[string]usage.Statement{}
		for i, m := range []string{"2026-08", "2026-09", "2026-11"} {
			ledger := []usage.Sum{{Account: "a", Month: month(m), Client: "web", Plays: 2, Milliseconds: int64(1500 * (i + 1))}}
			made, err := usage.Compose(usage.Seal{Month: month(m), Position: int64(i), At: sealedAt}, ledger, last)
			if err != nil {
				t.Fatal(err)
			}
			last["a"] = made[0]
			statements = append(statements, made...)
		}
		return statements
	}
	if found := usage.CheckChain(chain()); found != nil {
		t.Fatalf("a whole chain: %v", found)
	}
	kept := chain()
	for i := range kept {
		zone := kept[i].SealedAt.In(time.FixedZone("elsewhere", 3600))
		kept[i].SealedAt = &zone
	}
	if found := usage.CheckChain(kept); found != nil {
		t.Errorf("read in another zone: %v", found)
	}
	for name, change := range map[string]func(s []usage.Statement) []usage.Statement{
		"plays":     func(s []usage.Statement) []usage.Statement { s[1].Plays++; return s },
		"excess":    func(s []usage.Statement) []usage.Statement { s[1].Lines[0].ExcessMilliseconds++; return s },
		"line":      func(s []usage.Statement) []usage.Statement { s[1].Lines[0].Milliseconds--; return s },
		"billable":  func(s []usage.Statement) []usage.Statement { s[1].Lines[0].Billable = false; return s },
		"account":   func(s []usage.Statement) []usage.Statement { s[0].Account = "b"; return s },
		"position":  func(s []usage.Statement) []usage.Statement { s[2].Position++; return s },
		"sealed at": func(s []usage.Statement) []usage.Statement { s[2].SealedAt = nil; return s },
		"previous":  func(s []usage.Statement) []usage.Statement { s[0].Previous = s[1].Previous; return s },
		"checksum":  func(s []usage.Statement) []usage.Statement { s[0].Checksum = s[1].Checksum; return s },
		"left out":  func(s []usage.Statement) []usage.Statement { return slices.Delete(s, 1, 2) },
		"cut":       func(s []usage.Statement) []usage.Statement { return s[1:] },
		"order":     func(s []usage.Statement) []usage.Statement { s[0], s[1] = s[1], s[0]; return s },
		"twice":     func(s []usage.Statement) []usage.Statement { return append(s, s[2]) },
		"forged": func(s []usage.Statement) []usage.Statement {
			made, err := usage.Compose(usage.Seal{Month: s[1].Month, At: sealedAt}, nil, map[string]usage.Statement{"a": s[0]})
			if err != nil {
				t.Fatal(err)
			}
			return []usage.Statement{s[0], made[0], s[2]}
		},
	} {
		if found := usage.CheckChain(change(chain())); found == nil {
			t.Errorf("%s: the chain holds", name)
		}
	}
}
