package catalogue

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// IDLength is the number of characters of an ID.
const IDLength = 24

// ID identifies one thing of the catalogue: 24 lower-case hexadecimal characters, opaque to
// clients. The zero value is no ID.
type ID string

// DeriveID gives a thing that brings no ID of its own the first 24 hexadecimal characters of the
// SHA-256 over kind, source and reference, each preceded by its length, so that the same record
// imported twice is the same thing and no two triples share an encoding.
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

// IsLegacyAlias reports whether text is a legacy identifier: digits only, fewer than an ID has. A
// video may carry one (Video.LegacyID) and is then found under it too.
func IsLegacyAlias(text string) bool {
	if text == "" || len(text) >= IDLength {
		return false
	}
	return strings.Trim(text, "0123456789") == ""
}

// Ref names one version of one thing. Its text form, "<id>:<version>", holds no character that JSON
// would escape, so that a list of them can be cut without being decoded.
type Ref struct {
	ID ID
	// Version is the position in the catalogue's log of the write that made this version. It grows
	// with every write of the thing, also across deletion and re-creation.
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

// ParseRef reads the text form of a Ref. It reports false for anything that String did not write.
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

// Kind names a kind of thing in the catalogue, as the "kind" of an import line does.
type Kind string

// The kinds, in the order in which they may refer to one another: each refers only to those before
// it.
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

	// Of what follows there is so much that no Directory holds it: see Record.
	KindCaptions  Kind = "captions"
	KindMaterial  Kind = "learning-material"
	KindHighlight Kind = "highlight"
	KindTheme     Kind = "theme"
	KindDistrict  Kind = "district"
	KindSchool    Kind = "school"
)

// Kinds lists every kind, each after those it may refer to.
func Kinds() []Kind { return append(directoryKinds(), append([]Kind{KindVideo}, RecordKinds()...)...) }

// directoryKinds are those of what a Directory holds.
func directoryKinds() []Kind {
	return []Kind{
		KindContract, KindLegalRestriction, KindEducationLevel, KindTag, KindContentWarning, KindSubject,
		KindDiscipline, KindTopic, KindPhrase, KindSynonym, KindSearchRule, KindProvider, KindChannel,
	}
}

// RecordKinds lists the kinds of Records, each after those it may refer to.
func RecordKinds() []Kind {
	return []Kind{KindCaptions, KindMaterial, KindHighlight, KindTheme, KindDistrict, KindSchool}
}

// IsRecord reports whether things of the kind are Records.
func (k Kind) IsRecord() bool { return slices.Contains(RecordKinds(), k) }

// MovesVideo reports whether a Record of the kind is found through its video: then the video gets a new
// version whenever the record is written, so that whoever follows videos meets it.
func (k Kind) MovesVideo() bool { return k == KindCaptions || k == KindHighlight }

// OwnsRecords reports whether Records may belong to things of the kind.
func (k Kind) OwnsRecords() bool { return k == KindVideo || k == KindProvider || k == KindDistrict }
