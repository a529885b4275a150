package importer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// collectionLine returns a line of the source "default".
func collectionLine(ref, more string) string {
	return `{"format":1,"kind":"collection","ref":"` + ref + `"` + more + "}\n"
}

func openCollections(t testing.TB) *sqlite.Collections {
	t.Helper()
	return opened(t, sqlite.OpenCollections)
}

// ann is a user of the account "school". The only other user belongs to the operator "house".
var ann = string(catalogue.DeriveID("user", "school", "ann"))

// into returns the options of a run that writes collections to a store.
func into(stored store.Collections, options importer.Options) importer.Options {
	options.Collections = &importer.Collections{Store: stored, Visible: allVisible, Owner: func(_ context.Context, account, user string) (importer.Owner, fault.FieldErrors, error) {
		switch account + "/" + user {
		case "/", "house/":
			return importer.Owner{Account: "house", Name: "House", Service: true}, nil, nil
		case "school/ann", "/" + ann, "school/" + ann:
			return importer.Owner{Account: "school", User: ann, Name: "Ann"}, nil, nil
		case "away/":
			return importer.Owner{}, nil, errors.New("the accounts are away")
		}
		return importer.Owner{}, fault.FieldErrors{{Field: "owner", Problem: "nobody"}}, nil
	}}
	return options
}

// allVisible implements importer.Collections.Visible for an account that sees everything.
func allVisible(_ context.Context, _ string, videos []catalogue.ID) (map[catalogue.ID]bool, error) {
	visible := map[catalogue.ID]bool{}
	for _, id := range videos {
		visible[id] = true
	}
	return visible, nil
}

func storedCollection(t testing.TB, stored store.Collections, ref string) *collection.Collection {
	t.Helper()
	found, err := stored.Collections(t.Context(), []catalogue.ID{idOf(collection.Kind, ref)})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// collectionLines returns collections and everything that they refer to, each line before those that it refers to.
func collectionLines() string {
	return collectionLine("all", `,"title":"All","subCollections":["anns","ours"]`) +
		collectionLine("anns", `,"title":"Ann's","account":"school","owner":"ann","videos":["v"],"anyone":"edit"`) +
		collectionLine("ours", `,"title":"Ours","description":"D","videos":[{"video":"w","start":1.5,"end":"PT1M","note":"N"},"v",{"source":"default","ref":"v"},
			{"video":"v","highlight":"h"}],"subjects":["s"],"ageRange":{"min":5,"max":11},"discoverable":true,"promoted":true,"promotedFor":["library"],
			"attachments":[{"type":"LESSON_PLAN","link":"https://a.example/plan"}]`) +
		`{"format":1,"kind":"highlight","ref":"h","video":"v","start":1,"end":2,"title":"H"}` + "\n" +
		videoLine("v", ``) + videoLine("w", ``) + channelLine + subjectLine
}

func TestCollectionsComeIn(t *testing.T) {
	v, w := idOf(catalogue.KindVideo, "v"), idOf(catalogue.KindVideo, "w")
	lines := strings.ReplaceAll(collectionLines(), "\n\t\t\t", "")
	for _, options := range []importer.Options{{}, {Strict: true}, {BatchSize: 1}} {
		t.Run(fmt.Sprintf("%d, strict %t", options.BatchSize, options.Strict), func(t *testing.T) {
			c, stored := openStore(t), openCollections(t)
			imported(t, c, into(stored, options), lines).expect(t, importer.Counts{Added: 8})
			five, eleven := 5, 11
			attachment := catalogue.DeriveID("attachment", string(idOf(collection.Kind, "ours")), "LESSON_PLAN https://a.example/plan")
			want := []*collection.Collection{{
				ID: idOf(collection.Kind, "all"), Source: "default", Reference: "all", Account: "house", OwnerName: "House", Service: true,
				Title: "All", Anyone: collection.ViewOnly, SubCollections: []catalogue.ID{idOf(collection.Kind, "anns"), idOf(collection.Kind, "ours")},
			}, {
				ID: idOf(collection.Kind, "anns"), Source: "default", Reference: "anns", Account: "school", Owner: ann, OwnerName: "Ann",
				Title: "Ann's", Anyone: collection.Edit, Assets: []collection.Asset{{VideoID: v}},
			}, {
				ID: idOf(collection.Kind, "ours"), Source: "default", Reference: "ours", Account: "house", OwnerName: "House", Service: true,
				Title: "Ours", Description: "D", Anyone: collection.ViewOnly, Discoverable: true, Promoted: true, PromotedFor: []account.Product{"LIBRARY"},
				SubjectIDs: []catalogue.ID{idOf(catalogue.KindSubject, "s")}, AgeRange: catalogue.AgeRange{Min: &five, Max: &eleven},
				Attachments: []catalogue.Attachment{{ID: string(attachment), Type: "LESSON_PLAN", Link: "https://a.example/plan"}},
				Assets: []collection.Asset{
					{VideoID: w, Segment: &collection.Segment{Start: 1500, End: 60_000}, Note: "N"}, {VideoID: v},
					{VideoID: v, HighlightID: idOf(catalogue.KindHighlight, "h")},
				},
			}}
			got := []*collection.Collection{storedCollection(t, stored, "all"), storedCollection(t, stored, "anns"), storedCollection(t, stored, "ours")}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(collection.Collection{}, "Version", "CreatedAt", "UpdatedAt")); diff != "" {
				t.Error(diff)
			}
			head := must(stored.Head(t.Context()))
			imported(t, c, into(stored, options), lines).expect(t, importer.Counts{Unchanged: 8})
			if now := must(stored.Head(t.Context())); now != head {
				t.Errorf("the log of collections went from %d to %d", head, now)
			}
		})
	}
}

