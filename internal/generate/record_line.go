package generate

import "github.com/filmstrip/filmstrip/catalogue"

// These lines name their videos by ID, because nothing keeps the references of millions of videos. Times are in
// seconds.
type (
	captionsLine struct {
		head
		*catalogue.Captions
		Cues []cueLine `json:"cues"`
	}
	cueLine struct {
		Start float64 `json:"start"`
		End   float64 `json:"end"`
		Text  string  `json:"text"`
	}
	materialLine struct {
		head
		*catalogue.Material
	}
	highlightLine struct {
		head
		*catalogue.Highlight
		Start float64 `json:"start"`
		End   float64 `json:"end"`
	}
	themeLine struct {
		head
		*catalogue.Theme
		Provider string `json:"provider"`
	}
	districtLine struct {
		head
		*catalogue.District
	}
	schoolLine struct {
		head
		*catalogue.School
		District *string `json:"district"`
	}
)

// record returns the import line of an owned item.
func (r references) record(item catalogue.OwnedItem) any {
	head := headOf(item)
	switch item := item.(type) {
	case *catalogue.Captions:
		line := captionsLine{head: head, Captions: item, Cues: make([]cueLine, len(item.Cues))}
		for i, cue := range item.Cues {
			line.Cues[i] = cueLine{cue.Start.Seconds(), cue.End.Seconds(), cue.Text}
		}
		return line
	case *catalogue.Material:
		return materialLine{head, item}
	case *catalogue.Highlight:
		return highlightLine{head, item, item.Start.Seconds(), item.End.Seconds()}
	case *catalogue.Theme:
		return themeLine{head, item, r[item.ProviderID]}
	case *catalogue.District:
		return districtLine{head, item}
	case *catalogue.School:
		line := schoolLine{head: head, School: item}
		if item.DistrictID != nil {
			line.District = new(r[*item.DistrictID])
		}
		return line
	}
	panic("generate: no line for a " + string(item.Kind()))
}
