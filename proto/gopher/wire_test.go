package gopher_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/gopher"
	"locus/url"
)

var errNotExist = fs.ErrNotExist

// req: 1738-3.4-4 1738-3.4-6
func TestFraming(t *testing.T) {
	const (
		text, textPlus     = "gopher://h/0/x", "gopher://h/0/x%09%09+"
		menu, menuPlus     = "gopher://h/1/x", "gopher://h/1/x%09%09+"
		binary, binaryPlus = "gopher://h/9/x", "gopher://h/9/x%09%09+"
	)
	long := strings.Repeat("x", 200<<10)
	early := io.ErrUnexpectedEOF
	for _, test := range []struct {
		url, answer, want string
		err               error
	}{
		// Plain Gopher text ends at the close. A period on the last line is removed.
		{text, "a\r\nb\r\n.\r\n", "a\r\nb\r\n", nil},
		{text, "a\r\nb\r\n", "a\r\nb\r\n", nil},
		{text, "a\nb", "a\nb", nil},
		{text, "a\n.\n", "a\n", nil},
		{text, "a\n.", "a\n", nil},
		{text, "a\r\n.\r\nb\r\n.\r\n", "a\r\n.\r\nb\r\n", nil},
		{text, "a\r\n..\r\n.b\r\n...\r\n", "a\r\n.\r\n.b\r\n...\r\n", nil},
		{text, "a\n..\n", "a\n..\n", nil},
		{text, "a.\r\n", "a.\r\n", nil},
		{text, ".\r\n", "", nil},
		{text, "..", "..", nil},
		{text, "..\r", "..\r", nil},
		{text, ".\rx", ".\rx", nil},
		{text, "", "", nil},
		{text, long, long, nil},
		{text, long + "\r\n..\r\n" + long + "\r\n.\r\n", long + "\r\n.\r\n" + long + "\r\n", nil},
		{text, "+5\r\nhello", "+5\r\nhello", nil}, // no Gopher+ requested
		{text, "0\r\n", "0\r\n", nil},
		{text, "3 apples\r\n", "3 apples\r\n", nil},
		{text, "3\ta\tb\tc\r\n4\ta\tb\tc\r\n", "3\ta\tb\tc\r\n4\ta\tb\tc\r\n", nil},
		{binary, "a\r\n..\r\n.\r\n", "a\r\n..\r\n.\r\n", nil},

		// Menus end at a period or the close. They must not end within a line.
		{menu, "iA\t\th\t1\r\n.\r\nmore", "iA\t\th\t1\r\n", nil},
		{menu, "iA\t\th\t1\r\n.\n", "iA\t\th\t1\r\n", nil},
		{menu, "iA\t\th\t1\r\n", "iA\t\th\t1\r\n", nil},
		{menu, "iA\t\th\t1\r\niB\t", "iA\t\th\t1\r\niB\t", early},
		{menu, "", "", nil},
		{"gopher://h/7/x%09nothing", "", "", nil},

		// Gopher+ with a size: exactly that many bytes.
		{textPlus, "+5\r\nhello", "hello", nil},
		{textPlus, "+5\r\nhello.\r\n", "hello", nil},
		{textPlus, "+5\nhello", "hello", nil},
		{textPlus, "+5 \t\r\nhello", "hello", nil},
		{textPlus, "+0\r\n", "", nil},
		{textPlus, "+5\r\n..\r\nx", "..\r\nx", nil},
		{textPlus, "+5\r\nhell", "hell", early},
		{textPlus, "+5\r\n", "", early},
		{binaryPlus, "+9223372036854775807\r\nx", "x", early},
		{textPlus, "+36\r\n3no error, not found\t\terror.host\t1\r\n", "3no error, not found\t\terror.host\t1\r\n", nil},
		{menuPlus, "+12\r\niA\t\th\t1\r\n.\r\nmore", "iA\t\th\t1\r\n.\r\n", nil},

		// Gopher+ up to a period: it has the same line end as the header.
		{textPlus, "+-1\r\na\r\n.\r\n", "a\r\n", nil},
		{textPlus, "+-1\r\na\r\n.\r\nmore", "a\r\n", nil},
		{textPlus, "+-1\r\na\n.\nb\n.\r\n", "a\n.\nb\n", nil},
		{textPlus, "+-1\na\n.\nmore", "a\n", nil},
		{textPlus, "+-1\r\na\r\n..\r\n.b\r\n.\r\n", "a\r\n.\r\n.b\r\n", nil},
		{textPlus, "+-1\r\na\r\n", "a\r\n", early},
		{textPlus, "+-1\r\na", "a", early},
		{textPlus, "+-1\r\n", "", early},
		{textPlus, "+-1\r\na\r\n.", "a\r\n", nil},
		{menuPlus, "+-1\r\niA\t\th\t1\r\n.\r\n", "iA\t\th\t1\r\n", nil},
		{menuPlus, "+-1\r\niA\t\th\t1\r\n", "iA\t\th\t1\r\n", early},

		// Gopher+ up to the close.
		{textPlus, "+-2\r\na\r\n.\r\n", "a\r\n.\r\n", nil},
		{binaryPlus, "+-2\r\n", "", nil},

		// A reply without a header to a Gopher+ request: plain Gopher.
		{textPlus, "a\r\n.\r\n", "a\r\n", nil},
		{textPlus, "+INFO: x\r\n", "+INFO: x\r\n", nil},
		{textPlus, "+\r\n", "+\r\n", nil},
		{textPlus, "+-3\r\nx", "+-3\r\nx", nil},
		{textPlus, "+5x\r\nhello", "+5x\r\nhello", nil},
		{textPlus, "-\r\n", "-\r\n", nil},
		{textPlus, "+ 5\r\n", "+ 5\r\n", nil},
		{textPlus, "+" + strings.Repeat("0", 100) + "\r\n", "+" + strings.Repeat("0", 100) + "\r\n", nil},
		{textPlus, "+99999999999999999999\r\n", "", access.ErrProtocol},
		{textPlus, "", "", early},
		{textPlus, "+", "+", nil},
		{textPlus, "+12", "", early},

		// Errors.
		{textPlus, "--1\r\n1 a <b>\r\nno such thing\r\n.\r\n", "", errNotExist},
		{textPlus, "--2\r\n1 a <b>\r\nno such thing\r\n", "", errNotExist},
		{textPlus, "-3\r\n1 a", "", errNotExist},
		{textPlus, "--1\r\n1 a\r\nbroken off", "", errNotExist},
		{textPlus, "--1\r\n", "", early},
		{binaryPlus, "--2\r\n3 moved\r\n0x\t/y\tother\t70\r\n", "", errMoved},
		{text, "3gone, not found\t\terror.host\t1\r\n.\r\n", "", errNotExist},
		{text, "0gone, not found\t\terror.host\t1\r\n.\r\n", "", errNotExist},
		{binary, "3gone, not found\t\terror.host\t1\r\n", "", errNotExist},
		{menu, "3permission denied\t\terror.host\t1\r\n.\r\n", "", fs.ErrPermission},
		{menu, "3gone, not found\t\terror.host\t1\r\nifooter\t\tnull.host\t1\r\n.\r\n", "", errNotExist},
		{menu, "Error: not found\r\nfooter\r\n", "", errNotExist},
	} {
		for _, send := range []func(string) accesstest.Step{accesstest.Send, accesstest.SendBytes} {
			if len(test.answer) > 64<<10 {
				send = accesstest.Send
			}
			got, err := read(t, test.url, send(test.answer))
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("%q answered %.80q gives %.80q, %v, want %.80q, %v", test.url, test.answer, got, err, test.want, test.err)
			}
		}
	}
}

