package postgres

// Statements are the texts of all statements of the package.
func Statements() (texts []string) {
	for _, st := range defined {
		texts = append(texts, st.text)
	}
	return texts
}

// WholeTable returns the statements that read a whole table on purpose, with the reason.
func WholeTable() map[string]string {
	return map[string]string{
		selectEntities.text:       "a directory is everything that is small",
		selectLedger.text:         "a seal, once a month, is made of the whole ledger",
		selectLastStatements.text: "a seal, once a month, asks for the last statement of every account",
	}
}

// Again reports whether an append that failed is done again, where what ends in a commit had been sent or not.
func Again(sent bool, err error) bool { return (&batch{sent: sent}).again(err) }