// TestInvalidCollections checks that each fault names its line, and that a strict run with faults writes nothing,
// not even to the catalogue.
func TestInvalidCollections(t *testing.T) {
	for _, strict := range []bool{false, true} {
		c, stored := openStore(t), openCollections(t)
		for more, faults := range map[string][]string{
			``: {"title: is required"},
			`,"title":"T","videos":["v","x"],"subjects":["x"]`: {
				`videos[1]: there is no video "x" of the source "default"`, `subjects[0]: there is no subject "x" of the source "default"`,
			},
			`,"title":"T","videos":[{"video":"v","highlight":"x"}]`: {`videos[0].highlight: there is no highlight "x" of the source "default"`},
			`,"title":"T","videos":["v",{"video":"w","highlight":"h"}]`: {
				`videos[1].highlight: the highlight "h" of the source "default" is one of the video "v" of the source "default"`,
			},
			`,"title":"T","videos":[{"video":"v","start":3}]`:                                {`videos[0]: holds one of start and end: expected both, or neither`},
			`,"title":"T","videos":[{"video":"v","start":3,"end":3}]`:                        {`videos[0]: 3 to 3 seconds is not a segment of a video`},
			`,"title":"T","videos":["v",{"video":"v","note":"N"}]`:                           {`videos[1]: is there twice, with another piece or note`},
			`,"title":"T","videos":[{}]`:                                                     {`videos[0].video: is required`},
			`,"title":"T","videos":[7]`:                                                      {`videos[0]: 7 is not an id, a reference or {"source": …, "ref": …}`},
			`,"title":"` + strings.Repeat("T", 201) + `"`:                                    {`title: has 201 characters, at most 200 are allowed`},
			`,"title":"T","ageRange":{"min":2}`:                                              {`ageRange: 2 is not an age between 3 and 19`},
			`,"title":"T","promotedFor":["CINEMA"]`:                                          {`promotedFor[0]: "CINEMA" is not one of INTEGRATE, LTI, LIBRARY, CLASSROOM`},
			`,"title":"T","anyone":null`:                                                     {`anyone: must not be null`},
			`,"title":"T","subCollections":["x"]`:                                            {`subCollections[0]: there is no collection "x" of the source "default"`},
			`,"title":"T","subCollections":["bad"]`:                                          {`subCollections[0]: is the collection itself`},
			`,"title":"T","account":"school"`:                                                {`owner: nobody`},
			`,"title":"T","videos":[` + strings.Repeat(`"v",`, 1000) + `"v"]`:                {`videos: has more than 1000 elements`},
			`,"title":"T","attachments":[{"type":"ACTIVITY","link":"ftp://a.example/plan"}]`: {`attachments[0].link: "ftp://a.example/plan" is not an absolute http or https address`},
			`,"title":"T","default":true`:                                                    {`default: there is no such field`},
		} {
			lines := collectionLine("bad", more) + collectionLine("good", `,"title":"Good"`) +
				`{"format":1,"kind":"highlight","ref":"h","video":"v","start":1,"end":2,"title":"H"}` + "\n" + videoLine("v", ``) + videoLine("w", ``) + channelLine
			var want []string
			for _, problem := range faults {
				want = append(want, "1.jsonl:1: "+problem)
			}
			o := imported(t, c, into(stored, importer.Options{Strict: strict}), lines)
			if diff := cmp.Diff(want, o.faults); diff != "" || o.Rejected != 1 || o.Undone != strict {
				t.Errorf("%s, strict %t: %d rejected, undone %t: %s", more, strict, o.Rejected, o.Undone, diff)
			}
		}
		if heads := []store.Position{must(c.Head(t.Context())), must(stored.Head(t.Context()))}; strict && heads[0]+heads[1] != 0 {
			t.Errorf("strict runs wrote up to %v", heads)
		}
		if written := storedCollection(t, stored, "good") != nil; written == strict || storedCollection(t, stored, "bad") != nil {
			t.Errorf("strict %t: the sound line is in: %t", strict, written)
		}
	}
}