var errMoved = errors.New("moved")

// read opens and reads a URL. An [access.Moved] becomes errMoved.
func read(t *testing.T, text string, answer accesstest.Step) (string, error) {
	server := accesstest.ServeAll(t, accesstest.Script{firstLine, answer})
	r, err := gopher.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{URL: url.MustParse(text)})
	if moved, ok := errors.AsType[*access.Moved](err); ok && moved.To.String() == "gopher://other/0/y" && moved.Reply.Code == 3 {
		return "", errMoved
	}
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	return string(data), err
}

func TestEndlessAnswers(t *testing.T) {
	for _, test := range []struct {
		url, head, again string
		want             error
	}{
		{"gopher://h/1/x", "", "i", access.ErrTooLong},
		{"gopher://h/1/x", "", "a\tb\tc", access.ErrTooLong},
		{"gopher://h/0/x%09%09!", "+-1\r\n+INFO: 0x\ty\tz\t70\r\n", " line\r\n", access.ErrTooLong},
		{"gopher://h/0/x%09%09!", "+-2\r\n+INFO: 0x\ty\tz\t70\r\n", "+NAME\r\n", access.ErrTooLong},
		{"gopher://h/0/x%09%09!", "+-2\r\n", "+INFO:\r\n", access.ErrProtocol},
		{"gopher://h/0/x%09%09+", "--1\r\n1 ", "gone\r\n", fs.ErrNotExist},
		{"gopher://h/0/x%09%09+", "--2\r\n1 ", "gone", fs.ErrNotExist},
		{"gopher://h:105/2%09x", "", "-200:1:", access.ErrTooLong},
		{"gopher://h:105/2%09x", "", "102:Wait.\r\n", access.ErrTooLong},
		{"gopher://h/1/x", "", "\r\n", access.ErrTooLong},
		{"gopher://h/1/x%09%09+", "+-2\r\n", ".\n", access.ErrTooLong},
	} {
		server := accesstest.ServeAll(t, accesstest.Script{firstLine, accesstest.Send(test.head), accesstest.SendForever(test.again)})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		r, err := gopher.Client{Dial: server.Dial}.Do(ctx, &access.Request{URL: url.MustParse(test.url)})
		if err == nil {
			if l := r.List; l != nil {
				_, err = l.Next()
			}
			r.Body.Close()
		}
		cancel()
		if !errors.Is(err, test.want) {
			t.Errorf("%q answered %q and %q for ever gives %v, want %v", test.url, test.head, test.again, err, test.want)
		}
	}
}

