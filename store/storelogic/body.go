package storelogic

import (
	"encoding/json"
	"fmt"

	fastjson "github.com/go-json-experiment/json"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Encode returns the body of an item as JSON. Fields have a fixed order, so equal items have equal bodies.
func Encode(item catalogue.Item) ([]byte, error) {
	body, err := json.Marshal(item)
	if err != nil {
		return nil, fmt.Errorf("store: encode %s %s: %w", item.Kind(), item.Head().ID, err)
	}
	return body, nil
}

// Decode decodes a body into item. It does not use the standard library, which takes two and a half times as long to
// decode a body (and less to encode one), because most of the cost of a page of videos is decoding.
func Decode(body []byte, item catalogue.Item) error {
	if err := fastjson.Unmarshal(body, item); err != nil {
		return fmt.Errorf("store: decode %s %s: %w", item.Kind(), item.Head().ID, err)
	}
	return nil
}

// DecodeVideo decodes the body of a video. meta and sequence are stored outside the body.
func DecodeVideo(meta catalogue.Meta, sequence int64, body []byte) (*catalogue.Video, error) {
	video := &catalogue.Video{Meta: meta, Sequence: sequence}
	return video, Decode(body, video)
}

// DecodeEntity decodes the body of an item of any other kind. It returns an error for an unknown kind.
func DecodeEntity(kind catalogue.Kind, meta catalogue.Meta, body []byte) (catalogue.Item, error) {
	item := catalogue.New(kind)
	if item == nil {
		return nil, fmt.Errorf("store: unknown kind %q", kind)
	}
	*item.Head() = meta
	return item, Decode(body, item)
}

// DecodeRecord decodes the body of an owned item. It returns an error for a kind that is not one of owned items.
func DecodeRecord(kind catalogue.Kind, meta catalogue.Meta, body []byte) (catalogue.OwnedItem, error) {
	item, err := DecodeEntity(kind, meta, body)
	if err != nil {
		return nil, err
	}
	record, ok := item.(catalogue.OwnedItem)
	if !ok {
		return nil, fmt.Errorf("store: %q is not a kind of owned items", kind)
	}
	return record, nil
}
