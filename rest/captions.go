package rest

import (
	"encoding/json"
	"mime"
	"net/http"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/rest/hal"
	"github.com/filmstrip/filmstrip/rest/openapi"
)

var captionParameters = []parameter{
	choiceParameter("format", "format", map[string]string{"VTT": "vtt", "SRT": "srt"}),
	booleanParameter("download", "download"),
	{name: "language", schema: openapi.Language, variable: "language", read: textParameter("language", "language").read},
	// A URI template cannot have a variable of this name.
	{name: "human-generated", hidden: true, schema: openapi.Boolean, read: booleanParameter("human-generated", "humanGenerated").read},
}

var captionDefaults = hal.Variables{"format": "vtt", "download": false}

// captions serves GET /v1/videos/{id}/captions: {"content":…} or, for a download, the file.
func captions(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	id, format, download := idIn(r), values["format"], values["download"] == true
	delete(values, "format")
	delete(values, "download")
	values["videoId"], values["asWebVtt"], values["asSubRip"] = id, format == "vtt", format == "srt"
	data, err := f.run(r, "Captions", values)
	if err != nil {
		return nil, err
	}
	var found *struct{ FileName, WebVtt, SubRip string }
	if err := json.Unmarshal(data, &found); err != nil {
		return nil, err
	}
	if found == nil {
		return nil, fault.Errorf(fault.NotFound, "there are no such captions of a video %q", id)
	}
	content, mediaType := found.WebVtt, openapi.WebVTTType
	if format == "srt" {
		content, mediaType = found.SubRip, openapi.SubRipType
	}
	if !download {
		body, err := json.Marshal(struct {
			Content string `json:"content"`
		}{content})
		return &reply{body: body}, err
	}
	return &reply{
		contentType: mediaType, body: []byte(content),
		disposition: mime.FormatMediaType("attachment", map[string]string{"filename": found.FileName + "." + format.(string)}),
	}, nil
}
