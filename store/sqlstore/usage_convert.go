package sqlstore

import (
	"database/sql"
	"encoding/binary"

	"github.com/filmstrip/filmstrip/store/usagelogic"
)

// ScanningPlays returns a function that scans the plays of a release before blocks, each row into the same play. The
// columns are position, instant, start, end, account, client, person, video, channel, sandbox, subjects, excess, void
// and whether the play continues another.
func ScanningPlays() func(Row) (*usagelogic.Play, error) {
	var (
		play                                    usagelogic.Play
		account, client, person, video, channel int64
		subjects                                sql.RawBytes
	)
	targets := []any{
		&play.Position, (*int64)(&play.At), &play.Start, &play.End, &account, &client, &person, &video, &channel,
		&play.Sandbox, &subjects, &play.Excess, &play.Void, &play.Continues,
	}
	return func(row Row) (*usagelogic.Play, error) {
		err := row.Scan(targets...)
		play.Account, play.Client, play.Person = usagelogic.Number(account), usagelogic.Number(client), usagelogic.Number(person)
		play.Video, play.Channel = usagelogic.Number(video), usagelogic.Number(channel)
		play.Subjects = play.Subjects[:0]
		for rest := subjects; len(rest) > 0; {
			subject, n := binary.Uvarint(rest)
			if n <= 0 {
				break
			}
			play.Subjects, rest = append(play.Subjects, usagelogic.Number(subject)), rest[n:]
		}
		return &play, err
	}
}
