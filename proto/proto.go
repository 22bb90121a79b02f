// Package proto has the type that the engines in its folder share. Each engine speaks one wire
// protocol and connects with a [Dial].
package proto

import (
	"context"
	"net"
)

// A Dial connects to an address, such as "example.org:21" for the network "tcp". It has the
// type of net.Dialer's DialContext.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)
