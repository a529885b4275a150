package catalogue

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// IDLength is the number of characters of an ID.
const IDLength = 24

// ID identifies an item of the catalogue. It has 24 lower-case hexadecimal characters and is opaque to clients. The
// zero value is not a valid ID.
type ID string

// DeriveID returns the ID of an item that has none of its own: the first 24 hexadecimal characters of the SHA-256
// hash of kind, source and reference, each preceded by its length. Importing the same record twice therefore gives
// the same ID, and different triples have different encodings.
func DeriveID(kind Kind, source, reference string) ID {
	hash := sha256.New()
	for _, part := range []string{string(kind), source, reference} {
		var length [4]byte
		binary.BigEndian.PutUint32(length[:], uint32(len(part)))
		hash.Write(length[:])
		hash.Write([]byte(part))
	}
	return ID(hex.EncodeToString(hash.Sum(nil)[:IDLength/2]))
}

// RandomID returns a random ID.
func RandomID() ID {
	var random [IDLength / 2]byte
	rand.Read(random[:]) // never fails (crypto/rand)
	return ID(hex.EncodeToString(random[:]))
}

// Valid reports whether id has the form of an ID.
func (id ID) Valid() bool {
	if len(id) != IDLength {
		return false
	}
	for i := range len(id) {
		if c := id[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// IsLegacyAlias reports whether text is a legacy identifier: only digits, and shorter than an ID. A video with such
// an identifier (Video.LegacyID) can be looked up by it.
func IsLegacyAlias(text string) bool {
	if text == "" || len(text) >= IDLength {
		return false
	}
	return strings.Trim(text, "0123456789") == ""
}

// Ref identifies one version of an item. Its text form, "<id>:<version>", contains no characters that JSON escapes,
// so a list of references can be split without decoding it.
type Ref struct {
	ID ID
	// Version is the log position of the write that created this version. It increases with every write of the item,
	// also after deletion and re-creation.
	Version int64
}

// AppendText appends the text form.
func (r Ref) AppendText(b []byte) ([]byte, error) {
	b = append(b, r.ID...)
	b = append(b, ':')
	return strconv.AppendInt(b, r.Version, 10), nil
}

// String returns the text form.
func (r Ref) String() string {
	b, _ := r.AppendText(make([]byte, 0, IDLength+1+20))
	return string(b)
}

// ParseRef parses the text form of a Ref. It accepts only results of String.
func ParseRef(text string) (Ref, bool) {
	if len(text) < IDLength+2 || text[IDLength] != ':' || !ID(text[:IDLength]).Valid() {
		return Ref{}, false
	}
	version := text[IDLength+1:]
	if version[0] == '+' || version[0] == '-' || version[0] == '0' && version != "0" {
		return Ref{}, false
	}
	n, err := strconv.ParseInt(version, 10, 64)
	return Ref{ID: ID(text[:IDLength]), Version: n}, err == nil
}

// Kind is the kind of an item, as in the "kind" of an import line.
type Kind string

// The kinds. Each refers only to kinds before it.
const (
	KindContract         Kind = "contract"
	KindLegalRestriction Kind = "contract-legal-restriction"
	KindEducationLevel   Kind = "education-level"
	KindTag              Kind = "tag"
	KindContentWarning   Kind = "content-warning"
	KindSubject          Kind = "subject"
	KindDiscipline       Kind = "discipline"
	KindTopic            Kind = "topic"
	KindPhrase           Kind = "phrase"
	KindSynonym          Kind = "synonym"
	KindSearchRule       Kind = "search-rule"
	KindProvider         Kind = "provider"
	KindChannel          Kind = "channel"
	KindVideo            Kind = "video"

	// Items of the following kinds are too numerous for a Directory; see OwnedItem.
	KindCaptions  Kind = "captions"
	KindMaterial  Kind = "learning-material"
	KindHighlight Kind = "highlight"
	KindTheme     Kind = "theme"
	KindDistrict  Kind = "district"
	KindSchool    Kind = "school"

	// KindEmbedding is the kind of Embedding. Neither imports nor GraphQL know it, because the server derives its items.
	KindEmbedding Kind = "embedding"
)

// Kinds returns all kinds that operators edit, each after the kinds that it may refer to.
func Kinds() []Kind { return append(directoryKinds(), append([]Kind{KindVideo}, RecordKinds()...)...) }

// directoryKinds returns the kinds of items in a Directory.
func directoryKinds() []Kind {
	return []Kind{
		KindContract, KindLegalRestriction, KindEducationLevel, KindTag, KindContentWarning, KindSubject,
		KindDiscipline, KindTopic, KindPhrase, KindSynonym, KindSearchRule, KindProvider, KindChannel,
	}
}

// RecordKinds returns the kinds of OwnedItems that operators edit, each after the kinds that it may refer to.
func RecordKinds() []Kind {
	return []Kind{KindCaptions, KindMaterial, KindHighlight, KindTheme, KindDistrict, KindSchool}
}

// IsRecord reports whether items of the kind are OwnedItems.
func (k Kind) IsRecord() bool { return k == KindEmbedding || slices.Contains(RecordKinds(), k) }

// MovesVideo reports whether writing an item of the kind gives its video a new version, so that readers of video
// changes notice it.
func (k Kind) MovesVideo() bool { return k == KindCaptions || k == KindHighlight }

// OwnsRecords reports whether items of the kind may own OwnedItems.
func (k Kind) OwnsRecords() bool { return k == KindVideo || k == KindProvider || k == KindDistrict }
