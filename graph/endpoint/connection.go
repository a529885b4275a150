package endpoint

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

// The limits of one connection.
const (
	// maxMessage bounds what a client sends at once, in bytes.
	maxMessage = 128 << 10
	// initTimeout is how long a client may take to say who calls.
	initTimeout = 5 * time.Second
	// silence is how long a client may say nothing, and answer no ping.
	silence = 2*keepAlive + sendTimeout
	// farewell is how long a client has to close when it has been told to.
	farewell = time.Second
)

// The ways in which the server closes a connection, as graphql-transport-ws numbers them.
const (
	closeInvalid     = 4400 // a message that is none
	closeEarly       = 4401 // something asked for before it is known who calls
	closeRefused     = 4403 // a caller who may not come, or not any more
	closeSubprotocol = 4406
	closeInitTimeout = 4408
	closeTaken       = 4409 // a name that stands for another subscription
	closeInitialised = 4429

	// maxReason is how many bytes a frame that closes has for the reason.
	maxReason = 120
)

// The types of messages.
const (
	messageInit      = "connection_init"
	messageAck       = "connection_ack"
	messagePing      = "ping"
	messagePong      = "pong"
	messageSubscribe = "subscribe"
	messageNext      = "next"
	messageError     = "error"
	messageComplete  = "complete"
)

const authorizationHeader = "Authorization"

// connection is one websocket. One goroutine reads; each subscription has one of its own that writes.
type connection struct {
	endpoint *Endpoint
	conn     *websocket.Conn
	r        *http.Request // with the caller's token, and the context of the connection
	end      context.CancelCauseFunc
	known    func() // ends the counting of the connection as a stranger's
	leave    func() // ends the counting of the connection as the caller's
	// initialised: the first message has come, and the caller is known.
	initialised bool

	writing  sync.Mutex
	closing  atomic.Bool
	running  sync.WaitGroup
	going    atomic.Int32 // subscriptions that have not ended yet
	names    sync.Mutex
	ofName   map[string]*subscription
	lastTime time.Time // of a subscription
}

func newConnection(e *Endpoint, conn *websocket.Conn, r *http.Request, end context.CancelCauseFunc, known, leave func()) *connection {
	return &connection{endpoint: e, conn: conn, r: r, end: end, known: known, leave: leave, ofName: map[string]*subscription{}}
}

// serve answers until the connection ends. The caller is nil where the first message will tell.
func (c *connection) serve(caller *account.Caller) {
	ctx := c.r.Context()
	stop := context.AfterFunc(ctx, func() {
		c.endpoint.guarded(ctx, c.end, func() { c.refuse(context.Cause(ctx)) })
	})
	defer func() {
		stop()
		c.end(nil)
		_ = c.conn.Close() // which ends what is being written
		c.running.Wait()
		c.leave()
	}()
	c.conn.SetReadLimit(maxMessage)
	_ = c.conn.SetReadDeadline(time.Now().Add(c.endpoint.initTimeout))
	if c.conn.Subprotocol() != subprotocol {
		c.close(closeSubprotocol, "Subprotocol not acceptable: "+subprotocol+" is spoken")
	}
	for {
		message, err := c.read()
		switch {
		case err != nil:
			return
		case c.closing.Load(): // what comes yet is not listened to
		case message == nil:
			c.close(closeInvalid, "Invalid message")
		case !c.initialised:
			c.initialise(message, caller)
		default:
			c.take(message)
		}
	}
}

// message is one of a client.
type message struct {
	kind, id string
	payload  []byte
}

// read reads the next message; nil: it is none.
func (c *connection) read() (*message, error) {
	kind, text, err := c.conn.ReadMessage()
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() && !c.initialised {
		c.close(closeInitTimeout, "Connection initialisation timeout")
	}
	if err != nil || kind != websocket.TextMessage {
		return nil, err
	}
	parts, problem := membersOf(text)
	if problem != nil {
		return nil, nil
	}
	read := &message{payload: bytes.TrimSpace(parts["payload"])}
	if parts.read("type", &read.kind) != nil || parts.read("id", &read.id) != nil {
		return nil, nil
	}
	return read, nil
}

