package reply_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
	"locus/url"
)

// A pipe is a connection that reads from in and writes to out.
type pipe struct {
	in  io.Reader
	out bytes.Buffer
}

func (p *pipe) Read(b []byte) (int, error)  { return p.in.Read(b) }
func (p *pipe) Write(b []byte) (int, error) { return p.out.Write(b) }

func read(in string) (access.Reply, error) {
	return reply.NewConn(&pipe{in: strings.NewReader(in)}).Read()
}

var replies = []struct {
	in   string
	code int
	text string
	err  error // nil if it is a reply
}{
	{in: "220 ready\r\n", code: 220, text: "ready"},
	{in: "220 ready\n", code: 220, text: "ready"},
	{in: "220 ready\r\r\n", code: 220, text: "ready"},
	{in: "220 \r\n", code: 220},
	{in: "220\r\n", code: 220},
	{in: "220  two spaces\r\n", code: 220, text: " two spaces"},
	{in: "550 caf\xe9 \x00\r\n", code: 550, text: "caf\xe9 \x00"},
	{in: "220-a\r\n220 b\r\n", code: 220, text: "a\nb"},
	{in: "220-a\r\n220-b\r\n220 c\r\n", code: 220, text: "a\nb\nc"},
	{in: "220-a\r\nb\r\n\r\n220 c\r\n", code: 220, text: "a\nb\n\nc"},
	{in: "211-Features:\r\n MLST type*;\r\n UTF8\r\n211 End\r\n", code: 211, text: "Features:\n MLST type*;\n UTF8\nEnd"},
	{in: "220-a\r\n230-not the end\r\n230\r\n 220 nor this\r\n2200 nor this\r\n620 nor this\r\n220\r\n", code: 220, text: "a\n230-not the end\n230\n 220 nor this\n2200 nor this\n620 nor this\n"},
	{in: "221-bye\r\n211 End\r\n", code: 211, text: "bye\nEnd"}, // as in lftp and curl
	{in: "553-read this\r\n first\r\n150 here it comes\r\n", code: 150, text: "read this\n first\nhere it comes"},
	{in: "220-\r\n220 \r\n", code: 220, text: "\n"},

	{in: "", err: io.ErrUnexpectedEOF},
	{in: "220 ready", err: io.ErrUnexpectedEOF},
	{in: "220-a\r\nb\r\n", err: io.ErrUnexpectedEOF},
	{in: "\r\n", err: access.ErrProtocol},
	{in: "hello\r\n", err: access.ErrProtocol},
	{in: "22\r\n", err: access.ErrProtocol},
	{in: "2200 x\r\n", err: access.ErrProtocol},
	{in: "220_x\r\n", err: access.ErrProtocol},
	{in: "2x0 x\r\n", err: access.ErrProtocol},
	{in: "020 x\r\n", err: access.ErrProtocol},
	{in: "620 x\r\n", err: access.ErrProtocol},
	{in: "+20 x\r\n", err: access.ErrProtocol},
	{in: " 220 x\r\n", err: access.ErrProtocol},
	{in: "HTTP/1.1 400 Bad Request\r\n", err: access.ErrProtocol},
	{in: "SSH-2.0-OpenSSH_9\r\n", err: access.ErrProtocol},
	{in: "220 " + strings.Repeat("x", 1<<20), err: access.ErrTooLong},
	{in: strings.Repeat("x", 1<<20), err: access.ErrTooLong},
	{in: strings.Repeat("220-x\r\n", 1<<20), err: access.ErrTooLong},
	{in: "220-\n" + strings.Repeat("\n", 1<<20), err: access.ErrTooLong},
}

func TestRead(t *testing.T) {
	for _, test := range replies {
		got, err := read(test.in)
		if !errors.Is(err, test.err) || got != (access.Reply{Code: test.code, Text: test.text}) {
			t.Errorf("Read(%.40q) = %d %q, %v; want %d %q, %v", test.in, got.Code, got.Text, err, test.code, test.text, test.err)
		}
		if err != nil && len(err.Error()) > 200 {
			t.Errorf("Read(%.40q) gives an error of %d bytes", test.in, len(err.Error()))
		}
	}
}

func TestReadOneAtATime(t *testing.T) {
	conn := reply.NewConn(&pipe{in: strings.NewReader("150 a\r\n226-b\r\n226 c\r\n221 d\r\nrest")})
	for _, want := range []access.Reply{{Code: 150, Text: "a"}, {Code: 226, Text: "b\nc"}, {Code: 221, Text: "d"}} {
		if got, err := conn.Read(); err != nil || got != want {
			t.Errorf("Read = %v, %v, want %v", got, err, want)
		}
	}
	if rest, _ := io.ReadAll(conn.R); string(rest) != "rest" {
		t.Errorf("after the replies R has %q, want %q", rest, "rest")
	}
}

// An endless is a server that repeats unit for ever. taken counts the bytes that were read.
type endless struct {
	unit  string
	taken int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.unit[(e.taken+i)%len(e.unit)]
	}
	e.taken += len(p)
	return len(p), nil
}

func TestReadIsBounded(t *testing.T) {
	for _, unit := range []string{"x", "2", "220-", "220-x\r\n", "\n", "220-\n"} {
		server := &endless{unit: unit}
		_, err := reply.NewConn(&pipe{in: server}).Read()
		if err == nil || server.taken > 128<<10 {
			t.Errorf("Read of endless %q = %v after %d bytes, want an error soon", unit, err, server.taken)
		}
	}
}

