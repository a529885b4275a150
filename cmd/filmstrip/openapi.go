package main

import (
	"bytes"
	"encoding/json"

	"github.com/filmstrip/filmstrip/rest"
)

type openapiCommand struct {
	BaseURL   string `help:"The base URL of the server in the document." default:"http://127.0.0.1:8080"`
	Anonymous bool   `help:"Describe what a server with --anonymous playback offers without a token."`
	Version   string `name:"openapi-version" help:"The version of OpenAPI: 3.1 or 3.0." enum:"3.1,3.0" default:"3.1"`
}

// Run prints the OpenAPI document that a server publishes.
func (c *openapiCommand) Run(console console) error {
	text, err := rest.OpenAPI(c.BaseURL, c.Anonymous, c.Version == "3.0")
	if err != nil {
		return err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		return err
	}
	indented.WriteByte('\n')
	_, err = indented.WriteTo(console.out)
	return err
}
