package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/storelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// batch is the work of one call of Append.
type batch struct {
	submissions []event.Submission
	// keys contains each idempotency key and each key of a play (event.Submission.PlayKey) of the batch once, ordered
	// by sum. keyed maps the index of each submission that has an idempotency key to the key's sum.
	keys  []key
	keyed map[int][32]byte
	// plays maps the events that are parts of plays to the sums of their keys.
	plays map[place][32]byte
	// unused contains the new keys of plays that no stored event has used so far.
	unused map[[32]byte]bool
	// sent reports whether a statement that ends in a commit may have been sent.
	sent bool
}

// place is the index of a submission, and the index of an event in it.
type place struct{ submission, event int }

// key is a key of a client, with the fingerprint and the receipt of the first submission that has it. Keys of plays have
// an empty fingerprint.
type key struct {
	sum         [32]byte
	fingerprint []byte
	received    event.Instant
	ofPlay      bool
}

func batchOf(submissions []event.Submission) *batch {
	b := &batch{submissions: submissions, keyed: map[int][32]byte{}, plays: map[place][32]byte{}}
	seen := map[[32]byte]bool{}
	add := func(k key) {
		if !seen[k.sum] {
			seen[k.sum] = true
			b.keys = append(b.keys, k)
		}
	}
	for i := range submissions {
		brought := &submissions[i]
		if brought.Key != "" {
			b.keyed[i] = sumOfKey(brought.Client, brought.Key)
			add(key{sum: b.keyed[i], fingerprint: brought.Fingerprint[:], received: brought.Received})
		}
		for j := range brought.Events {
			if of := brought.PlayKey(&brought.Events[j]); of != "" {
				b.plays[place{i, j}] = sumOfKey(brought.Client, of)
				add(key{sum: b.plays[place{i, j}], fingerprint: []byte{}, received: brought.Received, ofPlay: true})
			}
		}
	}
	slices.SortFunc(b.keys, func(x, y key) int { return bytes.Compare(x.sum[:], y.sum[:]) })
	return b
}

// sumOfKey returns a hash that identifies a key among the keys of all clients.
func sumOfKey(client, key string) [32]byte {
	return sha256.Sum256([]byte(strconv.Itoa(len(client)) + ":" + client + key))
}

// months returns the months in which the events were received.
func (b *batch) months() map[usage.Month]bool {
	months := map[usage.Month]bool{}
	last := event.Instant(-1)
	for i := range b.submissions {
		for j := range b.submissions[i].Events {
			if received := b.submissions[i].Events[j].Received; received != last {
				months[usage.MonthOf(received)] = true
				last = received
			}
		}
	}
	return months
}

var (
	// A transaction that inserts a key which another transaction is inserting waits here until the other ends.
	insertKeys = define(`
		INSERT INTO event_keys (sum, fingerprint, received)
		SELECT k.sum, k.fingerprint, k.received
		FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS k(sum, fingerprint, received) ORDER BY k.sum
		ON CONFLICT (sum) DO NOTHING RETURNING sum`)
	// This is a statement of its own, so that it sees the rows that insertKeys has waited for.
	selectKeyed = define(`SELECT sum, fingerprint FROM event_keys WHERE sum = ANY ($1::bytea[])`)
)

// errForgotten reports that a remembered key was deleted in the meantime.
var errForgotten = errors.New("store/postgres: an idempotency key was forgotten meanwhile")

// Recall implements store.Events.
func (e *Events) Recall(ctx context.Context, submission event.Submission) (verdict event.Verdict, err error) {
	if submission.Key == "" {
		return 0, ctx.Err()
	}
	sum := sumOfKey(submission.Client, submission.Key)
	err = e.read(ctx, func(p *pipeline) {
		verdict = 0
		p.ask(selectKeyed, func(rows pgx.Rows) error {
			var known, fingerprint []byte
			err := rows.Scan(&known, &fingerprint)
			verdict = storelogic.Decide(&submission, fingerprint)
			return err
		}, [][]byte{sum[:]})
	})
	return verdict, err
}

// decide returns a verdict for each submission, and the indexes of the submissions to store. If the batch has keys,
// decide leaves open a transaction that has locked them.
func (b *batch) decide(ctx context.Context, s *session) (verdicts []event.Verdict, stored []int, err error) {
	first, remembered := map[[32]byte]bool{}, map[[32]byte][]byte{}
	if len(b.keys) > 0 {
		if err := s.run(ctx, b.takeKeys(first, remembered)); err != nil {
			return nil, nil, err
		}
	}
	b.unused = map[[32]byte]bool{}
	for i := range b.keys {
		if b.keys[i].ofPlay && first[b.keys[i].sum] {
			b.unused[b.keys[i].sum] = true
		}
	}
	verdicts = make([]event.Verdict, len(b.submissions))
	for i := range b.submissions {
		brought := &b.submissions[i]
		if sum, keyed := b.keyed[i]; keyed && !first[sum] {
			fingerprint, known := remembered[sum]
			if !known {
				return nil, nil, errForgotten
			}
			verdicts[i] = storelogic.Decide(brought, fingerprint)
			continue
		} else if keyed {
			first[sum] = false // later submissions with the same key are repetitions
		}
		verdicts[i] = event.Stored
		stored = append(stored, i)
	}
	return verdicts, stored, nil
}

// takeKeys begins a transaction. Its results are the keys that are new, in first, and the fingerprint of every key, in
// remembered.
func (b *batch) takeKeys(first map[[32]byte]bool, remembered map[[32]byte][]byte) *pipeline {
	sums, fingerprints := make([][]byte, len(b.keys)), make([][]byte, len(b.keys))
	received := make([]int64, len(b.keys))
	for i := range b.keys {
		k := &b.keys[i]
		sums[i], fingerprints[i], received[i] = k.sum[:], k.fingerprint, int64(k.received)
	}
	p := &pipeline{}
	p.do(beginWrite)
	p.ask(insertKeys, func(rows pgx.Rows) error {
		var sum []byte
		err := rows.Scan(&sum)
		first[[32]byte(sum)] = true
		return err
	}, sums, fingerprints, received)
	p.ask(selectKeyed, func(rows pgx.Rows) error {
		var sum, fingerprint []byte
		err := rows.Scan(&sum, &fingerprint)
		remembered[[32]byte(sum)] = fingerprint
		return err
	}, sums)
	return p
}

// markContinuations sets Continues on the events of the submission with an index whose play an earlier event began.
func (b *batch) markContinuations(submission int, events []event.Event) []event.Event {
	marked, _ := storelogic.MarkContinuations(events, func(i int) (bool, error) {
		sum, isPart := b.plays[place{submission, i}]
		begins := b.unused[sum]
		delete(b.unused, sum)
		return isPart && !begins, nil
	})
	return marked
}

var deleteKeys = define(`DELETE FROM event_keys WHERE sum = ANY ($1::bytea[])`)

// dropUnused deletes the keys of plays that only events that are not stored would have begun.
func (b *batch) dropUnused(p *pipeline) {
	if len(b.unused) == 0 {
		return
	}
	var sums [][]byte
	for sum := range b.unused {
		sums = append(sums, sum[:])
	}
	p.do(deleteKeys, sums)
}
