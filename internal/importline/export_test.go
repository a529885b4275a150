package importline

import "github.com/filmstrip/filmstrip/catalogue"

// Fields returns the fields that lines of a kind may have besides the header, in the order in which they are
// documented. The names of nested fields are paths such as "playback.duration". It returns nil for an unknown kind.
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
