package catalogue

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

func (r *Resolver) VideoTypes(context.Context) ([]catalogue.VideoType, error) {
	return catalogue.VideoTypes(), nil
}

// Video returns nil where VideoReference returns an error with the code NotFound or Moved.
func (r *Resolver) Video(ctx context.Context, id string, referer *string) (*model.Video, error) {
	ref, err := r.VideoReference(ctx, id, referer)
	switch fault.CodeOf(err) {
	case fault.NotFound, fault.Moved:
		return nil, nil
	case "":
	default:
		return nil, err
	}
	videos, err := r.VideosByID(ctx, []catalogue.ID{ref.ID})
	if err != nil || len(videos) == 0 {
		return nil, err
	}
	return videos[0], nil
}

// VideoReference returns the version of a video that the caller sees. The error has the code Moved if the video was
// retired into one that the caller sees, and NotFound if the caller sees neither. The referer is attribution and changes
// nothing.
func (r *Resolver) VideoReference(ctx context.Context, id string, _ *string) (*catalogue.Ref, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	state, err := r.stateOf(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := authz.CheckVideo(caller, state.ID); err != nil {
		return nil, err
	}
	if state.VisibleTo(caller.Access, r.Today()) {
		return &state.Ref, nil
	}
	replacements, err := r.Replacements(ctx, []catalogue.State{*state})
	if err != nil {
		return nil, err
	}
	if other := replacements[state.ID]; other != nil && other.VisibleTo(caller.Access, r.Today()) {
		return nil, &fault.Error{
			Code: fault.Moved, Message: "the video " + id + " was replaced by " + string(other.ID), MovedTo: string(other.ID),
		}
	}
	return nil, inputs.NotFound("video", id)
}

// VisibleVideo returns the ID of a video that the caller sees, or of the video that replaces it.
func (r *Resolver) VisibleVideo(ctx context.Context, id string) (catalogue.ID, error) {
	ref, err := r.VideoReference(ctx, id, nil)
	if moved := (*fault.Error)(nil); fault.CodeOf(err) == fault.Moved && errors.As(err, &moved) {
		return catalogue.ID(moved.MovedTo), nil
	}
	if err != nil {
		return "", err
	}
	return ref.ID, nil
}

// stateOf finds a video by its ID or by a legacy alias.
func (r *Resolver) stateOf(ctx context.Context, text string) (*catalogue.State, error) {
	ids, err := r.ResolveAliases(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	states, err := r.States(ctx, ids)
	if err != nil {
		return nil, err
	}
	if len(states) == 0 {
		return nil, inputs.NotFound("video", text)
	}
	return &states[0], nil
}

// ResolveAliases returns texts as IDs, with each known legacy alias replaced by the ID that it stands for.
func (r *Resolver) ResolveAliases(ctx context.Context, texts []string) ([]catalogue.ID, error) {
	var aliases []string
	for _, text := range texts {
		if catalogue.IsLegacyAlias(text) {
			aliases = append(aliases, text)
		}
	}
	ids := values.IDs(texts)
	if len(aliases) == 0 {
		return ids, nil
	}
	known, err := r.store.Aliases(ctx, aliases)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		if id, ok := known[text]; ok {
			ids[i] = id
		}
	}
	return ids, nil
}

func (r *Resolver) VideosByID(ctx context.Context, ids []catalogue.ID) ([]*model.Video, error) {
	videos, directory, err := r.LoadVisible(ctx, ids)
	if err != nil {
		return nil, err
	}
	return values.Map(videos, func(video *catalogue.Video) *model.Video { return model.NewVideo(video, directory) }), nil
}

// LoadVisible reads those of the videos that the caller sees in one call, and a directory that is not older than any of
// them. The error has the code Invalid if there are more than catalogue.MaxVideosAtOnce IDs.
func (r *Resolver) LoadVisible(ctx context.Context, ids []catalogue.ID) ([]*catalogue.Video, *catalogue.Directory, error) {
	stored, err := r.load(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	return r.visibleAmong(ctx, stored)
}

// LoadShown is Shown for the videos themselves, with a directory that is not older than any of them. It reads the videos
// in one call, and replacements in another one if there are any.
func (r *Resolver) LoadShown(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]*catalogue.Video, *catalogue.Directory, error) {
	stored, err := r.load(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	var retired []catalogue.State
	for _, video := range stored {
		if video.Retired {
			retired = append(retired, catalogue.State{Ref: video.Ref(), Retired: true, RetiredInto: video.RetiredInto})
		}
	}
	ends, err := r.Replacements(ctx, retired)
	if err == nil && len(ends) > 0 {
		var others []*catalogue.Video
		others, err = r.store.Videos(ctx, values.Distinct(values.Map(slices.Collect(maps.Values(ends)), func(end *catalogue.State) catalogue.ID { return end.ID })))
		stored = slices.Concat(stored, others)
	}
	if err != nil {
		return nil, nil, err
	}
	visible, directory, err := r.visibleAmong(ctx, stored)
	shown := make(map[catalogue.ID]*catalogue.Video, len(visible))
	for _, video := range visible {
		shown[video.ID] = video
	}
	for from, end := range ends {
		if video := shown[end.ID]; video != nil {
			shown[from] = video
		}
	}
	return shown, directory, err
}

func (r *Resolver) load(ctx context.Context, ids []catalogue.ID) ([]*catalogue.Video, error) {
	if len(ids) > catalogue.MaxVideosAtOnce {
		return nil, fault.InvalidRequest("%d ids are more than the %d that one request may name", len(ids), catalogue.MaxVideosAtOnce)
	}
	return r.store.Videos(ctx, ids)
}

// visibleAmong returns those of the stored videos that the caller sees, and a directory that is not older than any.
func (r *Resolver) visibleAmong(ctx context.Context, stored []*catalogue.Video) ([]*catalogue.Video, *catalogue.Directory, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, nil, err
	}
	var newest int64
	for _, video := range stored {
		newest = max(newest, video.Version)
	}
	directory, err := r.store.Directory(ctx, newest)
	if err != nil {
		return nil, nil, err
	}
	today := r.Today()
	visible := make([]*catalogue.Video, 0, len(stored))
	for _, video := range stored {
		if authz.CheckVideo(caller, video.ID) == nil && directory.Shows(video, caller.Access, today) {
			visible = append(visible, video)
		}
	}
	return visible, directory, nil
}

// LoadRefs is VideosByID for references.
func (r *Resolver) LoadRefs(ctx context.Context, refs []catalogue.Ref) ([]*model.Video, error) {
	return r.VideosByID(ctx, values.Map(refs, func(ref catalogue.Ref) catalogue.ID { return ref.ID }))
}

func (r *Resolver) VideoMetadata(ctx context.Context, texts []string) ([]*graph.VideoMetadata, error) {
	ids, err := r.ResolveAliases(ctx, texts)
	if err != nil {
		return nil, err
	}
	videos, directory, err := r.LoadVisible(ctx, ids)
	if err != nil {
		return nil, err
	}
	permissions := account.CallerOf(ctx).Permissions
	return values.Map(videos, func(video *catalogue.Video) *graph.VideoMetadata { return metadataOf(video, directory, permissions) }), nil
}

func metadataOf(video *catalogue.Video, directory *catalogue.Directory, permissions account.Permissions) *graph.VideoMetadata {
	return &graph.VideoMetadata{
		ID:                video.ID,
		ContentPartner:    model.NewVideo(video, directory).CreatedBy(),
		Title:             video.Title,
		Description:       video.Description,
		Duration:          video.Playback.Duration,
		VideoReference:    video.Reference,
		LegalRestrictions: video.LegalRestrictions,
		Transcripts:       video.HasTranscript || video.HasCaptions,
		HasCaptions:       video.HasCaptions && permissions.Has(account.DownloadTranscript),
		Links:             values.Map(video.Attachments, func(a catalogue.Attachment) string { return a.Link }),
		Keywords:          append([]string{}, video.Keywords...),
	}
}