// initialise learns from the first message who calls.
func (c *connection) initialise(m *message, caller *account.Caller) {
	switch m.kind {
	case messageInit:
	case messagePing:
		_ = c.send(messagePong, "", nil)
		return
	case messageSubscribe:
		c.close(closeEarly, "Unauthorized")
		return
	default:
		c.close(closeInvalid, "Invalid message")
		return
	}
	if caller == nil {
		var err error
		if caller, err = c.callerOf(m.payload); err != nil {
			c.refuse(err)
			return
		}
		leave, err := c.endpoint.admission.admit(caller)
		if err != nil {
			c.refuse(err)
			return
		}
		c.leave = leave
	}
	c.initialised = true
	c.known()
	c.r = c.r.WithContext(account.WithCaller(c.r.Context(), caller))
	c.conn.SetPongHandler(func(string) error { c.heard(); return nil })
	c.heard()
	c.beside(c.keepAlive)
	c.beside(func() { c.endpoint.attend(c.r, caller, c.end) })
	_ = c.send(messageAck, "", nil)
}

// beside does something while the connection is read. A panic there ends the connection.
func (c *connection) beside(do func()) {
	c.running.Go(func() { c.endpoint.guarded(c.r.Context(), c.end, do) })
}

// callerOf finds the caller by the payload of the first message: {"Authorization": "Bearer …"}.
func (c *connection) callerOf(payload []byte) (*account.Caller, error) {
	var given map[string]any
	_ = stdjson.Unmarshal(payload, &given) // without a header in it, the caller is told so
	for name, value := range given {
		if token, ok := value.(string); ok && strings.EqualFold(name, authorizationHeader) {
			c.r = c.r.Clone(c.r.Context())
			c.r.Header.Set(authorizationHeader, token)
		}
	}
	caller, err := c.endpoint.authenticate(c.r)
	if err == nil && !c.endpoint.allows(c.r, caller) {
		err = errOrigin
	}
	return caller, err
}

// heard gives the client time again.
func (c *connection) heard() {
	if !c.closing.Load() {
		_ = c.conn.SetReadDeadline(time.Now().Add(silence))
	}
}

// take does what a message says.
func (c *connection) take(m *message) {
	c.heard()
	switch m.kind {
	case messageInit:
		c.close(closeInitialised, "Too many initialisation requests")
	case messagePing:
		_ = c.send(messagePong, "", nil)
	case messagePong:
	case messageSubscribe:
		c.subscribe(m)
	case messageComplete:
		c.forget(m.id, nil)
	default:
		c.close(closeInvalid, "Invalid message")
	}
}

// send sends a message, and returns once the network has taken it. A client that takes none is given up.
// Nothing follows what closes the connection.
func (c *connection) send(kind, id string, payload []byte) error {
	text, err := stdjson.Marshal(struct {
		ID      string             `json:"id,omitempty"`
		Type    string             `json:"type"`
		Payload stdjson.RawMessage `json:"payload,omitempty"`
	}{id, kind, payload})
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.closing.Load() {
		return websocket.ErrCloseSent
	}
	_ = c.conn.SetWriteDeadline(time.Now().Add(sendTimeout))
	if err = c.conn.WriteMessage(websocket.TextMessage, text); err != nil {
		c.end(nil)
	}
	return err
}

// keepAlive asks the client whether it is there.
func (c *connection) keepAlive() {
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		select {
		case <-c.r.Context().Done():
			return
		case <-tick.C:
			_ = c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(sendTimeout))
		}
	}
}

// refuse closes the connection for a reason.
func (c *connection) refuse(reason error) {
	switch fault.CodeOf(reason) {
	case fault.Unauthenticated, fault.Forbidden, fault.Invalid:
		c.close(closeRefused, "Forbidden: "+reason.Error())
	case fault.Unavailable:
		if errors.Is(reason, errStopping) {
			c.close(websocket.CloseGoingAway, reason.Error())
		} else {
			c.close(websocket.CloseTryAgainLater, reason.Error())
		}
	default:
		if errors.Is(reason, errPanic) {
			c.close(websocket.CloseInternalServerErr, internalMessage)
		}
		c.close(websocket.CloseNormalClosure, "")
	}
}

// close tells the client that the connection ends. It is over when the client has closed it as well, or had
// the time to.
func (c *connection) close(code int, reason string) {
	if c.closing.Swap(true) {
		return
	}
	frame := websocket.FormatCloseMessage(code, strings.ToValidUTF8(reason[:min(len(reason), maxReason)], ""))
	_ = c.conn.WriteControl(websocket.CloseMessage, frame, time.Now().Add(farewell))
	_ = c.conn.SetReadDeadline(time.Now().Add(farewell))
	c.end(nil)
}