// TestCollectionsOfRejectedOnes checks that a line that refers to a new collection, at any depth, is rejected if the
// only line that creates the collection is rejected.
func TestCollectionsOfRejectedOnes(t *testing.T) {
	c, stored := openStore(t), openCollections(t)
	no := func(ref string) string {
		return fmt.Sprintf(`subCollections[0]: there is no collection %q of the source "default"`, ref)
	}
	imported(t, c, into(stored, importer.Options{}),
		collectionLine("a", `,"title":"A","subCollections":["b"]`)+collectionLine("b", `,"title":"B","subCollections":["c"]`)+
			collectionLine("c", `,"title":"C","subjects":["x"]`)+collectionLine("d", `,"title":"D","subCollections":["e"]`)+
			collectionLine("e", `,"title":"E","account":"nowhere"`)+collectionLine("e", `,"title":"E","subCollections":["d"]`)).
		expect(t, importer.Counts{Added: 2, Rejected: 4},
			`1.jsonl:5: owner: nobody`,
			`1.jsonl:3: subjects[0]: there is no subject "x" of the source "default"`,
			`1.jsonl:2: `+no("c"), `1.jsonl:1: `+no("b"))
	if storedCollection(t, stored, "d") == nil || storedCollection(t, stored, "e") == nil {
		t.Error("two collections that refer to one another are missing")
	}
}

func TestCollectionsWithoutAStore(t *testing.T) {
	for _, strict := range []bool{false, true} {
		o := imported(t, openStore(t), importer.Options{Strict: strict}, collectionLine("a", `,"title":"A"`))
		o.expect(t, importer.Counts{Rejected: 1}, `1.jsonl:1: kind: collections are not brought in here, which has no store for them`)
	}
}

func TestOwnersThatCannotBeLookedUpEndTheRun(t *testing.T) {
	for _, strict := range []bool{false, true} {
		c, stored := openStore(t), openCollections(t)
		options := into(stored, importer.Options{Strict: strict, Inputs: []importer.Input{textInput("a", channelLine+collectionLine("a", `,"title":"A","account":"away"`))}})
		summary, err := importer.Run(t.Context(), c, options)
		if err == nil || !strings.Contains(err.Error(), "the accounts are away") || importer.ExitStatus(summary, err) != importer.ExitFailed || summary.Undone != strict {
			t.Errorf("strict %t: %+v, %v", strict, summary, err)
		}
	}
}

