// Quickstart sends first requests to Filmstrip with the client that oapi-codegen generates.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/filmstrip/filmstrip/examples/clients/oapi-codegen/generated"
)

//go:generate mkdir -p generated
//go:generate go tool oapi-codegen -config config.yaml $BASE_URL/openapi-3.0.json

func main() {
	if err := run(context.Background(), os.Getenv("BASE_URL")); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, base string) error {
	authorize, err := logIn(ctx, base)
	if err != nil {
		return err
	}
	client, err := generated.NewClientWithResponses(base, generated.WithRequestEditorFn(authorize))
	if err != nil {
		return err
	}

	index, err := client.GetIndexWithResponse(ctx, nil)
	if err != nil {
		return err
	}
	if index.HALJSON200 == nil {
		return failure(index)
	}
	fmt.Println("Search at", index.HALJSON200.UnderscoreLinks.SearchVideos.Href)

	found, err := client.SearchVideosWithResponse(ctx, &generated.SearchVideosParams{
		Query: new("water"), Language: &[]string{"eng"}, DurationMax: new("PT10M"), Size: new(3),
	})
	if err != nil {
		return err
	}
	if found.HALJSON200 == nil {
		return failure(found)
	}
	page := *found.HALJSON200
	fmt.Printf("%d videos: %s\n", page.Page.TotalElements, titles(page))
	next, err := follow(ctx, page.UnderscoreLinks.Next.Href, authorize)
	if err != nil {
		return err
	}
	fmt.Printf("Page %d: %s\n", next.Page.Number+1, titles(next))

	id := page.UnderscoreEmbedded.Videos[0].Id
	video, err := client.GetVideoWithResponse(ctx, id, nil)
	if err != nil {
		return err
	}
	if video.HALJSON200 == nil {
		return failure(video)
	}
	playback := video.HALJSON200.Playback
	format, err := firstLine(ctx, playback.UnderscoreLinks.HlsStream.Href)
	if err != nil {
		return err
	}
	fmt.Printf("%s (%s): %s\n", video.HALJSON200.Title, playback.Duration, format)

	recorded, err := client.RecordPlaybackWithResponse(ctx,
		&generated.RecordPlaybackParams{IdempotencyKey: new(rand.Text())},
		generated.PlaybackEvent{VideoId: id, SegmentStartSeconds: 0, SegmentEndSeconds: 12.5, UserId: new("pupil-7")})
	if err != nil {
		return err
	}
	if recorded.StatusCode() != http.StatusCreated {
		return failure(recorded)
	}
	fmt.Println("12.5 seconds are reported.")

	subjects, err := client.GetSubjectsWithResponse(ctx, nil)
	if err != nil {
		return err
	}
	if subjects.HALJSON200 == nil {
		return failure(subjects)
	}
	var names []string
	for _, subject := range subjects.HALJSON200.UnderscoreEmbedded.Subjects {
		names = append(names, subject.Name)
	}
	fmt.Println("Subjects:", strings.Join(names, ", "))
	return nil
}

// logIn gets a token and returns what adds it to a request.
func logIn(ctx context.Context, base string) (generated.RequestEditorFn, error) {
	client, err := generated.NewClientWithResponses(base)
	if err != nil {
		return nil, err
	}
	tokens, err := client.GetTokenWithFormdataBodyWithResponse(ctx, nil, generated.TokenRequest{
		GrantType: generated.ClientCredentials, ClientId: new("demo"), ClientSecret: new("demo-secret"),
	})
	if err != nil {
		return nil, err
	}
	if tokens.JSON200 == nil {
		return nil, failure(tokens)
	}
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+tokens.JSON200.AccessToken)
		return nil
	}, nil
}

// follow reads the page behind a link.
func follow(ctx context.Context, href string, authorize generated.RequestEditorFn) (page generated.VideoSearch, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, href, nil)
	if err != nil {
		return page, err
	}
	if err := authorize(ctx, request); err != nil {
		return page, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return page, err
	}
	found, err := generated.ParseSearchVideosResponse(response)
	if err != nil {
		return page, err
	}
	if found.HALJSON200 == nil {
		return page, failure(found)
	}
	return *found.HALJSON200, nil
}

// firstLine returns the first line of a playlist.
func firstLine(ctx context.Context, href string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, href, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Scan()
	return lines.Text(), lines.Err()
}

func titles(page generated.VideoSearch) string {
	var all []string
	for _, video := range page.UnderscoreEmbedded.Videos {
		all = append(all, video.Title)
	}
	return strings.Join(all, ", ")
}

// failure is the error for a response without the expected document.
func failure(response interface {
	Status() string
	GetBody() []byte
}) error {
	return fmt.Errorf("%s: %s", response.Status(), response.GetBody())
}
