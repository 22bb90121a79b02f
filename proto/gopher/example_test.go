package gopher_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"locus/access"
	"locus/proto/gopher"
	"locus/url"
)

// replyWith returns a Dial to a server that sends every client the same reply.
func replyWith(answer string) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			_, _ = server.Read(make([]byte, 1024))
			_, _ = io.WriteString(server, answer)
		}()
		return client, nil
	}
}

func ExampleClient_Do() {
	c := gopher.Client{Dial: replyWith("0About\t/about.txt\texample.org\t70\r\n7Find\t/find\texample.org\t70\r\n.\r\n")}
	r, err := c.Do(context.Background(), &access.Request{URL: url.MustParse("gopher://example.org/")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	menu := r.List
	err = access.Entries(menu, func(e access.Entry) error {
		fmt.Println(e.Kind, e.Title, e.URL)
		return nil
	})
	fmt.Println(err)
	// Output:
	// object About gopher://example.org/0/about.txt
	// search Find gopher://example.org/7/find
	// <nil>
}

func ExampleClient_Do_stat() {
	c := gopher.Client{Dial: replyWith("+-1\r\n+INFO: 0About\t/about\texample.org\t70\t+\r\n" +
		"+VIEWS:\r\n text/plain En_GB: <2k>\r\n application/postscript: <40k>\r\n.\r\n")}
	e, err := c.Do(context.Background(), &access.Request{Op: access.Stat, URL: url.MustParse("gopher://example.org/0/about%09%09+")})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Title, e.Type)
	for _, v := range e.Sys.(*gopher.Item).Views() {
		fmt.Println(v.Type, v.Language, v.Size)
	}
	// Output:
	// About text/plain
	// text/plain En_GB 2048
	// application/postscript  40960
}

func ExampleClient_Do_ask() {
	c := gopher.Client{Dial: replyWith("+-1\r\n+INFO: 0Guests\t/guests\texample.org\t70\t?\r\n" +
		"+ASK:\r\n Ask: Your name?\tnobody\r\n Choose: Colour?\tred\tblue\r\n.\r\n")}
	r, err := c.Do(context.Background(), &access.Request{Op: access.Ask, URL: url.MustParse("gopher://example.org/0/guests%09%09%3F")})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, question := range r.Questions.Items {
		fmt.Printf("%s: %s [%s]\n", question.Name, question.Prompt, question.Default)
	}
	// Output:
	// your-name: Your name? [nobody]
	// colour: Colour? [red]
}
