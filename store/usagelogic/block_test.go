package usagelogic

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	blockMonth = usage.Month{Year: 2026, Month: 11}
	blockKey   = BlockKey{Account: 7, Month: Month.Bucket(blockMonth.Start()), Number: 3}
)

// drawPlays returns plays of an account with many users, in the order of positions.
func drawPlays(n int) []Play {
	draw := rand.New(rand.NewPCG(1, uint64(n)))
	plays, position, at := make([]Play, n), event.Position(1e9), blockMonth.Start()
	for i := range plays {
		position, at = position+1+draw.Int64N(200), at+event.Instant(draw.Int64N(5000)-1000)
		video := Number(draw.ExpFloat64() * 300)
		start := draw.Int64N(600_000)
		plays[i] = Play{
			Position: position, At: max(at, blockMonth.Start()), Account: blockKey.Account, Client: Number(draw.IntN(2)), Person: draw.Uint32N(60_000),
			Video: video, Channel: video % 20, Subjects: sortedOnce([]Number{video % 40, video % 7, video % 3}), Start: start, End: start + draw.Int64N(60_000),
		}
	}
	return plays
}

func TestBlock(t *testing.T) {
	extreme := []Play{
		{Position: 5, At: -1 << 50, Account: 7, Person: 1<<32 - 1, Video: 1<<32 - 1, Channel: 1<<32 - 1, Start: -1 << 62, End: 1 << 62, Excess: -1, Void: 1 << 62, Sandbox: true},
		{Position: 1, At: 1 << 50, Account: 7, Continues: true, Client: 9, Subjects: []Number{1, 1<<32 - 1}, Excess: 1 << 60},
	}
	for name, plays := range map[string][]Play{"one": drawPlays(1), "many": drawPlays(BlockPlays), "extreme": extreme, "equal": {{Account: 7}, {Account: 7}}} {
		b := EncodeBlock(blockKey, slices.Clone(plays))
		slices.SortStableFunc(plays, byPosition)
		got, err := b.Decode(nil)
		if diff := cmp.Diff(plays, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		for _, p := range plays {
			if p.At < b.From || p.At > b.To || p.Position < b.First || p.Position > b.Last || p.Void != 0 && !b.Voided {
				t.Errorf("%s: the header %+v excludes %+v", name, b, p)
			}
			if has, err := b.has([]Number{p.Person}, []Number{p.Video}); !has || err != nil {
				t.Errorf("%s: the summary excludes %+v: %v", name, p, err)
			}
		}
		if has, err := b.has([]Number{123_456_789}, nil); has || err != nil {
			t.Errorf("%s: the summary has a person that no play has: %v", name, err)
		}
	}
}

// TestBlockIsSmall checks the bytes that a play takes.
func TestBlockIsSmall(t *testing.T) {
	if b := EncodeBlock(blockKey, drawPlays(BlockPlays)); b.Size > 14*BlockPlays {
		t.Errorf("a play takes %.1f bytes", float64(b.Size)/BlockPlays)
	}
}

// FuzzBlock checks that a damaged block yields an error or plays, and nothing else.
func FuzzBlock(f *testing.F) {
	for _, n := range []int{1, 20, 300} {
		b := EncodeBlock(blockKey, drawPlays(n))
		f.Add(int64(n), b.Summary, b.Body)
	}
	f.Fuzz(func(t *testing.T, n int64, summary, body []byte) {
		b := Block{Key: blockKey, Plays: n, Summary: summary, Body: body}
		plays, err := b.Decode(nil)
		if err == nil && int64(len(plays)) != n {
			t.Errorf("%d plays of %d", len(plays), n)
		}
		_, _ = b.has([]Number{1}, []Number{2})
	})
}

func BenchmarkBlock(b *testing.B) {
	plays := drawPlays(BlockPlays)
	block := EncodeBlock(blockKey, plays)
	encoder := &blockEncoder{}
	b.Run("encode", func(b *testing.B) {
		for range b.N {
			encoder.encode(blockKey, plays)
		}
		b.ReportMetric(float64(block.Size)/BlockPlays, "bytes/play")
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*BlockPlays), "ns/play")
	})
	b.Run("decode", func(b *testing.B) {
		for range b.N {
			_, _ = block.Decode(plays[:0])
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*BlockPlays), "ns/play")
	})
}
