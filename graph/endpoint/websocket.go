package endpoint

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"github.com/gorilla/websocket"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// subprotocol is the protocol of WebSockets.
const subprotocol = "graphql-transport-ws"

var upgrader = websocket.Upgrader{
	Subprotocols:     []string{subprotocol},
	HandshakeTimeout: sendTimeout,
	WriteBufferPool:  &sync.Pool{},
	CheckOrigin:      func(*http.Request) bool { return true }, // openWebsocket has checked it
	Error: func(w http.ResponseWriter, r *http.Request, status int, reason error) {
		httperror.Write(w, r, status, "", reason.Error(), nil)
	},
}

// Websocket returns the handler of GET /graphql, which opens WebSockets for subscriptions. It identifies the caller
// itself: by the Authorization header or, because browsers cannot set headers, by the first message. The time limits
// of requests must not apply to it; see MayStream.
func (e *Endpoint) Websocket() http.Handler { return http.HandlerFunc(e.openWebsocket) }

func (e *Endpoint) openWebsocket(w http.ResponseWriter, r *http.Request) {
	if !websocket.IsWebSocketUpgrade(r) {
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
		httperror.Write(w, r, http.StatusUpgradeRequired, "", "GET opens a WebSocket; send operations by POST", nil)
		return
	}
	if e.authenticate == nil {
		httperror.WriteError(w, r, errNone)
		return
	}
	var caller *account.Caller
	if len(r.Header["Authorization"]) > 0 {
		var err error
		if caller, err = e.authenticate(r); err != nil {
			httperror.WriteError(w, r, err)
			return
		}
	}
	if !e.allows(r, caller) {
		httperror.WriteError(w, r, errOrigin)
		return
	}
	ctx, end, finish, err := e.admission.begin(r.Context())
	if err != nil {
		httperror.WriteError(w, r, err)
		return
	}
	defer finish()
	known, admitted := func() {}, func() {}
	if caller != nil {
		if admitted, err = e.admission.admit(caller); err != nil {
			httperror.WriteError(w, r, err)
			return
		}
	} else {
		var from netip.Addr
		if e.addressOf != nil {
			from = e.addressOf(r)
		}
		if known, err = e.admission.admitStranger(from); err != nil {
			httperror.WriteError(w, r, err)
			return
		}
	}
	known = sync.OnceFunc(known)
	defer known()
	upgraded, err := upgrader.Upgrade(w, r, nil)
	if err != nil { // the upgrader has answered
		admitted()
		return
	}
	c := &connection{endpoint: e, r: r.WithContext(ctx), end: end, known: known, finish: admitted}
	defer func() { c.finish() }()
	c.serve(newSocket(ctx, upgraded, end, e.initTimeout), caller)
}

var errOrigin = fault.Errorf(fault.Forbidden, "pages of this origin may not open WebSockets")

// allows reports whether a request may open a WebSocket for a caller: it has no Origin header, the origin is this host,
// or the origin is allowed.
func (e *Endpoint) allows(r *http.Request, caller *account.Caller) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || e.allowOrigin != nil && e.allowOrigin(caller, origin) {
		return true
	}
	address, err := url.Parse(origin)
	return err == nil && address.Host != "" && strings.EqualFold(address.Host, r.Host)
}
