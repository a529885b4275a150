package rest

import (
	"errors"
	"regexp"
	"strings"

	"github.com/filmstrip/filmstrip/fault"
)

// How the domain calls what bodies call otherwise; indices are left out. What is not listed has one name.
var (
	collectionNames = map[string]string{
		"attachments.link": "attachment.linkToResource", "attachments.type": "attachment.type",
		"attachments.description": "attachment.description",
	}
	commentNames = map[string]string{
		"text": "comment.text", "assets.comments.text": "comment.text", "assets.comments.name": "comment.name",
		"assets.comments.email": "comment.email",
	}
	userNames = map[string]string{"givenName": "firstName", "familyName": "lastName"}
)

var indices = regexp.MustCompile(`\[\d+\]`)

// inWordsOf names the fields of an error of code Invalid as the client's body does.
func inWordsOf(names map[string]string, err error) error {
	var problem *fault.Error
	if !errors.As(err, &problem) || problem.Code != fault.Invalid {
		return err
	}
	named := *problem
	named.Reasons = make([]string, len(problem.Reasons))
	for i, reason := range problem.Reasons {
		named.Reasons[i] = reason
		field, problem, _ := strings.Cut(reason, ": ")
		if name, other := names[indices.ReplaceAllString(field, "")]; other {
			named.Reasons[i] = name + ": " + problem
			named.Message = strings.Replace(named.Message, reason, named.Reasons[i], 1)
		}
	}
	return &named
}
