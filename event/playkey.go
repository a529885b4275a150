package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
)

// shortestPlayerID is the minimum length of the ID of a player, in characters of its JSON without quotes. Shorter IDs cannot
// be unique: clients use them as constants.
const shortestPlayerID = 16

// PlayKey identifies the play that a Playback of the submission is a part of. The first event with the key begins the play,
// and the others continue it, as long as the log remembers the key: at least for KeyMemory.
//
// The parts of a play come from one player, or from one opened page of an embed, and are about one video and one person.
// PlayKey returns "" for all other events: each of them is a play, or no play at all if its segment is empty. Keys belong to
// s.Client, as s.Key does, and differ from all keys of requests, because they begin with a control character.
func (s *Submission) PlayKey(e *Event) string {
	if e.Played() == 0 {
		return ""
	}
	var player []byte
	if s.Viewing != nil {
		player = []byte(s.Viewing.ID)
	} else if player = playerOf(e.Metadata); len(player) < shortestPlayerID {
		return ""
	}
	hash := sha256.New()
	for _, part := range [][]byte{player, []byte(e.Video), []byte(e.Person())} {
		hash.Write(part)
		hash.Write([]byte{0})
	}
	return "\x01" + base64.RawStdEncoding.EncodeToString(hash.Sum(nil))
}

// playerOf returns the ID of the player in metadata, or nil.
func playerOf(metadata []byte) []byte {
	if !bytes.Contains(metadata, []byte(`"playerId"`)) {
		return nil
	}
	members, err := membersOf(metadata)
	if err != nil {
		return nil
	}
	for _, m := range members {
		if m.name == "playerId" && m.value.Kind() != 'n' {
			return bytes.Trim(m.value, `"`)
		}
	}
	return nil
}
