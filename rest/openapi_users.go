package rest

import "net/http"

var aboutUsers = map[string]description{
	"GET /v1/users/_self": {
		tag: usersTag, id: "getCurrentUser", summary: "Read the user of the token",
		answers: []answerOf{halAnswer("The user.", "User"), problem(http.StatusNotFound)},
	},
	"GET /v1/users/{id}": {
		tag: usersTag, id: "getUser", summary: "Read a user",
		text:    "The user of the token; others of the account with the right to view users.",
		answers: []answerOf{halAnswer("The user.", "User")},
	},
	"PUT /v1/users/{id}": {
		tag: usersTag, id: "updateUser", summary: "Change a user",
		text:    "Users change themselves. Others are for operators to change.",
		body:    jsonBody("UserChange"),
		answers: []answerOf{halAnswer("The user as it is now.", "User")},
	},
	"GET /v1/users/{id}/active": {
		tag: usersTag, id: "isUserActive", summary: "Ask whether a user may come",
		text:    "Status 403 says that the user may not, or that there is none.",
		answers: []answerOf{{status: http.StatusOK, text: "The user may come."}},
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
		answers: []answerOf{halAnswer("The states that are known, by code.", "CountryStates")},
	},
	"GET /v1/schools": {
		tag: placesTag, id: "searchSchools", summary: "Find schools by a part of their names",
		required: []string{"countryCode", "query"},
		answers:  []answerOf{halAnswer("The best hundred: those that start with the text first.", "Schools")},
	},
	"GET /v1/districts": {
		tag: placesTag, id: "searchDistricts", summary: "Find school districts by a part of their names",
		required: []string{"countryCode", "query"},
		answers:  []answerOf{halAnswer("The best hundred: those that start with the text first.", "Districts")},
	},
}
