package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmstrip/filmstrip/fault"
)

// The limits of one WebSocket.
const (
	// maxMessage bounds a message of the client, in bytes.
	maxMessage = 128 << 10
	// initTimeout is how long a client may take to send connection_init.
	initTimeout = 5 * time.Second
	// closingTime is how long a client has to answer the close frame.
	closingTime = time.Second
	// maxReason is the longest reason of a close frame, in bytes (RFC 6455, section 5.5).
	maxReason = 120
)

// The close codes of the protocol graphql-transport-ws for refused connections. A message that breaks the protocol
// closes the connection with gqlgen's codes, 1002 or 1000.
const (
	closeForbidden   = 4403
	closeSubprotocol = 4406
)

// socket is a WebSocket as gqlgen's transport uses it. The transport speaks the protocol; the socket adds what the
// transport lacks: a deadline for each write, a close code that says why the server ends the connection, and time for
// the client to receive it.
type socket struct {
	*websocket.Conn
	ctx context.Context // of the connection; its cause is why the server ends it
	end context.CancelCauseFunc
	// closing: the server has sent the close frame, or does.
	closing atomic.Bool
}

// newSocket wraps a connection. The client must send connection_init within wait.
func newSocket(ctx context.Context, conn *websocket.Conn, end context.CancelCauseFunc, wait time.Duration) *socket {
	_ = conn.SetReadDeadline(time.Now().Add(wait))
	s := &socket{Conn: conn, ctx: ctx, end: end}
	if conn.Subprotocol() != subprotocol {
		s.close(closeSubprotocol, "Subprotocol not acceptable: the server speaks "+subprotocol)
	}
	return s
}

// Subprotocol implements transport.WebsocketConn. The transport would take an empty name for an older protocol.
func (s *socket) Subprotocol() string {
	if s.Conn.Subprotocol() == subprotocol {
		return subprotocol
	}
	return "none"
}

// NextReader implements transport.WebsocketConn. What the client sends before it receives a close frame is skipped.
func (s *socket) NextReader() (int, io.Reader, error) {
	kind, text, err := s.ReadMessage()
	for err == nil && s.closing.Load() {
		kind, text, err = s.ReadMessage()
	}
	return kind, bytes.NewReader(text), err
}

// WriteJSON implements transport.WebsocketConn. It ends the connection if the client does not take the message.
func (s *socket) WriteJSON(message any) error {
	if s.ctx.Err() != nil { // the client learns from the close frame why its subscriptions end
		s.closeFor(context.Cause(s.ctx))
	}
	if s.closing.Load() {
		return websocket.ErrCloseSent
	}
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_ = s.SetWriteDeadline(time.Now().Add(sendTimeout))
	if err = s.WriteMessage(websocket.TextMessage, text); err != nil {
		s.end(nil)
	}
	return err
}

// WriteClose implements transport.WebsocketConn. The transport calls it with code 1000 when the context ends; the
// client receives the code for the cause instead.
func (s *socket) WriteClose(code int, reason string) error {
	if cause := context.Cause(s.ctx); cause != nil {
		code, reason = closeCodeOf(cause)
	}
	s.close(code, reason)
	return nil
}

// Close implements transport.WebsocketConn. The connection stays open until the client has answered the close
// frame, or the time for that is over; finish closes it.
func (s *socket) Close() error {
	s.close(websocket.CloseNormalClosure, "")
	return nil
}

// closeFor closes the connection for a reason of the server.
func (s *socket) closeFor(reason error) { s.close(closeCodeOf(reason)) }

// closeCodeOf returns the close code for an error, and the text that the client receives with it.
func closeCodeOf(reason error) (int, string) {
	switch fault.CodeOf(reason) {
	case fault.Unauthenticated, fault.Forbidden, fault.Invalid:
		return closeForbidden, "Forbidden: " + reason.Error()
	case fault.Unavailable:
		if errors.Is(reason, errStopping) {
			return websocket.CloseGoingAway, reason.Error()
		}
		return websocket.CloseTryAgainLater, reason.Error()
	}
	if errors.Is(reason, errPanic) {
		return websocket.CloseInternalServerErr, internalMessage
	}
	return websocket.CloseNormalClosure, ""
}

// close sends the close frame, once.
func (s *socket) close(code int, reason string) {
	if s.closing.Swap(true) {
		return
	}
	frame := websocket.FormatCloseMessage(code, cutReason(reason))
	_ = s.NetConn().SetWriteDeadline(time.Now().Add(closingTime)) // a blocked write must not hold up the frame
	_ = s.WriteControl(websocket.CloseMessage, frame, time.Now().Add(closingTime))
	_ = s.NetConn().SetReadDeadline(time.Now().Add(closingTime))
	s.end(nil)
}

func cutReason(reason string) string {
	return strings.ToValidUTF8(reason[:min(len(reason), maxReason)], "")
}

// SetReadDeadline implements transport.WebsocketReadDeadliner.
func (s *socket) SetReadDeadline(deadline time.Time) error {
	if s.closing.Load() {
		return nil
	}
	return s.Conn.SetReadDeadline(deadline)
}

// finish waits for the client to answer the close frame, then closes the connection.
func (s *socket) finish() {
	s.close(websocket.CloseNormalClosure, "")
	for {
		if _, _, err := s.ReadMessage(); err != nil {
			_ = s.Conn.Close()
			return
		}
	}
}
