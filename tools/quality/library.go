package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// library is a catalogue as search sees it, without access rules.
type library struct {
	documents []search.Document
	directory *catalogue.Directory
}

// add adds a video that is not retired, as if its availability never ended.
func (l *library) add(v *catalogue.Video) {
	if v.Retired {
		return
	}
	transcript := ""
	if v.Transcript != nil {
		transcript = *v.Transcript
	}
	document := projection.Document(v, transcript, nil, l.directory)
	document.AvailableUntil, document.Private = nil, false
	l.documents = append(l.documents, document)
}

func generatedLibrary(options generate.Options) *library {
	var small []catalogue.Item
	l := &library{}
	for item := range generate.Items(options) {
		v, isVideo := item.(*catalogue.Video)
		if !isVideo {
			small = append(small, item)
			continue
		}
		if l.directory == nil {
			l.directory = catalogue.NewDirectory(1, small)
		}
		v.Version, v.Sequence = 1, int64(len(l.documents)+1)
		l.add(v)
	}
	return l
}

// importedLibrary imports files as the service does, into a temporary store.
func importedLibrary(ctx context.Context, program string, files []string) (*library, error) {
	options := importer.Options{JQName: program}
	if program != "" {
		text, err := os.ReadFile(program)
		if err != nil {
			return nil, err
		}
		options.JQ = string(text)
	}
	var err error
	if options.Inputs, err = importer.Files(files, os.Stdin); err != nil {
		return nil, err
	}
	var fault *importer.Fault
	options.Report = func(f importer.Fault) { fault = &f }

	directory, err := os.MkdirTemp("", "quality-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	store, err := sqlite.OpenCatalogue(ctx, filepath.Join(directory, "catalogue.db"))
	if err != nil {
		return nil, err
	}
	defer store.Close()
	if _, err := importer.Run(ctx, store, options); err != nil {
		return nil, err
	}
	if fault != nil {
		return nil, fmt.Errorf("the last of the faults: %s", fault)
	}
	return readLibrary(ctx, store)
}

func readLibrary(ctx context.Context, store *sqlite.Catalogue) (*library, error) {
	head, err := store.Head(ctx)
	if err != nil {
		return nil, err
	}
	l := &library{}
	if l.directory, err = store.Directory(ctx, head); err != nil {
		return nil, err
	}
	for after := int64(0); ; {
		videos, err := store.Scan(ctx, after, 1000)
		if err != nil || len(videos) == 0 {
			return l, err
		}
		for _, v := range videos {
			l.add(v)
		}
		after = videos[len(videos)-1].Sequence
	}
}
