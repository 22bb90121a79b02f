package demo_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"locus/demo"
)

func Example() {
	d, err := demo.Start(context.Background(), demo.Config{Listen: net.Listen})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	resp, err := http.Get(d.Service("http").URL + "etc/motd")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	fmt.Print(string(text), err)
	// Output:
	// The message of the day is the same every day: read the manual.
	// <nil>
}
