package importline

import "github.com/filmstrip/filmstrip/catalogue"

// Fields lists the fields that lines of a kind may hold beside the header, in the order in which
// they are documented; those of nested objects as "playback.duration". It is nil for a kind that
// there is not.
func Fields(kind catalogue.Kind) []string {
	if shape, ok := shapes[kind]; ok {
		return shape.names("")
	}
	return nil
}

func (t *table) names(prefix string) (names []string) {
	for _, field := range t.fields {
		names = append(names, prefix+field.name)
		if field.nested != nil {
			names = append(names, field.nested.names(prefix+field.name+".")...)
		}
	}
	return names
}
