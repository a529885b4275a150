package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Conversions between values and columns.

func micros(t time.Time) int64 { return t.UnixMicro() }

func instant(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// optional returns nil, for NULL, if s is empty.
func optional(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// bytesOf converts texts to bytea values that are never NULL.
func bytesOf(texts []string) [][]byte {
	list := make([][]byte, len(texts))
	for i, text := range texts {
		list[i] = []byte(text)
	}
	return list
}

// idList returns IDs as a statement argument. It replaces invalid IDs by "", which identifies nothing, because the
// server rejects some texts.
func idList(ids []catalogue.ID) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		if id.Valid() {
			list[i] = string(id)
		}
	}
	return list
}

// scanMeta scans the columns id, version, updated_at, source and reference, and then others.
func scanMeta(rows pgx.Rows, meta *catalogue.Meta, others ...any) error {
	var (
		updated           int64
		source, reference pgtype.DriverBytes
	)
	targets := append([]any{(*string)(&meta.ID), &meta.Version, &updated, &source, &reference}, others...)
	if err := rows.Scan(targets...); err != nil {
		return err
	}
	meta.UpdatedAt, meta.Source, meta.Reference = instant(updated), string(source), string(reference)
	return nil
}

// scanVideo scans the columns of scanMeta, then seq and body, and then others.
func scanVideo(rows pgx.Rows, others ...any) (*catalogue.Video, error) {
	var (
		meta catalogue.Meta
		seq  int64
		body pgtype.DriverBytes
	)
	if err := scanMeta(rows, &meta, append([]any{&seq, &body}, others...)...); err != nil {
		return nil, err
	}
	return storelogic.DecodeVideo(meta, seq, body)
}

// scanEntity scans the columns of scanMeta, then kind and body.
func scanEntity(rows pgx.Rows) (catalogue.Item, error) {
	var (
		meta catalogue.Meta
		kind string
		body pgtype.DriverBytes
	)
	if err := scanMeta(rows, &meta, &kind, &body); err != nil {
		return nil, err
	}
	return storelogic.DecodeEntity(catalogue.Kind(kind), meta, body)
}
