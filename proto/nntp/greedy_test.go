package nntp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/nntp"
	"locus/url"
)

// The references of a listing take no more memory than the bytes that the server has sent.
func TestListingOfManyReferences(t *testing.T) {
	const articles, sent = 200, 30 << 10 // bytes of each
	var lines []string
	for n := range articles {
		lines = append(lines, fmt.Sprintf("%d\ts\ta@h\t\t<%d@h>\t%s\t\t", n+1, n, strings.Repeat("<a@b> ", sent/6)))
	}
	s := accesstest.ServeAll(t, modern.with(answers{
		"GROUP misc.test": fmt.Sprintf("211 %d 1 %d misc.test\r\n", articles, articles), "OVER": "224 overview\r\n" + block(lines...),
	}).script())
	before := heap()
	r, err := newClient(s).Do(t.Context(), &access.Request{URL: url.MustParse("nntp://h/misc.test")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if used := int64(heap()) - int64(before); used > 3*articles*sent {
		t.Errorf("the listing takes %d KiB, of %d KiB that were sent", used>>10, articles*sent>>10)
	}
	e, err := r.List.Next()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(e.Sys.(nntp.Overview).References); n > 1000 {
		t.Errorf("an entry has %d references", n)
	}
}

// A server cannot hold a request for ever with lines that have no entry, or with more articles than
// a listing has.
func TestListingsWithoutEntries(t *testing.T) {
	long := strings.Repeat("x", 30<<10) + "\r\n"
	for _, test := range []struct {
		url     string
		command string
		reply   string // to the command, and then forever
		forever string
	}{
		{"news:*", "LIST", "215 groups\r\n", "\r\n"},
		{"nntp://h/misc.test", "OVER", "224 overview\r\n", "7\t" + long},
		{"nntp://h/misc.test", "OVER", "224 overview\r\n", long},
		{"nntp://h/misc.test", "LISTGROUP", "211 list\r\n", long},
	} {
		s := accesstest.ServeAll(t, accesstest.Script{accesstest.Send("200 x\r\n"), func(c *accesstest.Conn) error {
			spans := 0 // the first ones are empty, so that the last is long
			for {
				line, err := c.ReadString('\n')
				if err != nil {
					return err
				}
				switch verb, _, _ := strings.Cut(strings.TrimSpace(line), " "); {
				case verb == test.command && (verb != "OVER" || spans == 40):
					if err := accesstest.Send(test.reply)(c); err != nil {
						return err
					}
					return accesstest.SendForever(test.forever)(c)
				case verb == "OVER" && test.command == "OVER":
					spans++
					err = accesstest.Send("423 none\r\n")(c)
				case verb == "GROUP":
					err = accesstest.Send("211 1 1 1000000000000000 misc.test\r\n")(c)
				default:
					err = accesstest.Send("500 what?\r\n")(c)
				}
				if err != nil {
					return err
				}
			}
		}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		r, err := newClient(s).Do(ctx, &access.Request{URL: url.MustParse(test.url)})
		if err == nil {
			_, err = r.List.Next()
			r.Body.Close()
		}
		cancel()
		if !errors.Is(err, access.ErrTooLong) && !errors.Is(err, access.ErrProtocol) {
			t.Errorf("%s with an endless %s of %.9q = %v", test.url, test.command, test.forever, err)
		}
	}
}
