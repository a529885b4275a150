package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Erase implements store.Events. It replaces the files that contain the person. Even if there is none, it replaces the
// manifest: a move that has read the person's events before begins again.
func (e *Events) Erase(ctx context.Context, account, person, alias string, upTo event.Position) (erased int64, err error) {
	external, user := storelogic.PersonColumns(person)
	if external == "" && user == "" {
		return e.log.Erase(ctx, account, person, alias, upTo)
	}
	now, err := e.begin(ctx)
	if err != nil {
		return 0, err
	}
	if _, err := e.settle(ctx, now); err != nil { // so that no event exists twice
		return 0, err
	}
	if erased, err = e.log.Erase(ctx, account, person, alias, upTo); err != nil {
		return erased, err
	}
	f := filterOf(store.EventQuery{Account: account, Person: person}, 0, upTo)
	f.noAccount = account == ""
	more, err := e.rewrite(ctx, f, func(one *event.Event) bool {
		if one.Position > upTo || one.Account != account || one.Person() != person {
			return false
		}
		if external != "" {
			one.ExternalUser, one.User = alias, ""
		} else {
			one.User = alias
		}
		one.Referer, one.Address, one.Trace, one.Details, one.Metadata = "", "", "", nil, nil
		return true
	}, true)
	return erased + more, err
}

// ForgetAddresses implements store.Events. Usually the addresses of archived events were forgotten before they were moved.
func (e *Events) ForgetAddresses(ctx context.Context, before event.Instant) error {
	if err := e.log.ForgetAddresses(ctx, before); err != nil {
		return err
	}
	now, err := e.load(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(now.Months, func(m Month) bool {
		return slices.ContainsFunc(m.Files, func(p Part) bool { return p.Addresses && p.From < before })
	}) {
		return nil
	}
	f := filterOf(store.EventQuery{To: before}, 0, now.Through)
	_, err = e.rewrite(ctx, f, func(one *event.Event) bool {
		had := one.Address != "" && one.Received < before
		if had {
			one.Address = ""
		}
		return had
	}, false)
	return err
}

// rewrite replaces the files with events that a filter selects and change changes, and returns the number of changed
// events. erase: change assigns events to another person, and the manifest is replaced even if there are none.
func (e *Events) rewrite(ctx context.Context, f *filter, change func(*event.Event) bool, erase bool) (changed int64, err error) {
	err = retry(ctx, func() error {
		now, err := e.load(ctx)
		if err != nil {
			return err
		}
		changed = 0
		next := now.next()
		renamed := map[string]string{}
		for i := range next.Months {
			month := &next.Months[i]
			month.Files = slices.Clone(month.Files)
			for k := range month.Files {
				old := month.Files[k]
				replaced, n, err := e.rewritePart(ctx, &old, f, change, erase, now.Version)
				if err != nil {
					return e.ifChanged(ctx, now, err)
				}
				if n > 0 {
					month.Files[k], renamed[old.Name] = *replaced, replaced.Name
					changed += n
				}
			}
			if month.Videos, err = e.renameVideos(ctx, month, renamed, now.Version); err != nil {
				return e.ifChanged(ctx, now, err)
			}
		}
		if changed == 0 && !erase {
			return nil
		}
		return e.change(ctx, now, next)
	})
	if err != nil {
		return 0, err
	}
	if changed == 0 && !erase {
		return 0, nil
	}
	return changed, e.sweep(ctx) // also what an interrupted call left behind
}

// ifChanged returns errAgain for a file that is missing because the manifest that lists it was replaced.
func (e *Events) ifChanged(ctx context.Context, before *state, err error) error {
	if !errors.Is(err, ErrMissing) {
		return err
	}
	return e.unchanged(ctx, before, 0, err)
}

// rewritePart writes the replacement of a file, and returns how many events differ; 0: the file needs none.
func (e *Events) rewritePart(ctx context.Context, part *Part, f *filter, change func(*event.Event) bool, erase bool, base int64) (*Part, int64, error) {
	if !f.selects(part) {
		return nil, 0, nil
	}
	search := e.newWalk([]*Part{part}, f)
	found, _, err := search.head(ctx)
	search.close()
	if err != nil || found == nil {
		return nil, 0, err
	}
	w, err := e.newWriter(Part{Account: part.Account, Part: part.Part, Of: part.Of, Erased: part.Erased || erase})
	if err != nil {
		return nil, 0, err
	}
	defer w.close()
	all := e.newWalk([]*Part{part}, filterOf(store.EventQuery{}, 0, 1<<62))
	defer all.close()
	changed, sum := int64(0), newDigest()
	for {
		next, of, err := all.head(ctx)
		if err != nil {
			return nil, 0, err
		}
		if next == nil {
			break
		}
		one := *next
		of.advance()
		if change(&one) {
			changed++
		}
		sum.add(&one)
		if err := w.add(&one); err != nil {
			return nil, 0, err
		}
	}
	if changed == 0 {
		return nil, 0, nil
	}
	if err := w.put(ctx, e.files, base); err != nil {
		return nil, 0, e.unavailable("a file cannot be written", err)
	}
	stored, err := e.digestOf(ctx, []*Part{&w.Part})
	if err != nil {
		return nil, 0, err
	}
	if want := sum.sum(); stored != want {
		return nil, 0, e.unavailable("the new file "+w.Name+" differs from the written content", fmt.Errorf("%s are stored instead of %s", stored, want))
	}
	return &w.Part, changed, nil
}

// renameVideos writes the lists of files by video of a month with new names of files.
func (e *Events) renameVideos(ctx context.Context, month *Month, renamed map[string]string, base int64) (replaced []Index, err error) {
	if len(renamed) == 0 {
		return month.Videos, nil
	}
	for _, index := range month.Videos {
		rows, err := e.videos(ctx, index)
		if err != nil {
			return nil, err
		}
		differs := false
		for i := range rows {
			if name := renamed[rows[i].File]; name != "" {
				rows[i].File, differs = name, true
			}
		}
		if differs {
			if index, err = putVideos(ctx, e.files, month.Month.String(), base, rows); err != nil {
				return nil, e.unavailable("a file cannot be written", err)
			}
		}
		replaced = append(replaced, index)
	}
	return replaced, nil
}

// videos reads a list of files by video.
func (e *Events) videos(ctx context.Context, index Index) ([]videoRow, error) {
	file, err := e.files.Open(ctx, index.Name, index.Bytes)
	if err != nil {
		return nil, e.lost(index.Name, err)
	}
	defer func() { _ = file.Close() }()
	if err := file.Expect(ctx, 0, index.Bytes); err != nil {
		return nil, e.lost(index.Name, err)
	}
	rows, err := parquet.Read[videoRow](&readerAt{file: file, size: index.Bytes, ctx: ctx}, index.Bytes)
	if err != nil {
		return nil, e.lost(index.Name, err)
	}
	return rows, nil
}
