package gemini_test

import (
	"context"
	"fmt"
	"net"

	"locus/access"
	"locus/proto/gemini"
	"locus/proto/pin"
	"locus/url"
)

func ExampleClient() {
	var dialer net.Dialer
	pins := &pin.Pins{Store: func(address string, _, p pin.Pin) (pin.Pin, error) {
		fmt.Println("new server:", address)
		return p, nil
	}}
	c := gemini.Client{Dial: dialer.DialContext, Pins: pins}
	_, err := c.Do(context.Background(), &access.Request{URL: url.MustParse("gopher://host.example/")})
	fmt.Println(err)
	// Output: open gopher://host.example/: no access to this scheme
}