// TestStall tests servers that stop sending. Do or Read fails at the deadline
// of the context or after the idle time. The time is synctest's.
func TestStall(t *testing.T) {
	for _, sent := range []string{
		"", "+", "+-1", "+-1\r\n", "+-1\r\na", "+-1\r\na\r\n.", "+5\r\nhell", "--1\r\n", "0", "3x\ty\terror.host\t1\r\n",
	} {
		stall(t, sent, 30*time.Second, context.DeadlineExceeded)
		stall(t, sent, time.Hour, access.ErrTemporary)
	}
}

func stall(t *testing.T, sent string, timeout time.Duration, want error) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		server := accesstest.ServeAll(t, accesstest.Script{firstLine, accesstest.Send(sent), accesstest.Stall()})
		u := url.MustParse("gopher://h/0/x%09%09+")
		r, err := gopher.Client{Dial: server.Dial}.Do(ctx, &access.Request{URL: u})
		if err == nil {
			_, err = io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
		if !errors.Is(err, want) {
			t.Errorf("a server that stalls after %q gives %v, want %v", sent, err, want)
		}
	})
}

// TestNoWait checks that data with an end of its own is read without waiting for
// the close.
func TestNoWait(t *testing.T) {
	for _, test := range []struct{ url, answer, want string }{
		{"gopher://h/0/x%09%09+", "+5\r\nhello", "hello"},
		{"gopher://h/0/x%09%09+", "+-1\r\nhello\r\n.\r\n", "hello\r\n"},
		{"gopher://h/1/x%09%09+", "+-1\r\n.\r\n", ""},
		{"gopher://h/1/x", "iA\t\th\t1\r\n.\r\n", "iA\t\th\t1\r\n"},
		{"gopher://h/2%09x", "200:Ok.\r\n", ""},
	} {
		server := accesstest.ServeAll(t, accesstest.Script{firstLine, accesstest.Send(test.answer), accesstest.Stall()})
		r, err := gopher.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if err != nil {
			t.Fatalf("Open(%q) = %v", test.url, err)
		}
		if got, err := io.ReadAll(r.Body); string(got) != test.want || err != nil {
			t.Errorf("%q answered %q gives %q, %v, want %q", test.url, test.answer, got, err, test.want)
		}
		r.Body.Close()
	}
}

// TestReset checks that a broken connection is an error, even where the close
// ends the data.
func TestReset(t *testing.T) {
	broken := errors.New("connection reset")
	for _, text := range []string{"gopher://h/9/x", "gopher://h/0/x", "gopher://h/1/x", "gopher://h/0/x%09%09+"} {
		dial := accesstest.ServeAll(t, accesstest.Script{firstLine, accesstest.Send("hello\r\n"), accesstest.Stall()}).Dial
		c := gopher.Client{Dial: breaking(dial, broken)}
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(text)})
		if err == nil {
			_, err = io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
		if !errors.Is(err, broken) {
			t.Errorf("%q on a connection that breaks gives %v, want %v", text, err, broken)
		}
	}
}

// If a server replies and closes before it has read the form, the reply counts.
func TestAnswersEarly(t *testing.T) {
	u := url.MustParse("gopher://h/0/x%09%09+%091%0D%0A+-1%0D%0A" + strings.Repeat("long%20line%0D%0A", 10_000) + ".%0D%0A")
	r, err := gopher.Client{Dial: deaf("+5\r\nhello")}.Do(t.Context(), &access.Request{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if got, err := io.ReadAll(r.Body); string(got) != "hello" || err != nil {
		t.Errorf("a server that replies before it has read the form gives %q, %v, want hello", got, err)
	}
	if _, err := (gopher.Client{Dial: deaf("")}).Do(t.Context(), &access.Request{URL: u}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a server that reads nothing and sends nothing gives %v, want io.ErrClosedPipe", err)
	}
}

// deaf returns a Dial to servers that reply at once and do not read the request.
func deaf(answer string) proto.Dial {
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		server.Close()
		return &deafConn{Conn: client, r: strings.NewReader(answer)}, nil
	}
}

type deafConn struct {
	net.Conn
	r io.Reader
}

func (c *deafConn) Read(p []byte) (int, error) { return c.r.Read(p) }
