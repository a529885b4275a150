package typesense

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// The rules of an access cost a search the more, the more values they have and the more videos have these.
// So accesses that callers ask by (Prepare), and whose rules are dear, are given passes: numbers that every
// document bears which the rules let through, on whatever day. Once all bear it, one short condition stands
// for the rules.
//
// What must never happen is that a document bears a pass which its version should not:
//   - a document is written with its passes, as a whole, by what this very version is;
//   - those that are there already are given theirs by requests that carry nothing else (Arrange). What
//     such a request may do late, after the document was written anew, is confined to its own passes: they
//     stand in fields of their own, are no one's until all these requests have been answered, and if one
//     of them was not, or another process took over before, never will be;
//   - a number is drawn at random, and never given again.
//
// A document that lacks a pass is not found, which is a smaller fault, and would be mended by its next
// version only. So whoever writes documents knows what the passes are that searches believe, or has them
// forget those that he cannot judge, before he writes.

const (
	// maxPasses is how many passes there are at a time, and passSlots how many fields for them: a slot that
	// has become free rests before it is used again.
	maxPasses = 48
	passSlots = 64
	// slotRest is longer than a request that was given up may still be on its way, and than a search may
	// believe what it saw at its beginning.
	slotRest = time.Minute
)

// pass is what a slot holds.
type pass struct {
	Slot   int   `json:"slot"`
	Number int64 `json:"number"`
	// Access is the fingerprint of the access that it stands for; "": of none any more, since Freed, in
	// seconds of Unix time.
	Access string `json:"access,omitempty"`
	Freed  int64  `json:"freed,omitempty"`
	// Complete: every document bears it that should.
	Complete bool `json:"complete,omitempty"`
}

// condition is that a document bears it.
func (p *pass) condition() string { return passField(p.Slot) + ":=" + strconv.FormatInt(p.Number, 10) }

func passField(slot int) string { return fieldPass + strconv.Itoa(slot) }

func passFields() []field {
	var names []string
	for slot := range passSlots {
		names = append(names, passField(slot))
	}
	return unsorted(optional("int64", false, names...))
}

// passRecord is a list of passes as a state holds it: a text, so that states can be compared.
type passRecord string

// read returns the passes. What is no list of them holds none.
func (r passRecord) read() []pass {
	var all []pass
	if r == "" || json.Unmarshal([]byte(r), &all) != nil {
		return nil
	}
	return all
}

func recordOf(all []pass) passRecord {
	if len(all) == 0 {
		return ""
	}
	text, err := json.Marshal(all)
	if err != nil { // numbers and texts always encode
		panic(err)
	}
	return passRecord(text)
}

// conditions are those by which searches may ask, by fingerprint.
func (r passRecord) conditions() map[string]string {
	complete := map[string]string{}
	for _, p := range r.read() {
		if p.Access != "" && p.Complete {
			complete[p.Access] = p.condition()
		}
	}
	return complete
}

// free takes from their accesses the passes that are unwanted, and reports whether there are such.
func free(all []pass, now time.Time, unwanted func(*pass) bool) (changed bool) {
	for i := range all {
		if p := &all[i]; p.Access != "" && unwanted(p) {
			p.Access, p.Complete, p.Freed = "", false, now.Unix()
			changed = true
		}
	}
	return changed
}

// give gives passes to the accesses that have none, as far as there are slots for them, and forgets those
// that have rested. It reports whether it gave any.
func give(all []pass, accesses []string, now time.Time) (given []pass, fresh bool) {
	var taken [passSlots]bool
	has := map[string]bool{}
	for _, p := range all {
		if p.Slot < 0 || p.Slot >= passSlots || p.Access == "" && now.Sub(time.Unix(p.Freed, 0)) >= slotRest {
			continue
		}
		given = append(given, p)
		taken[p.Slot], has[p.Access] = true, true
	}
	slot := 0
	for _, access := range accesses {
		for slot < passSlots && taken[slot] {
			slot++
		}
		if !has[access] && slot < passSlots {
			given = append(given, pass{Slot: slot, Number: freshNumber(), Access: access})
			taken[slot], fresh = true, true
		}
	}
	return given, fresh
}

// freshNumber draws one of 2^62 numbers.
func freshNumber() int64 {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return int64(binary.BigEndian.Uint64(random[:]) >> 2)
}

// judge decides of a document by its traits what an access decides of the video, on any day.
type judge struct {
	required []map[string]struct{}
	hidden   map[string]struct{}
}

func newJudge(access catalogue.Access) *judge {
	d := demandsOf(access)
	j := &judge{hidden: setOf(d.hidden)}
	for _, tokens := range d.required {
		j.required = append(j.required, setOf(tokens))
	}
	return j
}

func setOf(tokens []string) map[string]struct{} {
	set := make(map[string]struct{}, len(tokens))
	for _, token := range tokens {
		set[token] = struct{}{}
	}
	return set
}

func (j *judge) shows(traits []string) bool {
	isOf := func(set map[string]struct{}) bool {
		return slices.ContainsFunc(traits, func(token string) bool { _, ok := set[token]; return ok })
	}
	return !isOf(j.hidden) && !slices.ContainsFunc(j.required, func(set map[string]struct{}) bool { return !isOf(set) })
}

// judged is a pass with what decides who bears it.
type judged struct {
	pass
	judge *judge
}

// bearing is the passes that documents are judged by.
type bearing []judged

// of returns those that a document of these traits bears.
func (b bearing) of(traits []string) []pass {
	var borne []pass
	for _, p := range b {
		if p.judge.shows(traits) {
			borne = append(borne, p.pass)
		}
	}
	return borne
}

// appendPasses adds to a document in JSON the passes that it bears.
func appendPasses(document []byte, borne []pass) []byte {
	text := document[:len(document)-1]
	for _, p := range borne {
		text = fmt.Appendf(text, ",%q:%d", passField(p.Slot), p.Number)
	}
	return append(text, '}')
}

// Few videos are found quickly, and few values that hide cost next to nothing: such rules need no pass.
const (
	fewIncludedVideos = 100
	fewExclusions     = 20
)

// isDear reports whether the rules of an access cost a search more than a pass does.
func isDear(access catalogue.Access) bool {
	r := access.Rules
	if r == nil {
		return false
	}
	opensSome := r.OpenChannels != nil && !access.PrivateChannels
	includes := r.Channels != nil || r.Types != nil || r.Subjects != nil || r.Categories != nil ||
		r.EducationLevels != nil || r.DistributionMethods != nil
	return opensSome || includes || len(r.Videos) > fewIncludedVideos || len(exclusions(r)) > fewExclusions
}

// dearest orders accesses by what their rules cost, as far as that is known without the catalogue, and
// leaves those that there are passes for.
func dearest(judges map[string]*judge) []string {
	values := func(name string) int {
		n := len(judges[name].hidden)
		for _, set := range judges[name].required {
			n += len(set)
		}
		return n
	}
	names := make([]string, 0, len(judges))
	for name := range judges {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(values(b), values(a)), strings.Compare(a, b))
	})
	return names[:min(len(names), maxPasses)]
}
