package jobs

// The kinds of maintenance.
const (
	// VerifyUsage counts the log of events again, and compares that with what was counted and billed.
	VerifyUsage = "verifyUsage"
	// Reindex builds the search index again.
	Reindex = "reindex"
	// Backup copies the data.
	Backup = "backup"
)

// Report is the Result of maintenance.
type Report struct {
	// Lines say what was done and found.
	Lines []string `json:"lines"`
	// Sound is false if something is wrong with the data.
	Sound bool `json:"sound"`
}
