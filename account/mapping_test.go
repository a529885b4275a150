package account_test

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
)

func TestImportMappings(t *testing.T) {
	one, same := account.NewImportMapping("Films"), account.NewImportMapping(" FILMS ")
	if one.ID != same.ID || one.ID == account.NewImportMapping("Film").ID || account.NewEntity(one.Key()) == nil {
		t.Errorf("the ids are %s and %s", one.ID, same.ID)
	}
	one.Mapping = account.Mapping{Kind: "video", Fields: []account.ImportField{{Field: "title", Column: "Name"}, {Field: "type", Constant: "NEWS"}}}
	if faults := one.Validate(); faults != nil {
		t.Error(faults)
	}
	wrong := account.ImportMapping{ID: one.ID, Mapping: account.Mapping{
		Source: strings.Repeat("x", 201), Fields: []account.ImportField{{Field: "title"}, {Field: "title", Column: "a", Separator: "------"}, {Constant: "a"}},
	}}
	got := wrong.Validate().Error()
	for _, want := range []string{"name is ", "kind is ", "source has ", "fields[0].column is required", `fields[1].field: "title" occurs twice`, "fields[1].separator has ", "fields[2].field is "} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in %s", want, got)
		}
	}
}