// TestLinesAreLaidOverCollections checks that a line leaves the fields that it omits unchanged and replaces the others,
// even if a user has written them meanwhile. Comments and the owner remain.
func TestLinesAreLaidOverCollections(t *testing.T) {
	c, stored := openStore(t), openCollections(t)
	lines := strings.ReplaceAll(collectionLines(), "\n\t\t\t", "")
	imported(t, c, into(stored, importer.Options{}), lines)
	id := idOf(collection.Kind, "anns")
	remark := collection.Comment{ID: idOf("comment", "1"), UserID: ann, Text: "Good", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	edit := func(c *collection.Collection) error {
		c.Title, c.Description, c.Discoverable = "Mine", "Written by hand", true
		c.Assets[0].Comments = []collection.Comment{remark}
		c.Add(collection.Asset{VideoID: idOf(catalogue.KindVideo, "w")})
		return nil
	}
	before := must(stored.Change(t.Context(), id, edit))
	imported(t, c, into(stored, importer.Options{}), lines).expect(t, importer.Counts{Changed: 1, Unchanged: 7})
	after := storedCollection(t, stored, "anns")
	if after.Title != "Ann's" || after.Description != "Written by hand" || !after.Discoverable || after.Version == before.Version {
		t.Errorf("the line makes %+v", after)
	}
	if diff := cmp.Diff([]collection.Asset{{VideoID: idOf(catalogue.KindVideo, "v"), Comments: []collection.Comment{remark}}}, after.Assets); diff != "" {
		t.Error(diff)
	}
	imported(t, c, into(stored, importer.Options{}), collectionLine("anns", `,"description":null,"account":"school"`)+collectionLine("anns", `,"owner":"`+ann+`"`)+
		collectionLine("anns", `,"account":"house"`)+collectionLine("new", `,"title":"New"`)+collectionLine("new", `,"owner":"`+ann+`"`)+
		collectionLine("new", `,"description":"Said later"`)).
		expect(t, importer.Counts{Added: 1, Changed: 2, Unchanged: 1, Rejected: 2},
			fmt.Sprintf(`1.jsonl:3: account: the collection belongs to the user %q of the account "school", and stays with them`, ann),
			`1.jsonl:5: owner: the collection belongs to the account "house", and stays with it`)
	if after := storedCollection(t, stored, "anns"); after.Description != "" || after.Owner != ann || after.Title != "Ann's" {
		t.Errorf("the lines make %+v", after)
	}
	if made := storedCollection(t, stored, "new"); made.Description != "Said later" || made.Owner != "" {
		t.Errorf("the lines make %+v", made)
	}
}

// TestDefaultCollectionsBelongToNoImport checks that a line that names a default collection by id is rejected.
func TestDefaultCollectionsBelongToNoImport(t *testing.T) {
	c, stored := openStore(t), openCollections(t)
	given := must(stored.Create(t.Context(), &collection.Collection{
		ID: idOf(collection.Kind, "default"), Account: "school", Owner: ann, Title: collection.DefaultTitle, Default: true, Anyone: collection.ViewOnly,
	}))
	imported(t, c, into(stored, importer.Options{}), collectionLine("r", `,"id":"`+string(given.ID)+`","title":"Mine"`)).
		expect(t, importer.Counts{Rejected: 1}, fmt.Sprintf(`1.jsonl:1: id: %q is the collection that the user %q was given, and belongs to no import`, given.ID, ann))
	if diff := cmp.Diff(given, storedCollection(t, stored, "default")); diff != "" {
		t.Error(diff)
	}
}

// TestUsersOwnNoMoreThanTheyMay checks that the limit per user counts existing collections and those of earlier lines.
func TestUsersOwnNoMoreThanTheyMay(t *testing.T) {
	c, stored := openStore(t), openCollections(t)
	var lines string
	for n := range collection.MaxOwned - 1 {
		lines += collectionLine(fmt.Sprint(n), `,"title":"T","owner":"`+ann+`"`)
	}
	imported(t, c, into(stored, importer.Options{Strict: true}), lines).expect(t, importer.Counts{Added: collection.MaxOwned - 1})
	mine := func(ref, more string) string { return collectionLine(ref, `,"title":"T","owner":"`+ann+`"`+more) }
	head := must(stored.Head(t.Context()))
	// The faulty line does not use up the owner's limit.
	more := mine("a", `,"subCollections":["x"]`) + mine("0", `,"description":"D"`) + mine("b", ``) + mine("c", ``) + mine("d", `,"subCollections":["c"]`)
	faults := []string{
		`1.jsonl:1: subCollections[0]: there is no collection "x" of the source "default"`,
		`1.jsonl:4: owner: a user may have 1000 collections, no more`, `1.jsonl:5: owner: a user may have 1000 collections, no more`,
	}
	imported(t, c, into(stored, importer.Options{Strict: true}), more).expect(t, importer.Counts{Rejected: 3}, faults...)
	if now := must(stored.Head(t.Context())); now != head {
		t.Error("a strict run wrote collections")
	}
	imported(t, c, into(stored, importer.Options{}), more).expect(t, importer.Counts{Added: 1, Changed: 1, Rejected: 3}, faults...)
}

// TestPruneDeletesCollections checks that pruning deletes collections only of the sources that the run mentions.
func TestPruneDeletesCollections(t *testing.T) {
	for _, strict := range []bool{false, true} {
		c, stored := openStore(t), openCollections(t)
		prune := into(stored, importer.Options{Prune: true, ConfirmPrune: true, Strict: strict})
		other := `{"format":1,"kind":"collection","source":"other","ref":"o","title":"Other"}` + "\n"
		var lines string
		for n := range 120 {
			lines += collectionLine(fmt.Sprint(n), `,"title":"T"`)
		}
		imported(t, c, into(stored, importer.Options{}), lines+other)
		byHand := must(stored.Create(t.Context(), &collection.Collection{ID: idOf("hand", "h"), Account: "school", Owner: ann, Title: "By hand", Anyone: collection.ViewOnly}))

		imported(t, c, prune, channelLine).expect(t, importer.Counts{Added: 1})
		o := imported(t, c, prune, collectionLine("0", `,"title":"T"`)+collectionLine("1", `,"title":""`))
		o.expect(t, importer.Counts{Unchanged: map[bool]int{false: 1}[strict], Rejected: 1}, "1.jsonl:2: title: is required")
		if !strict && o.PruneRefused == "" {
			t.Error("pruned though a line was rejected")
		}
		few := prune
		few.ConfirmPrune = false
		if o := imported(t, c, few, collectionLine("0", `,"title":"T"`)); !strings.Contains(o.CollectionsKept, "--confirm-prune") || o.Pruned != 0 {
			t.Errorf("pruned without being confirmed: %+v", o.Summary)
		}
		imported(t, c, prune, collectionLine("0", `,"title":"T"`)+collectionLine("119", `,"title":"U"`)).
			expect(t, importer.Counts{Changed: 1, Unchanged: 1, Pruned: 118})
		left := must(stored.Scan(t.Context(), "", 1000))
		var refs []string
		for _, one := range left {
			refs = append(refs, one.Source+"/"+one.Reference)
		}
		slices.Sort(refs)
		if want := []string{"/", "default/0", "default/119", "other/o"}; !slices.Equal(refs, want) || byHand.Source != "" {
			t.Errorf("%v are left, want %v", refs, want)
		}
	}
}

// TestPrunedVideosLeaveImportedCollections checks that pruned videos are removed from collections, including those that
// the same run imported.
func TestPrunedVideosLeaveImportedCollections(t *testing.T) {
	c, stored := openStore(t), openCollections(t)
	imported(t, c, into(stored, importer.Options{}), channelLine+videoLine("v", ``)+videoLine("w", ``))
	imported(t, c, into(stored, importer.Options{Prune: true}), channelLine+videoLine("v", ``)+collectionLine("a", `,"title":"A","videos":["w","v"]`)).
		expect(t, importer.Counts{Added: 1, Unchanged: 2, Pruned: 1})
	if got := storedCollection(t, stored, "a").VideoIDs(); !slices.Equal(got, []catalogue.ID{idOf(catalogue.KindVideo, "v")}) {
		t.Errorf("the collection holds %v", got)
	}
}

// TestPruningWaitsForCollections checks that videos are not deleted if they cannot be removed from collections, and
// that the next run does both. The same applies after a run that died in between. Importing the videos again does not
// put them back into collections.
func TestPruningWaitsForCollections(t *testing.T) {
	for _, strict := range []bool{false, true} {
		for _, forgets := range []bool{false, true} {
			c, stored := openStore(t), openCollections(t)
			both, left := channelLine+videoLine("v", ``)+videoLine("w", ``), channelLine+videoLine("v", ``)
			imported(t, c, into(stored, importer.Options{}), both+collectionLine("a", `,"title":"A","videos":["w","v"]`))
			options := into(&unforgetting{kept: stored, forgets: forgets}, importer.Options{Prune: true, Strict: strict})
			options.Inputs = []importer.Input{textInput("a.jsonl", left)}
			if _, err := importer.Run(t.Context(), c, options); err == nil || !strings.Contains(err.Error(), "the disk is full") {
				t.Errorf("strict %t: a run that cannot forget ends with %v", strict, err)
			}
			imported(t, c, into(stored, importer.Options{Prune: true, Strict: strict}), left).expect(t, importer.Counts{Unchanged: 2, Pruned: 1})
			imported(t, c, into(stored, importer.Options{}), both).expect(t, importer.Counts{Added: 1, Unchanged: 2})
			if got := storedCollection(t, stored, "a").VideoIDs(); !slices.Equal(got, []catalogue.ID{idOf(catalogue.KindVideo, "v")}) {
				t.Errorf("strict %t: the collection holds %v", strict, got)
			}
		}
	}
}

// unforgetting is a store of collections whose ForgetVideos always fails, whether or not it has removed the videos.
type unforgetting struct {
	kept
	forgets bool
}

func (u *unforgetting) ForgetVideos(ctx context.Context, ids []catalogue.ID) error {
	if u.forgets {
		if err := u.kept.ForgetVideos(ctx, ids); err != nil {
			return err
		}
	}
	return errors.New("the disk is full")
}

// kept names the embedded type. Its name must differ from every method's name.
type kept interface{ store.Collections }

// full is a store of collections that accepts a limited number of creations. Before each creation, it calls interfere
// if that is not nil.
type full struct {
	kept
	left      int
	interfere func()
}

func (f *full) Create(ctx context.Context, made *collection.Collection) (*collection.Collection, error) {
	if f.interfere != nil {
		f.interfere()
	}
	if f.left--; f.left < 0 {
		return nil, errors.New("the disk is full")
	}
	return f.kept.Create(ctx, made)
}

// TestInterruptedRunIsCompleted checks that a run that fails between the commit of the catalogue and the last
// collection reports this, and that another run imports the rest.
func TestInterruptedRunIsCompleted(t *testing.T) {
	for _, strict := range []bool{false, true} {
		for _, left := range []int{0, 2} {
			c, stored := openStore(t), openCollections(t)
			lines := strings.ReplaceAll(collectionLines(), "\n\t\t\t", "")
			options := into(&full{kept: stored, left: left}, importer.Options{Strict: strict})
			options.Inputs = []importer.Input{textInput("a.jsonl", lines)}
			summary, err := importer.Run(t.Context(), c, options)
			want := fmt.Sprintf("not all collections are in, running the import again brings the rest: a.jsonl:%d: the disk is full", left+1)
			if err == nil || err.Error() != want || summary.Undone || summary.Added != 5+left {
				t.Errorf("strict %t: %v, %+v", strict, err, summary.Counts)
			}
			imported(t, c, into(stored, importer.Options{Strict: strict}), lines).expect(t, importer.Counts{Added: 3 - left, Unchanged: 5 + left})
		}
	}
}

// TestOthersWriteTheSameCollections checks that the result is the same if another import adds a collection, or somebody
// deletes one, between check and write.
func TestOthersWriteTheSameCollections(t *testing.T) {
	c, stored := openStore(t), openCollections(t)
	line := collectionLine("a", `,"title":"A","description":"D"`)
	interfere := func() {
		_, _ = stored.Create(context.Background(), &collection.Collection{
			ID: idOf(collection.Kind, "a"), Source: "default", Account: "house", Service: true, Title: "Before", Anyone: collection.ViewOnly,
		})
	}
	imported(t, c, into(&full{kept: stored, left: 9, interfere: interfere}, importer.Options{}), line).expect(t, importer.Counts{Changed: 1})
	if made := storedCollection(t, stored, "a"); made.Title != "A" || made.Description != "D" {
		t.Errorf("there is %+v", made)
	}
	imported(t, c, into(deleting{stored}, importer.Options{}), collectionLine("a", `,"title":"A again"`)).expect(t, importer.Counts{Added: 1})
	if made := storedCollection(t, stored, "a"); made == nil || made.Title != "A again" || made.Description != "" {
		t.Errorf("there is %+v", made)
	}
	// A line that lacks the fields of a new collection is rejected if the collection has been deleted.
	imported(t, c, into(deleting{stored}, importer.Options{}), collectionLine("a", `,"description":"E"`)).
		expect(t, importer.Counts{Rejected: 1}, "1.jsonl:1: title: is required")
}

// deleting is a store of collections that deletes a collection just before each change.
type deleting struct{ kept }

func (d deleting) Change(ctx context.Context, id catalogue.ID, fn func(*collection.Collection) error) (*collection.Collection, error) {
	if err := d.Delete(ctx, id, func(*collection.Collection) error { return nil }); err != nil {
		return nil, err
	}
	return d.kept.Change(ctx, id, fn)
}
