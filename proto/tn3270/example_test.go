package tn3270_test

import (
	"context"
	"fmt"
	"net"
	"strings"

	"locus/access"
	"locus/demo"
	"locus/proto/tn3270"
	"locus/url"
)

func ExampleClient() {
	ctx := context.Background()
	d, err := demo.Start(ctx, demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()

	c := tn3270.Client{Dial: new(net.Dialer).DialContext}
	r, err := c.Do(ctx, &access.Request{URL: url.MustParse(d.Service("tn3270").URL)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	s := r.Session.(*tn3270.Session)
	if err := s.Press('1', tn3270.Enter, 'A', 'd', 'a', tn3270.Enter); err != nil {
		fmt.Println(err)
		return
	}
	for drawing := make([]byte, 4096); ; { // a program would write it to the terminal
		if _, err := s.Read(drawing); err != nil {
			fmt.Println(err)
			return
		}
		if line := strings.TrimSpace(s.Screen().Lines[22]); strings.HasPrefix(line, "Hello") {
			fmt.Println(line)
			return
		}
	}
	// Output: Hello, Ada! Your secret has 0 letters.
}
