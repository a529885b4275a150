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
	"GET /v1/videos/{videoId}/learning-outcomes":    reading(materialTag, "getLearningOutcomes", "Read the learning outcomes of a video", "The learning outcomes.", "LearningOutcomeList"),
	"GET /v1/videos/{videoId}/assessment-questions": reading(materialTag, "getAssessmentQuestions", "Read the assessment questions of a video", "The questions.", "AssessmentQuestionList"),
	"GET /v1/videos/{videoId}/cefr-level":           reading(materialTag, "getCefrLevel", "Read the CEFR level of a video", "The level.", "AssignedCefrLevel"),
	"GET /v1/highlights": reading(materialTag, "getHighlights", "Find highlights of videos", "The highlights, best match first.", "Highlights").
		requiring("query"),
	"GET /v1/highlights/{highlightId}":          reading(materialTag, "getHighlight", "Read a highlight of a video", "The piece.", "Highlight"),
	"GET /v1/alignments/providers":              reading(curriculumTag, "getProviders", "List providers of alignments", "The providers.", "Providers"),
	"GET /v1/alignments/providers/{providerId}": reading(curriculumTag, "getProvider", "Read a provider", "The provider.", "Provider"),
	"GET /v1/alignments/themes":                 reading(curriculumTag, "getThemesByIds", "List themes", "The themes, without their videos.", "Themes"),
	"GET /v1/alignments/{provider}/themes":      reading(curriculumTag, "getThemesByProvider", "List the themes of a provider", "The themes, without their videos.", "Themes"),
	"GET /v1/alignments/{provider}/themes/{id}": reading(curriculumTag, "getThemeByProviderAndId", "Read a theme with its videos", "The theme.", "Theme"),
	"GET /v1/curriculum/ngss/codes":             reading(curriculumTag, "getNgssCodes", "List the codes of the Next Generation Science Standards", "The codes.", "NgssCodes"),
	"GET /v1/curriculum/ngss/grades":            reading(curriculumTag, "getNgssGrades", "List the grades of the Next Generation Science Standards", "The grades.", "NgssGrades"),
}
