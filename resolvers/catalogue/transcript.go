package catalogue

import (
	"context"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
)

// Transcript returns the text of the first captions for a video without a transcript of its own.
func (r *Resolver) Transcript(ctx context.Context, videoID string) (*graph.Transcript, error) {
	video, err := r.Video(ctx, videoID, nil)
	if err != nil || video == nil || !video.HasTranscript() {
		return nil, err
	}
	texts, err := r.store.Transcripts(ctx, []catalogue.ID{video.ID})
	if err != nil {
		return nil, err
	}
	text := texts[video.ID]
	if text == "" {
		list, err := r.captionsOfOne(ctx, video)
		if err != nil || len(list) == 0 {
			return nil, err
		}
		text = list[0].PlainText()
	}
	if text == "" {
		return nil, nil
	}
	return &graph.Transcript{FileName: fileName(video.Title) + ".txt", Text: readable(text)}, nil
}

var unsafeInFileNames = strings.NewReplacer(
	"/", "_", `\`, "_", "?", "_", "%", "_", "*", "_", ":", "_", "|", "_", `"`, "_", "<", "_", ">", "_",
	".", "_", " ", "_", "\n", "_", "\r", "_", "\t", "_",
)

// fileName returns a title without the characters that a file system may refuse.
func fileName(title string) string { return unsafeInFileNames.Replace(strings.TrimSpace(title)) }

// readable makes each sentence a paragraph, unless the text has paragraphs.
func readable(text string) string {
	if strings.Contains(text, "\n\n") {
		return text
	}
	return strings.ReplaceAll(text, ". ", ".\n\n")
}
