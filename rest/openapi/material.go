package openapi

import "net/http"

var aboutMaterial = map[string]description{
	"GET /v1/videos/{id}/captions": {
		tag: materialTag, id: "getCaptions", summary: "Read the captions of a video",
		text: "With `download=true`, the response is the file itself, with the content type of its format.",
		answers: []answerOf{{
			status: http.StatusOK, text: "The captions.", content: node{
				HALType:    node{"schema": reference("Captions")},
				WebVTTType: node{"schema": Text},
				SubRipType: node{"schema": Text},
			},
		}},
	},
	"GET /v1/videos/{videoId}/learning-outcomes": {
		tag: materialTag, id: "getLearningOutcomes", summary: "Read the learning outcomes of a video",
		answers: []answerOf{halAnswer("The learning outcomes.", "LearningOutcomes")},
	},
	"GET /v1/videos/{videoId}/assessment-questions": {
		tag: materialTag, id: "getAssessmentQuestions", summary: "Read the assessment questions of a video",
		answers: []answerOf{halAnswer("The questions.", "AssessmentQuestions")},
	},
	"GET /v1/videos/{videoId}/cefr-level": {
		tag: materialTag, id: "getCefrLevel", summary: "Read the CEFR level of a video",
		answers: []answerOf{halAnswer("The level.", "CefrLevel")},
	},
	"GET /v1/highlights": {
		tag: materialTag, id: "getHighlights", summary: "Find highlights of videos",
		required: []string{"query"},
		answers:  []answerOf{halAnswer("The highlights, best match first.", "Highlights")},
	},
	"GET /v1/highlights/{highlightId}": {
		tag: materialTag, id: "getHighlight", summary: "Read a highlight of a video",
		answers: []answerOf{halAnswer("The piece.", "Highlight")},
	},
	"GET /v1/alignments/providers": {
		tag: curriculumTag, id: "getProviders", summary: "List providers of alignments",
		answers: []answerOf{halAnswer("The providers.", "Providers")},
	},
	"GET /v1/alignments/providers/{providerId}": {
		tag: curriculumTag, id: "getProvider", summary: "Read a provider",
		answers: []answerOf{halAnswer("The provider.", "Provider")},
	},
	"GET /v1/alignments/themes": {
		tag: curriculumTag, id: "getThemesByIds", summary: "List themes",
		answers: []answerOf{halAnswer("The themes, without their videos.", "Themes")},
	},
	"GET /v1/alignments/{provider}/themes": {
		tag: curriculumTag, id: "getThemesByProvider", summary: "List the themes of a provider",
		answers: []answerOf{halAnswer("The themes, without their videos.", "Themes")},
	},
	"GET /v1/alignments/{provider}/themes/{id}": {
		tag: curriculumTag, id: "getThemeByProviderAndId", summary: "Read a theme with its videos",
		answers: []answerOf{halAnswer("The theme.", "Theme")},
	},
	"GET /v1/curriculum/ngss/codes": {
		tag: curriculumTag, id: "getNgssCodes", summary: "List the codes of the Next Generation Science Standards",
		answers: []answerOf{halAnswer("The codes.", "NgssCodes")},
	},
	"GET /v1/curriculum/ngss/grades": {
		tag: curriculumTag, id: "getNgssGrades", summary: "List the grades of the Next Generation Science Standards",
		answers: []answerOf{halAnswer("The grades.", "NgssGrades")},
	},
}
