package rest

// operationNames lists the operations that the endpoints run.
var operationNames = []string{
	"Index", "VideoReference", "VideoDocuments", "SearchVideos", "SimilarVideos", "VideoFeed", "RemovedVideos", "VideoTypes",
	"VideoMetadata", "Transcript", "Subjects", "Subject", "Disciplines", "Discipline", "Channels",
	"ChannelNames", "Channel", "StaffChannels", "StaffChannel", "EducationLevels", "Tags", "Tag", "ContentWarnings", "ContentWarning",
	"Suggestions", "RecordPlayback", "RecordPlaybackBatch", "RecordPlayerInteraction", "RecordPageRender",
	"RecordPlatformInteraction", "RecordSearchCompletions", "RecordVideoInteraction", "ReportAccessExpired",
	"NgssCodes", "NgssGrades", "Providers", "Provider", "Themes", "Theme", "LearningOutcomes", "AssessmentQuestions", "CefrLevel",
	"Captions", "CreateEmbed", "Highlights", "Highlight",
	"Collection", "Collections", "UserCollections", "CreateCollection", "UpdateCollection", "DeleteCollection", "SaveCollection",
	"AddToCollection", "RemoveFromCollection", "SetCollectionPermission", "AddCollectionComment", "RemoveCollectionComment",
	"RecordCollectionInteraction",
	"ContractLegalRestrictions", "ContentCategories", "CurrentUser", "Profile", "IsUserActive", "UpdateProfile",
	"Countries", "Country", "CountryStates", "Schools", "Districts",
}
