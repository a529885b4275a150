package resolvers

import (
	"context"
	"strings"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
)

func (q query) Index(ctx context.Context) (*model.Index, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	index := &model.Index{Anonymous: caller.Anonymous(), User: caller.User}
	if caller.Account != nil {
		index.Products, index.Operator = caller.Account.Products, caller.Account.Operator
	}
	return index, nil
}

func (q query) VideoTypes(context.Context) ([]catalogue.VideoType, error) {
	return catalogue.VideoTypes(), nil
}

// Video is null where VideoReference would be an error.
func (q query) Video(ctx context.Context, id string, referer *string) (*model.Video, error) {
	ref, err := q.VideoReference(ctx, id, referer)
	switch fault.CodeOf(err) {
	case fault.NotFound, fault.Moved:
		return nil, nil
	case "":
	default:
		return nil, err
	}
	videos, err := q.VideosByID(ctx, []catalogue.ID{ref.ID})
	if err != nil || len(videos) == 0 {
		return nil, err
	}
	return videos[0], nil
}

// VideoReference says which version of a video the caller sees. The referer is attribution; it
// changes nothing.
func (q query) VideoReference(ctx context.Context, id string, _ *string) (*catalogue.Ref, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	state, err := q.stateOf(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := checkVideoOf(caller, state.Ref.ID); err != nil {
		return nil, err
	}
	if state.VisibleTo(caller.Access, q.today()) {
		return &state.Ref, nil
	}
	twin, err := q.twinOf(ctx, state)
	if err != nil {
		return nil, err
	}
	if twin != nil && twin.VisibleTo(caller.Access, q.today()) {
		return nil, &fault.Error{
			Code: fault.Moved, Message: "the video " + id + " lives on as " + string(twin.ID), MovedTo: string(twin.ID),
		}
	}
	return nil, noSuch("video", id)
}

// twinOf is the video at which those end that a retired one was retired into, one into the other; nil: there is none
// within catalogue.MaxTwins steps, or they go round in a circle.
func (r *resolver) twinOf(ctx context.Context, state *catalogue.State) (*catalogue.State, error) {
	met := map[catalogue.ID]bool{state.ID: true}
	for range catalogue.MaxTwins {
		if !state.Retired || state.RetiredInto == nil || met[*state.RetiredInto] {
			return nil, nil
		}
		states, err := r.catalogue.States(ctx, []catalogue.ID{*state.RetiredInto})
		if err != nil || len(states) == 0 {
			return nil, err
		}
		if state = &states[0]; !state.Retired {
			return state, nil
		}
		met[state.ID] = true
	}
	return nil, nil
}

// stateOf finds a video by its ID or by a legacy alias.
func (r *resolver) stateOf(ctx context.Context, text string) (*catalogue.State, error) {
	ids, err := r.resolveAliases(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	if !ids[0].Valid() {
		return nil, noSuch("video", text)
	}
	states, err := r.catalogue.States(ctx, ids)
	if err != nil {
		return nil, err
	}
	if len(states) == 0 {
		return nil, noSuch("video", text)
	}
	return &states[0], nil
}

// resolveAliases replaces each legacy alias by the ID that it stands for. Unknown ones stay.
func (r *resolver) resolveAliases(ctx context.Context, texts []string) ([]catalogue.ID, error) {
	ids := make([]catalogue.ID, len(texts))
	var aliases []string
	for i, text := range texts {
		ids[i] = catalogue.ID(text)
		if catalogue.IsLegacyAlias(text) {
			aliases = append(aliases, text)
		}
	}
	if len(aliases) == 0 {
		return ids, nil
	}
	known, err := r.catalogue.Aliases(ctx, aliases)
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

func noSuch(what, id string) error {
	return fault.Errorf(fault.NotFound, "there is no %s %q", what, id)
}

func (q query) VideosByID(ctx context.Context, ids []catalogue.ID) ([]*model.Video, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	stored, directory, err := q.load(ctx, ids)
	if err != nil {
		return nil, err
	}
	today := q.today()
	videos := make([]*model.Video, 0, len(stored))
	for _, video := range stored {
		if checkVideoOf(caller, video.ID) == nil && directory.Shows(video, caller.Access, today) {
			videos = append(videos, model.NewVideo(video, directory))
		}
	}
	return videos, nil
}

// load reads videos in one call, and a directory that is not older than any of them.
func (r *resolver) load(ctx context.Context, ids []catalogue.ID) ([]*catalogue.Video, *catalogue.Directory, error) {
	if len(ids) > catalogue.MaxVideosAtOnce {
		return nil, nil, fault.InvalidRequest("%d ids are more than the %d that one request may name", len(ids), catalogue.MaxVideosAtOnce)
	}
	videos, err := r.catalogue.Videos(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	var newest int64
	for _, video := range videos {
		newest = max(newest, video.Version)
	}
	directory, err := r.catalogue.Directory(ctx, newest)
	return videos, directory, err
}

// loadRefs is VideosByID for references: the page of a search or of the feed as objects.
func (r *resolver) loadRefs(ctx context.Context, refs []catalogue.Ref) ([]*model.Video, error) {
	ids := make([]catalogue.ID, len(refs))
	for i, ref := range refs {
		ids[i] = ref.ID
	}
	return query{r}.VideosByID(ctx, ids)
}

func (q query) VideoMetadata(ctx context.Context, texts []string) ([]*graph.VideoMetadata, error) {
	ids, err := q.resolveAliases(ctx, texts)
	if err != nil {
		return nil, err
	}
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	videos, directory, err := q.load(ctx, ids)
	if err != nil {
		return nil, err
	}
	today := q.today()
	list := make([]*graph.VideoMetadata, 0, len(videos))
	for _, video := range videos {
		if directory.Shows(video, caller.Access, today) {
			list = append(list, metadataOf(video, directory, caller.Permissions))
		}
	}
	return list, nil
}

func metadataOf(video *catalogue.Video, directory *catalogue.Directory, rights account.Permissions) *graph.VideoMetadata {
	metadata := &graph.VideoMetadata{
		ID:                video.ID,
		ContentPartner:    model.NewVideo(video, directory).CreatedBy(),
		Title:             video.Title,
		Description:       video.Description,
		Duration:          video.Playback.Duration,
		VideoReference:    video.Reference,
		LegalRestrictions: video.LegalRestrictions,
		Transcripts:       video.HasTranscript || video.HasCaptions,
		HasCaptions:       video.HasCaptions && rights.Has(account.DownloadTranscript),
		Links:             make([]string, len(video.Attachments)),
		Keywords:          append([]string{}, video.Keywords...),
	}
	for i, attachment := range video.Attachments {
		metadata.Links[i] = attachment.Link
	}
	return metadata
}

func (q query) Transcript(ctx context.Context, videoID string) (*graph.Transcript, error) {
	video, err := q.Video(ctx, videoID, nil)
	if err != nil || video == nil || !video.HasTranscript() {
		return nil, err
	}
	texts, err := q.catalogue.Transcripts(ctx, []catalogue.ID{video.ID()})
	if err != nil {
		return nil, err
	}
	text := texts[video.ID()]
	if text == "" {
		text, err = q.spokenText(ctx, video)
	}
	if err != nil || text == "" {
		return nil, err
	}
	return &graph.Transcript{FileName: fileName(video.Title()) + ".txt", Text: readable(text)}, nil
}

var unsafeInFileNames = strings.NewReplacer(
	"/", "_", `\`, "_", "?", "_", "%", "_", "*", "_", ":", "_", "|", "_", `"`, "_", "<", "_", ">", "_",
	".", "_", " ", "_", "\n", "_", "\r", "_", "\t", "_",
)

// fileName is the title with everything that a file system may object to replaced.
func fileName(title string) string { return unsafeInFileNames.Replace(strings.TrimSpace(title)) }

// readable sets every sentence on a paragraph of its own, unless the text has paragraphs already.
func readable(text string) string {
	if strings.Contains(text, "\n\n") {
		return text
	}
	return strings.ReplaceAll(text, ". ", ".\n\n")
}
