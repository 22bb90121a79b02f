package gateway

import (
	"container/list"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"locus/internal/forwarded"
)

// Connections bounds how many connections each client has to an http.Server, whose ConnState
// field is the method ConnState. A Limiter is not enough, because it bounds requests, and a
// connection need not send a request. The zero value is ready to use. Do not copy it.
type Connections struct {
	// PerClient is how many connections one client may have. A client is an IPv4 address or
	// an IPv6 /64. For one connection more, Connections closes the connection that has been
	// idle longest, or the new one if all others are busy. Tunnels and sessions do not count,
	// because Gateway bounds them. 0 means 256, and a negative value means no limit.
	PerClient int

	// Proxies are the networks of trusted reverse proxies. Their connections are not bounded, because
	// they carry the requests of many clients.
	Proxies []netip.Prefix

	mu      sync.Mutex
	all     map[net.Conn]*list.Element // of *connection
	clients map[netip.Prefix]*list.List
}

// A connection belongs to a client. The connections of a client are ordered by the time when they
// became idle.
type connection struct {
	net.Conn
	client netip.Prefix
	isIdle bool
}

// ConnState is for the field ConnState of an http.Server, which calls it when the state of a
// connection changes. If a client has too many connections, ConnState closes one, as PerClient
// says.
func (c *Connections) ConnState(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	var surplus *connection
	switch state {
	case http.StateNew:
		surplus = c.add(conn)
	case http.StateActive, http.StateIdle:
		c.setIdle(conn, state == http.StateIdle)
	case http.StateHijacked, http.StateClosed:
		c.remove(conn)
	}
	c.mu.Unlock()
	if surplus != nil {
		surplus.end()
	}
}

// Count returns how many connections are open now.
func (c *Connections) Count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

// add counts a new connection. It returns the connection that the caller must close for it, or nil.
// That is the connection of the client that has been idle longest, or the new one. add forgets it.
// The caller holds mu.
func (c *Connections) add(conn net.Conn) (surplus *connection) {
	if c.all == nil {
		c.all, c.clients = make(map[net.Conn]*list.Element), make(map[netip.Prefix]*list.List)
	}
	one := &connection{conn, clientOf(conn.RemoteAddr().String()), true}
	of := c.clients[one.client]
	if of == nil {
		of = list.New()
		c.clients[one.client] = of
	}
	c.all[conn] = of.PushBack(one)
	if of.Len() <= or(c.PerClient, 256) || c.isProxy(conn) {
		return nil
	}
	for e := of.Front(); ; e = e.Next() { // the new one is idle
		if first := e.Value.(*connection); first.isIdle {
			c.remove(first.Conn)
			return first
		}
	}
}

// isProxy reports whether the other end of a connection is in one of Proxies.
func (c *Connections) isProxy(conn net.Conn) bool {
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	return err == nil && forwarded.Proxies(c.Proxies).Contains(at.Addr())
}

// setIdle sets whether a connection is idle. An idle connection becomes the newest idle one of its
// client. An unknown connection is ignored. The caller holds mu.
func (c *Connections) setIdle(conn net.Conn, isIdle bool) {
	e, ok := c.all[conn]
	if !ok {
		return
	}
	one := e.Value.(*connection)
	one.isIdle = isIdle
	if isIdle {
		c.clients[one.client].MoveToBack(e)
	}
}

// remove forgets a connection. It does nothing if the connection is unknown. The caller holds mu.
func (c *Connections) remove(conn net.Conn) {
	e, ok := c.all[conn]
	if !ok {
		return
	}
	delete(c.all, conn)
	client := e.Value.(*connection).client
	of := c.clients[client]
	if of.Remove(e); of.Len() == 0 {
		delete(c.clients, client)
	}
}

// end closes a connection at once. It does not send the close_notify of TLS, because that may block.
func (c *connection) end() {
	conn := c.Conn
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	conn.Close()
}
