package prospero

import (
	"context"
	"net"
	"testing"

	"locus/url"
)

func parseURL(t testing.TB, text string) url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// answering returns a client of a server that replies to each packet with the result of
// answer, unless that is nil.
func answering(answer func(p packet) []byte) Client {
	return Client{Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		var e *endpoint
		e = newEndpoint(address, func(d []byte) {
			p, err := parsePacket(d)
			if err != nil {
				panic(err)
			}
			if reply := answer(p); reply != nil {
				e.deliver(reply)
			}
		})
		return e, nil
	}}
}

// replying returns a client of a server that replies with these texts in turn, each
// in one packet. It repeats the last one.
func replying(texts ...string) Client {
	return answering(func(p packet) []byte {
		text := texts[0]
		if len(texts) > 1 {
			texts = texts[1:]
		}
		return append([]byte{3, byte(p.id >> 8), byte(p.id)}, text...)
	})
}
