package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// openToConfined are the root fields that answer callers who may ask for one video alone. Each holds what it is
// asked for against that video.
var openToConfined = map[string]bool{
	"videoReference": true, "videosById": true, "transcript": true, "captions": true,
	"recordPlayback": true, "recordPlayerInteraction": true,
}

// checkConfined refuses every other root field to such a caller.
func checkConfined(ctx context.Context) error {
	caller := account.CallerOf(ctx)
	if caller == nil || caller.Video == "" {
		return nil
	}
	field := graphql.GetFieldContext(ctx)
	for field.Parent != nil && field.Parent.Field.Field != nil {
		field = field.Parent
	}
	if !openToConfined[field.Field.Name] {
		return errConfined(caller.Video)
	}
	return nil
}

// checkVideoOf refuses another video to a caller who may ask for one alone.
func checkVideoOf(caller *account.Caller, video catalogue.ID) error {
	if caller.Video != "" && caller.Video != video {
		return errConfined(caller.Video)
	}
	return nil
}

func errConfined(video catalogue.ID) error {
	return fault.Errorf(fault.Forbidden, "the token is good for the video %s alone", video)
}