// req: 1738-6-2
func TestDo(t *testing.T) {
	tests := []struct {
		command string
		sent    string // "" if the command is refused
	}{
		{"NOOP", "NOOP\r\n"},
		{"RETR a b", "RETR a b\r\n"},
		{"CWD ", "CWD \r\n"},
		{"RETR caf\xe9\xff", "RETR caf\xe9\xff\r\n"},
		{"RETR a\r\nDELE b", ""},
		{"RETR a\nDELE b", ""},
		{"RETR a\r", ""},
		{"RETR a\x00", ""},
	}
	for _, test := range tests {
		w := &pipe{in: strings.NewReader("250 done\r\n")}
		got, err := reply.NewConn(w).Do(test.command)
		if w.out.String() != test.sent {
			t.Errorf("Do(%q) sent %q, want %q", test.command, w.out.String(), test.sent)
		}
		if test.sent == "" {
			if _, ok := errors.AsType[*wire.ArgumentError](err); !ok {
				t.Errorf("Do(%q) = %v, want a *wire.ArgumentError", test.command, err)
			}
			continue
		}
		if err != nil || got.Code != 250 {
			t.Errorf("Do(%q) = %d, %v, want 250", test.command, got.Code, err)
		}
	}
}

// req: 1738-6-3
func TestSecret(t *testing.T) {
	for _, text := range []string{
		"530 sesame is wrong\r\n",
		"530 sesame is c2VzYW1l\r\n",
		"530-a\r\nsesame\r\n530 b\r\n",
		"sesame\r\n",
		strings.Repeat("x", 57) + "sesame\r\n",
	} {
		conn := reply.NewConn(&pipe{in: strings.NewReader(text)})
		conn.Secrets = []string{"c2VzYW1l", "", "sesame"}
		r, err := conn.Read()
		if err == nil {
			err = conn.Refused(r, fs.ErrPermission)
		}
		if shown := engine.Fail("open", url.MustParse("ftp://h/"), err).Error(); strings.Contains(shown, "ses") || strings.Contains(shown, "c2V") {
			t.Errorf("after %q the error is %q", text, shown)
		}
	}
}

func TestIs(t *testing.T) {
	tests := []struct {
		code, want int
		is         bool
	}{
		{226, 2, true},
		{226, 22, true},
		{226, 226, true},
		{226, 1, false},
		{226, 3, false},
		{226, 23, false},
		{226, 225, false},
		{550, 2, false},
	}
	for _, test := range tests {
		if got := reply.Is(access.Reply{Code: test.code}, test.want); got != test.is {
			t.Errorf("Is(%d, %d) = %v, want %v", test.code, test.want, got, test.is)
		}
	}
}

// FuzzRead checks two laws: Read stops within its limits for any input, and a reply
// that is formatted and read again is the same.
func FuzzRead(f *testing.F) {
	for _, test := range replies {
		if len(test.in) < 1000 {
			f.Add(test.in)
		}
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := read(in)
		if err != nil {
			return
		}
		if got.Code < 100 || got.Code > 599 || len(got.Text) > 64<<10 {
			t.Fatalf("Read(%q) = %d with %d bytes", in, got.Code, len(got.Text))
		}
		var b strings.Builder
		lines := strings.Split(got.Text, "\n")
		for _, l := range lines[:len(lines)-1] {
			fmt.Fprintf(&b, "%d-%s\r\n", got.Code, l)
		}
		fmt.Fprintf(&b, "%d %s\r\n", got.Code, lines[len(lines)-1])
		again, err := read(b.String())
		if b.Len() < 60<<10 && (err != nil || again != got) {
			t.Errorf("Read(%q) = %+v, %v, want %+v", b.String(), again, err, got)
		}
	})
}

// A server may refuse a client, and close the connection, before it has read the command. Do then returns the refusal.
func TestDoRefusedEarly(t *testing.T) {
	broken := errors.New("connection reset")
	for _, test := range []struct {
		in, command string
		code        int   // 0 if there is an error
		err         error // nil for a *wire.ArgumentError
	}{
		{"421 too many users\r\n", "USER a", 421, nil},
		{"554-go\r\n554 away\r\n", "EHLO a", 554, nil},
		{"220 hello\r\n", "USER a", 0, broken}, // because the server cannot accept a command that it has not read
		{"421 too", "USER a", 0, broken},
		{"", "USER a", 0, broken},
		{"421 too many users\r\n", "USER a\nb", 0, nil},
	} {
		c := reply.NewConn(brokenPipe{strings.NewReader(test.in), broken})
		r, err := c.Do(test.command)
		_, isArgument := errors.AsType[*wire.ArgumentError](err)
		if r.Code != test.code || !errors.Is(err, test.err) && !isArgument || (err == nil) != (test.code != 0) {
			t.Errorf("after the server sent %q and closed, Do(%q) = %d, %v; want %d, %v", test.in, test.command, r.Code, err, test.code, test.err)
		}
	}
}

// A brokenPipe is a connection that the server has closed after it has sent some bytes.
type brokenPipe struct {
	io.Reader
	err error
}

// Write fails.
func (p brokenPipe) Write([]byte) (int, error) { return 0, p.err }
