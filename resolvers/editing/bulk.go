package editing

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// VideoChange is a change of many videos, as jobs store it.
type VideoChange struct {
	AddSubjects    []catalogue.ID `json:"addSubjects,omitempty"`
	RemoveSubjects []catalogue.ID `json:"removeSubjects,omitempty"`
	// Set are fields as for UpdateVideo.
	Set     map[string]any `json:"set,omitempty"`
	Retired *bool          `json:"retired,omitempty"`
}

// Check returns an error with the code Invalid if the change is none, or if its fields are invalid in every video.
func (c *VideoChange) Check() error {
	if len(c.AddSubjects)+len(c.RemoveSubjects)+len(c.Set) == 0 && c.Retired == nil {
		return inputs.Invalid("change", "is required: name subjects, fields, or whether the videos are retired")
	}
	_, err := readLine(catalogue.KindVideo, with(c.fields(&catalogue.Video{}), "id", anyVideo))
	return err
}

// anyVideo stands for the ID of a video when fields alone are checked.
const anyVideo = "000000000000000000000000"

// fields returns what the change sets in a video.
func (c *VideoChange) fields(video *catalogue.Video) fields {
	set := fields{}
	maps.Copy(set, c.Set)
	if len(c.AddSubjects)+len(c.RemoveSubjects) > 0 {
		subjects := video.SubjectIDs
		if given, ok := set["subjects"]; ok {
			text, _ := json.Marshal(given)
			subjects = nil
			_ = json.Unmarshal(text, &subjects) // readLine reports a list of anything else
		}
		subjects = slices.DeleteFunc(slices.Clone(subjects), func(id catalogue.ID) bool { return slices.Contains(c.RemoveSubjects, id) })
		set["subjects"] = values.Distinct(append(subjects, c.AddSubjects...))
	}
	if c.Retired != nil {
		set["retired"] = *c.Retired
		if !*c.Retired {
			set["retiredInto"] = nil
		}
	}
	return set
}

// VideoOutcome is what became of one video.
type VideoOutcome struct {
	ID catalogue.ID `json:"id"`
	// Version is that of the video afterwards. Changed reports whether this call changed it.
	Version int64 `json:"version,omitempty"`
	Changed bool  `json:"changed,omitempty"`
	// Problem is why the video could not be changed; "" if it could.
	Problem string `json:"problem,omitempty"`
}

// ChangeVideos changes videos in one transaction, in the name of the caller. Those that cannot be changed keep their
// values, and the others change nevertheless.
func (r *Resolver) ChangeVideos(ctx context.Context, ids []catalogue.ID, change *VideoChange) ([]VideoOutcome, error) {
	return r.editVideos(ctx, ids, func(video *catalogue.Video) (catalogue.Item, error) { return edited(video, change.fields(video)) })
}

// UndoVideos gives videos the values and holds that they had before the change that gave them a version, in one transaction.
// Videos that have another version by now keep their values.
func (r *Resolver) UndoVideos(ctx context.Context, changed []VideoOutcome) ([]VideoOutcome, error) {
	ids := values.Map(changed, func(one VideoOutcome) catalogue.ID { return one.ID })
	before, versions := map[catalogue.ID][]byte{}, map[catalogue.ID]int64{}
	for _, one := range changed {
		// If the version is still that of the change, so is the last entry: every change of fields has one.
		entries, err := r.store.Audit(ctx, store.CatalogueAuditQuery{Kind: catalogue.KindVideo, ID: one.ID, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(entries) > 0 {
			before[one.ID], versions[one.ID] = entries[0].Before, one.Version
		}
	}
	return r.editVideos(ctx, ids, func(video *catalogue.Video) (catalogue.Item, error) {
		if before[video.ID] == nil || versions[video.ID] != video.Version {
			return nil, fault.Errorf(fault.Conflict, "the video has changed since")
		}
		return earlierVideo(video, before[video.ID])
	})
}

// earlierVideo returns a video with the values of an earlier body, except for its transcript, and with the holds of that body.
func earlierVideo(video *catalogue.Video, body []byte) (catalogue.Item, error) {
	earlier, err := importline.FieldsOf(catalogue.KindVideo, body)
	if err != nil {
		return nil, err
	}
	item, err := edited(video, earlier)
	if err != nil {
		return nil, err
	}
	var held struct {
		Held   []catalogue.Held
		Pruned bool
	}
	err = json.Unmarshal(body, &held)
	undone := item.(*catalogue.Video)
	undone.Held, undone.Pruned = held.Held, held.Pruned
	return undone, err
}

// Versions returns the videos with the versions that they have now; 0: they do not exist.
func (r *Resolver) Versions(ctx context.Context, videos []VideoOutcome) ([]VideoOutcome, error) {
	states, err := r.store.States(ctx, values.Map(videos, func(one VideoOutcome) catalogue.ID { return one.ID }))
	if err != nil {
		return nil, err
	}
	versions := map[catalogue.ID]int64{}
	for _, state := range states {
		versions[state.ID] = state.Version
	}
	return values.Map(videos, func(one VideoOutcome) VideoOutcome { return VideoOutcome{ID: one.ID, Version: versions[one.ID]} }), nil
}

// editVideos stores what change makes of each video.
func (r *Resolver) editVideos(ctx context.Context, ids []catalogue.ID, change func(*catalogue.Video) (catalogue.Item, error)) ([]VideoOutcome, error) {
	var outcomes []VideoOutcome
	err := r.edit(ctx, func(ctx context.Context, tx store.Tx, note notes) error {
		outcomes = values.Map(ids, func(id catalogue.ID) VideoOutcome { return VideoOutcome{ID: id} })
		stored, err := tx.Items(ctx, catalogue.KindVideo, ids)
		if err != nil {
			return err
		}
		var items []catalogue.Item
		var at []int
		for i := range outcomes {
			video, ok := stored[ids[i]].(*catalogue.Video)
			if !ok {
				outcomes[i].Problem = messageOf(errNotFound(catalogue.KindVideo, ids[i]))
				continue
			}
			item, err := change(video)
			if err != nil {
				outcomes[i].Problem = messageOf(err)
				continue
			}
			items, at = append(items, item), append(at, i)
		}
		put, err := tx.Put(ctx, items)
		if err != nil {
			return err
		}
		for k, result := range put {
			outcome, item := &outcomes[at[k]], items[k]
			if result.Status == store.Rejected {
				outcome.Problem = result.Faults.Error()
				continue
			}
			outcome.Version = item.Head().Version
			if outcome.Changed = result.Status == store.Changed; outcome.Changed {
				if err := note(ctx, stored[outcome.ID], item); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return outcomes, err
}

func messageOf(err error) string {
	if known := (*fault.Error)(nil); errors.As(err, &known) {
		return known.Message
	}
	return err.Error()
}

// MaxVideos is the largest number of videos of one bulk change.
const MaxVideos = 10_000
