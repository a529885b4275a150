package sqlite

var (
	touchSegments = define(`
		UPDATE event_segments SET version = version + 1
		WHERE after >= coalesce((SELECT max(after) FROM event_segments WHERE after < ?), 0) AND after < ?`)
	touchSegmentsBefore = define(`UPDATE event_segments SET version = version + 1 WHERE after < ?`)
)
