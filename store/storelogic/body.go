package storelogic

import (
	"encoding/json"
	"fmt"

	fastjson "github.com/go-json-experiment/json"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Encode writes an item's body. The fields of a struct come in one order, so equal items have equal
// bodies.
func Encode(item catalogue.Item) ([]byte, error) {
	body, err := json.Marshal(item)
	if err != nil {
		return nil, fmt.Errorf("store: encode %s %s: %w", item.Kind(), item.Head().ID, err)
	}
	return body, nil
}

// Decode reads a body. The standard library takes two and a half times as long to read one (and less
// to write one); a page of videos is mostly this.
func Decode(body []byte, item catalogue.Item) error {
	if err := fastjson.Unmarshal(body, item); err != nil {
		return fmt.Errorf("store: decode %s %s: %w", item.Kind(), item.Head().ID, err)
	}
	return nil
}

// DecodeVideo reads the body of a video whose meta and sequence lie beside it.
func DecodeVideo(meta catalogue.Meta, sequence int64, body []byte) (*catalogue.Video, error) {
	video := &catalogue.Video{Meta: meta, Sequence: sequence}
	return video, Decode(body, video)
}

// DecodeEntity is DecodeVideo for a thing of any other kind.
func DecodeEntity(kind catalogue.Kind, meta catalogue.Meta, body []byte) (catalogue.Item, error) {
	item := catalogue.New(kind)
	if item == nil {
		return nil, fmt.Errorf("store: there is no kind %q", kind)
	}
	*item.Head() = meta
	return item, Decode(body, item)
}

// DecodeRecord is DecodeVideo for a catalogue.Record.
func DecodeRecord(kind catalogue.Kind, meta catalogue.Meta, body []byte) (catalogue.OwnedItem, error) {
	item, err := DecodeEntity(kind, meta, body)
	if err != nil {
		return nil, err
	}
	record, ok := item.(catalogue.OwnedItem)
	if !ok {
		return nil, fmt.Errorf("store: %q is no kind of records", kind)
	}
	return record, nil
}
