package importline

import (
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/jsonobject"
)

// identifyByName is identify for items that have a reference or the line's own id.
func (s *scope) identifyByName(r *Record) {
	switch {
	case r.ID != "":
	case r.reference == "":
		s.FaultAt("ref", "is required where there is no \"id\"")
	default:
		r.ID = catalogue.DeriveID(r.Kind, s.source, r.reference)
	}
}

// identifyPlace is identifyByName for districts and schools, which have official ids.
func (s *scope) identifyPlace(r *Record, externalID string) {
	if r.ID == "" && r.reference == "" && strings.TrimSpace(externalID) != "" {
		if catalogue.ID(externalID).Valid() {
			s.FaultAt("externalId", "%q has the form of an id, which other lines could not refer to: give a \"ref\" too", externalID)
		}
		r.reference = externalID
	}
	s.identifyByName(r)
}

// identifyLevel is identify for education levels, whose code identifies them.
func (s *scope) identifyLevel(r *Record, level *catalogue.EducationLevel) {
	if level.Code == "" {
		s.FaultAt("code", "is required: education levels are identified by it")
		return
	}
	id := catalogue.EducationLevelID(level.Code)
	if r.ID != "" && r.ID != id {
		s.FaultAt("id", "%q does not belong to the code %s: leave it out", r.ID, jsonobject.Quote(level.Code))
	}
	r.ID = id
	if r.reference == "" {
		r.reference = level.Code
	}
}

// identifyByFields is identify for items of which a video has one, identified by the fields that make up the id.
func (s *scope) identifyByFields(r *Record, id catalogue.ID, fields ...string) {
	for _, name := range fields {
		if !r.present.has(r.shape.index[name]) {
			s.FaultAt(name, "is required: lines of the kind %s are known by it", r.Kind)
		}
	}
	if len(s.Faults) == 0 && r.ID != "" && r.ID != id {
		s.FaultAt("id", "%q does not belong to the %s: leave it out", r.ID, strings.Join(fields, " and "))
	}
	r.ID = id
}
