package resolvers

import "github.com/filmstrip/filmstrip/catalogue"

var notYet = catalogue.Errorf(catalogue.Unavailable, "this is being built")
