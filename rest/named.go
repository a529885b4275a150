package rest

import (
	"errors"
	"regexp"
	"strings"

	"github.com/filmstrip/filmstrip/fault"
)

// The names of fields in the domain and in bodies, without indices. Fields that are not listed have the same name in both.
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

// inWordsOf renames the fields in an error of code Invalid to those of the client's body.
func inWordsOf(names map[string]string, err error) error {
	var problem *fault.Error
	if !errors.As(err, &problem) || problem.Code != fault.Invalid {
		return err
	}
	named := *problem
	named.Reasons = make([]string, len(problem.Reasons))
	for i, reason := range problem.Reasons {
		before := fault.ParseReason(reason)
		after := before
		if name, other := names[indices.ReplaceAllString(before.Field, "")]; other {
			after.Field = name
			named.Message = strings.Replace(named.Message, before.Error(), after.Error(), 1)
		}
		named.Reasons[i] = after.Reason()
	}
	return &named
}
