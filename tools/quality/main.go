// Quality measures how well search finds known videos: for each of many videos, it asks in three ways and checks
// whether the video is among the first ten results. It asks bleve (BM25, English analyzer, title boosted 3) the same
// questions over the same documents.
//
//	quality --generate 5000                         a generated catalogue
//	quality --jq examples/khan.jq khan-videos.jsonl any foreign file
//	quality catalogue.jsonl                         import lines
//	quality --judged FOLDER                         collections of documents with judged questions
//
// The seed splits the videos into two halves. Constants are tuned on one half only (--tune); without the flag, quality
// measures the other half, and that is the figure to report.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/filmstrip/filmstrip/internal/generate"
)

func main() {
	ctx := context.Background()
	if err := realMain(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}

func realMain(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("quality", flag.ContinueOnError)
	generated := flags.Int("generate", 0, "measure a generated catalogue of so many videos")
	program := flags.String("jq", "", "`file` of a jq program that turns foreign records into import lines")
	seed := flags.Uint64("seed", 1, "of the halves, the typos and the words left out")
	questions := flags.Int("queries", 1000, "most questions of each kind")
	tune := flags.Bool("tune", false, "measure the half that constants are tuned by")
	fuzzy := flags.Bool("fuzzy", false, "ask bleve with fuzziness 1 as well, which takes it a hundred times as long")
	judgedFolder := flags.String("judged", "", "measure the judged collections in a `folder` instead: NAME-docs.jsonl with NAME-queries.jsonl")
	server := flags.String("typesense", "", "measure the index of a Typesense `server` such as http://127.0.0.1:8108, whose key is in TYPESENSE_API_KEY")
	embeddings := flags.String("embeddings", "", "search by meaning as well, with the vectors of a `service` such as http://127.0.0.1:8086")
	model := flags.String("embeddings-model", "all-MiniLM-L6-v2", "the `name` of its model")
	similarity := flags.Float64("embeddings-similarity", 0.25, "the cosine from which on a video matches by meaning")
	misses := flags.Int("misses", 0, "print so many questions of each kind that we miss and bleve does not")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	engine := engineSettings{*server, newMeanings(*embeddings, *model, *similarity)}
	if *judgedFolder != "" {
		return evaluateAll(ctx, *judgedFolder, engine, out)
	}
	var (
		shown *library
		err   error
	)
	switch {
	case (*generated > 0) == (flags.NArg() > 0):
		return fmt.Errorf("expected either --generate or files")
	case *generated > 0:
		shown = generatedLibrary(generate.Options{Videos: *generated, Seed: *seed})
	default:
		shown, err = importedLibrary(ctx, *program, flags.Args())
	}
	if err != nil {
		return err
	}
	report, err := measure(ctx, shown, settings{seed: *seed, questions: *questions, tune: *tune, fuzzy: *fuzzy, misses: *misses, engine: engine})
	if err != nil {
		return err
	}
	return report.print(out)
}
