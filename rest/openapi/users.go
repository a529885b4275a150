package openapi

import "net/http"

var aboutUsers = map[string]description{
	"GET /v1/users/_self": {
		tag: usersTag, id: "getCurrentUser", summary: "Read the user of the token",
		answers: []answerOf{halAnswer("The user.", "User"), problem(http.StatusNotFound)},
	},
	"GET /v1/users/{id}": {
		tag: usersTag, id: "getUser", summary: "Read a user",
		text:    "Callers may read the token's user and, with the permission VIEW_USERS, other users of their account.",
		answers: []answerOf{halAnswer("The user.", "User")},
	},
	"PUT /v1/users/{id}": {
		tag: usersTag, id: "updateUser", summary: "Change a user",
		text:    "Users may change their own profile. Only operators may change the profiles of others.",
		body:    jsonBody("UserChange"),
		answers: []answerOf{halAnswer("The updated user.", "User")},
	},
	"GET /v1/users/{id}/active": {
		tag: usersTag, id: "isUserActive", summary: "Check whether a user is active",
		text:    "Status 403 means that the user is not active or does not exist.",
		answers: []answerOf{{status: http.StatusOK, text: "The user is active."}},
	},
}

var aboutPlaces = map[string]description{
	"GET /v1/countries": {
		tag: placesTag, id: "getCountries", summary: "List countries",
		answers: []answerOf{halAnswer("The countries of ISO 3166-1, in the order of their alpha-2 codes.", "Countries")},
	},
	"GET /v1/countries/{id}": {
		tag: placesTag, id: "getCountry", summary: "Read a country",
		answers: []answerOf{halAnswer("The country.", "Country")},
	},
	"GET /v1/countries/{id}/states": {
		tag: placesTag, id: "getCountryStates", summary: "List the states of a country",
		answers: []answerOf{halAnswer("The known states, ordered by code.", "CountryStates")},
	},
	"GET /v1/schools": {
		tag: placesTag, id: "searchSchools", summary: "Find schools by a part of their names",
		required: []string{"countryCode", "query"},
		answers:  []answerOf{halAnswer("At most 100 matches. Names that start with the query come first.", "Schools")},
	},
	"GET /v1/districts": {
		tag: placesTag, id: "searchDistricts", summary: "Find school districts by a part of their names",
		required: []string{"countryCode", "query"},
		answers:  []answerOf{halAnswer("At most 100 matches. Names that start with the query come first.", "Districts")},
	},
}
