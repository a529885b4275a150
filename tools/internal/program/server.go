package program

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
)

// Server is a process with an API client, which has an access token.
type Server struct {
	*Process
	Client *http.Client
	Token  string

	id, secret string
}

// StartServer starts a server, as Start does, and signs in.
func StartServer(ctx context.Context, command *exec.Cmd, client *http.Client, id, secret string) (*Server, error) {
	process, err := Start(command)
	if err != nil {
		return nil, err
	}
	s := &Server{Process: process, Client: client, id: id, secret: secret}
	if err := s.SignIn(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// SignIn obtains a new token.
func (s *Server) SignIn(ctx context.Context) (err error) {
	s.Token, err = Token(ctx, s.Client, s.Base, s.id, s.secret)
	return err
}

// Get reads an answer with status 200.
func (s *Server) Get(path string, compressed bool) (Answer, error) {
	r := Request{Path: path, Token: s.Token, Compressed: compressed}
	answer, err := r.Send(context.Background(), s.Client, s.Base)
	if err == nil && answer.Status != http.StatusOK {
		err = fmt.Errorf("%s: %d: %.300s", path, answer.Status, answer.Body)
	}
	return answer, err
}
