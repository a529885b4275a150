package openapi

import "net/http"

var aboutUsers = map[string]description{
	"GET /v1/users/_self": {
		tag: usersTag, id: "getCurrentUser", summary: "Read the user of the token",
		answers: []answerOf{halAnswer("The user.", "User"), problem(http.StatusNotFound)},
	},
	"GET /v1/users/{id}": reading(usersTag, "getUser", "Read a user", "The user.", "User").saying(
		"Callers may read the token's user and, with the permission VIEW_USERS, other users of their account."),
	"PUT /v1/users/{id}": reading(usersTag, "updateUser", "Change a user", "The updated user.", "User").taking(jsonBody("UserChange")).saying(
		"Users may change their own profile. Only operators may change the profiles of others."),
	"GET /v1/users/{id}/active": {
		tag: usersTag, id: "isUserActive", summary: "Check whether a user is active",
		text:    "Status 403 means that the user is not active or does not exist.",
		answers: []answerOf{{status: http.StatusOK, text: "The user is active."}},
	},
}

var aboutPlaces = map[string]description{
	"GET /v1/countries":             reading(placesTag, "getCountries", "List countries", "The countries of ISO 3166-1, in the order of their alpha-2 codes.", "Countries"),
	"GET /v1/countries/{id}":        reading(placesTag, "getCountry", "Read a country", "The country.", "Country"),
	"GET /v1/countries/{id}/states": reading(placesTag, "getCountryStates", "List the states of a country", "The known states, ordered by code.", "CountryStates"),
	"GET /v1/schools": reading(placesTag, "searchSchools", "Find schools by a part of their names", "At most 100 matches. Names that start with the query come first.", "Schools").
		requiring("countryCode", "query"),
	"GET /v1/districts": reading(placesTag, "searchDistricts", "Find school districts by a part of their names", "At most 100 matches. Names that start with the query come first.", "Districts").
		requiring("countryCode", "query"),
}
