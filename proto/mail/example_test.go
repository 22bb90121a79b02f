package mail_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"locus/access"
	"locus/proto/mail"
	"locus/url"
)

func ExampleClient() {
	dir, err := os.MkdirTemp("", "mail-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	const letter = "Message-ID: <1@example.org>\nContent-Type: multipart/mixed; boundary=b\n\n" +
		"--b\nContent-ID: <2@example.org>\n\nHello, Bob.\n--b--\n"
	err = errors.Join(os.Mkdir(filepath.Join(dir, "cur"), 0o700), os.WriteFile(filepath.Join(dir, "cur", "1:2,S"), []byte(letter), 0o600))
	if err != nil {
		fmt.Println(err)
		return
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	c := mail.Client{Sources: []mail.Source{&mail.Maildir{Root: root}}}
	r, err := c.Do(context.Background(), &access.Request{URL: url.MustParse("mid:1@example.org/2@example.org")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fmt.Printf("%s: %s %v\n", r.Type, text, err)
	// Output:
	// text/plain; charset=us-ascii: Hello, Bob. <nil>
}

func ExampleReadMailto() {
	d, err := mail.ReadMailto(url.MustParse("mailto:ada@example.org?subject=Caf%C3%A9&attach=/etc/passwd"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.To, d.Subject, d.Dropped)
	// Output:
	// [ada@example.org] Café [attach]
}

func ExampleReadOutgoing() {
	const letter = "From: ada@example.org\nTo: bob@example.net\nBcc: eve@example.com\nDate: Tue, 20 Dec 1994 09:30:15 +0000\nMessage-ID: <1@example.org>\n\nHello.\n"
	m, err := mail.ReadOutgoing(strings.NewReader(letter), "", time.Now(), "example.org")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.From, m.To)
	var b strings.Builder
	_, err = m.WriteTo(&b)
	fmt.Print(strings.ReplaceAll(b.String(), "\r\n", "\n"), err)
	// Output:
	// ada@example.org [bob@example.net eve@example.com]
	// From: ada@example.org
	// To: bob@example.net
	// Date: Tue, 20 Dec 1994 09:30:15 +0000
	// Message-ID: <1@example.org>
	//
	// Hello.
	// <nil>
}
