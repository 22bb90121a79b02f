package imapwire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
)

// A scriptedConn has all its input from the start.
type scriptedConn struct {
	net.Conn
	io.Reader
	sent     bytes.Buffer
	fails    error // error of Write
	closed   bool
	deadline time.Time
	remote   net.TCPAddr
}

func (s *scriptedConn) RemoteAddr() net.Addr { return &s.remote }

func (s *scriptedConn) Read(p []byte) (int, error) { return s.Reader.Read(p) }
func (s *scriptedConn) Close() error               { s.closed = true; return nil }

func (s *scriptedConn) SetWriteDeadline(t time.Time) error { s.deadline = t; return nil }
func (s *scriptedConn) SetReadDeadline(time.Time) error    { return nil }

func (s *scriptedConn) Write(p []byte) (int, error) {
	if s.fails != nil {
		return 0, s.fails
	}
	return s.sent.Write(p)
}

// connTo returns a connection to a server that sends text.
func connTo(text string) (*Conn, *scriptedConn) {
	s := &scriptedConn{Reader: strings.NewReader(text)}
	return newConn(wrap(s)), s
}

// wrap returns s as a connection with the given security.
func wrap(s *scriptedConn, security ...access.Security) *wire.Conn {
	d := wire.Dialer{}
	if len(security) > 0 {
		d.Security = security[0]
	}
	return d.Wrap(context.Background(), s)
}

// longestLine is a line of the maximum length, including its end.
var longestLine = "* " + strings.Repeat("x", maxLine-4) + "\r\n"

func TestLiteralSize(t *testing.T) {
	for _, test := range []struct {
		line string
		want int64
		ok   bool
	}{
		{"* 1 FETCH {5}", 5, true},
		{"{5}", 5, true},
		{"x {0}", 0, true},
		{"x {007}", 7, true},
		{"x {{5}", 5, true},
		{"x {6} {5}", 5, true},
		{"x {4611686018427387903}", 1<<62 - 1, true},
		{"x {4611686018427387904}", 0, false},
		{"x {18446744073709551621}", 0, false},
		{"x {5} ", 0, false},
		{"x {5", 0, false},
		{"x 5}", 0, false},
		{"5}", 0, false},
		{"x }5{", 0, false},
		{"x {}", 0, false},
		{"x { 5}", 0, false},
		{"x {-5}", 0, false},
		{"x {+5}", 0, false},
		{"x {5+}", 0, false},
		{"x {0x5}", 0, false},
		{"x {5_0}", 0, false},
		{"}", 0, false},
		{"", 0, false},
	} {
		if n, ok := literalSize(test.line); ok != test.ok || ok && n != test.want {
			t.Errorf("literalSize(%q) = %d, %v, want %d, %v", test.line, n, ok, test.want, test.ok)
		}
	}
}

// A response includes its literals, and is bounded (RFC 3501 §4.3).
func TestAnswer(t *testing.T) {
	for _, test := range []struct {
		says string
		most int
		want string
		rest string // remaining input
		err  error
	}{
		{"* OK\r\nx", 4, "* OK", "x", nil},
		{"* OK\n", 4, "* OK", "", nil},
		{"\r\n", 0, "", "", nil},
		{"* OK\r\n", 3, "", "", access.ErrTooLong},
		{"a {3}\r\nx\r\n b\r\n", 13, "a {3}\r\nx\r\n b", "", nil},
		{"a {3}\r\nx\r\n b\r\n", 11, "", " b\r\n", access.ErrTooLong},
		{"a {3}\r\nx\r\n b\r\n", 7, "", "x\r\n b\r\n", access.ErrTooLong},
		{"a {0}\r\n\r\n", 99, "a {0}\r\n", "", nil},
		{"a {2}\r\nxy {1}\r\nz)\r\n", 99, "a {2}\r\nxy {1}\r\nz)", "", nil},
		{"a {2}\r\n{9}\r\n9\r\n", 99, "a {2}\r\n{9}", "9\r\n", nil}, // "{9}" announces a literal only after the literal that contains another
		{"a {99}\r\n", 99, "", "", access.ErrTooLong},
		{"a {4611686018427387903}\r\n", maxAnswer, "", "", access.ErrTooLong},
		{"a {3}\r\nxy", 99, "", "", io.ErrUnexpectedEOF},
		{"a {3}\r\n", 99, "", "", io.ErrUnexpectedEOF},
		{"a {3}\r\nxyz", 99, "", "", io.ErrUnexpectedEOF},
		{"* OK", 99, "", "", io.ErrUnexpectedEOF},
		{"", 99, "", "", io.ErrUnexpectedEOF},
		{longestLine, maxAnswer, strings.TrimSpace(longestLine), "", nil},
		{"x" + longestLine, maxAnswer, "", "\n", access.ErrTooLong},
	} {
		c, _ := connTo(test.says)
		got, err := c.readResponse(test.most)
		rest, _ := io.ReadAll(c.r)
		if got != test.want || !errors.Is(err, test.err) || string(rest) != test.rest && test.err == nil {
			t.Errorf("%.60q of %d bytes is answered %.60q, %v, with %.60q left; want %.60q, %v, %.60q", test.says, test.most, got, err, rest, test.want, test.err, test.rest)
		}
	}
	broken := errors.New("broken")
	c := newConn(wrap(&scriptedConn{Reader: io.MultiReader(strings.NewReader("a {3}\r\nx"), iotest.ErrReader(broken))}))
	if _, err := c.readResponse(99); !errors.Is(err, broken) {
		t.Errorf("a connection that breaks off: %v, want %v", err, broken)
	}
	c = newConn(wrap(&scriptedConn{Reader: iotest.ErrReader(broken)}))
	if _, err := c.readResponse(99); !errors.Is(err, broken) {
		t.Errorf("a connection that is broken: %v, want %v", err, broken)
	}
}

// Do sends the command and its continuations when the server asks for them, and returns the
// responses (RFC 3501 §2.2, §7).
func TestDo(t *testing.T) {
	secret := Text("p\x00é")
	long := strings.Repeat("long ", 100)
	for _, test := range []struct {
		args []Argument
		says string
		sent string
		want []string
		err  error  // nil if text is set
		text string // part of the error
	}{
		{nil, "L1 OK\r\n", "L1 DO\r\n", nil, nil, ""},
		{nil, "L1 ok done\r\n", "L1 DO\r\n", nil, nil, ""},
		{nil, "* 1 EXISTS\r\n* X {2}\r\nab)\r\nL1 OK\r\n", "L1 DO\r\n", []string{"* 1 EXISTS", "* X {2}\r\nab)"}, nil, ""},
		{nil, "+ idle\r\nL1 OK\r\n", "L1 DO\r\n", []string{"+ idle"}, nil, ""},
		{[]Argument{Plain("A"), Text("b c")}, "L1 OK\r\n", "L1 DO A \"b c\"\r\n", nil, nil, ""},
		{[]Argument{secret}, "+ go\r\nL1 OK\r\n", "L1 DO {4}\r\np\x00é\r\n", nil, nil, ""},
		{[]Argument{secret, Plain("A"), secret}, "+\r\n+ \r\nL1 OK\r\n", "L1 DO {4}\r\np\x00é A {4}\r\np\x00é\r\n", nil, nil, ""},
		{[]Argument{continuation("AGFk")}, "* 1 EXISTS\r\n+ \r\nL1 OK\r\n", "L1 DO\r\nAGFk\r\n", nil, nil, ""},

		{nil, "L1 NO [X] sorry\r\n", "L1 DO\r\n", nil, nil, "NO [X] sorry"},
		{nil, "L1 BAD " + long + "\r\n", "L1 DO\r\n", nil, nil, ("BAD " + long)[:200]},
		{nil, "L1 OKAY\r\n", "L1 DO\r\n", nil, nil, "OKAY"},
		{nil, "L1 \r\n", "L1 DO\r\n", nil, nil, ""},
		{nil, "L1\r\n", "L1 DO\r\n", nil, access.ErrProtocol, `"L1" is not a response`},
		{nil, "L10 OK\r\n", "L1 DO\r\n", nil, access.ErrProtocol, "is not a response"},
		{nil, "l1 OK\r\n", "L1 DO\r\n", nil, access.ErrProtocol, "is not a response"},
		{nil, "L0 OK\r\n", "L1 DO\r\n", nil, access.ErrProtocol, "is not a response"},
		{nil, "*\r\n", "L1 DO\r\n", nil, access.ErrProtocol, "is not a response"},
		{nil, "\r\n", "L1 DO\r\n", nil, access.ErrProtocol, "is not a response"},
		{nil, "* BYE\r\n", "L1 DO\r\n", nil, io.ErrUnexpectedEOF, ""},
		{nil, "* BYE idle too long\r\n", "L1 DO\r\n", nil, io.ErrUnexpectedEOF, `the server says "BYE idle too long"`},
		{nil, "* 1 EXISTS\r\n* bye secret\r\n* 2", "L1 DO\r\n", nil, io.ErrUnexpectedEOF, `the server says "bye secret"`},
		{[]Argument{secret}, "* BYE no\r\n", "L1 DO {4}\r\n", nil, io.ErrUnexpectedEOF, `the server says "BYE no"`},
		{nil, strings.Repeat(longestLine, 1+maxAnswer/(maxLine-2)), "L1 DO\r\n", nil, access.ErrTooLong, ""},
		{[]Argument{secret}, "L1 NO none\r\n", "L1 DO {4}\r\n", nil, nil, "NO none"},
		{[]Argument{secret}, "L1 OK\r\n", "L1 DO {4}\r\n", nil, access.ErrProtocol, "before it was sent completely"},
		{[]Argument{secret}, "X\r\n", "L1 DO {4}\r\n", nil, access.ErrProtocol, "is not a response"},
		{[]Argument{secret}, "* 1 EXISTS\r\n", "L1 DO {4}\r\n", nil, io.ErrUnexpectedEOF, ""},
		{[]Argument{secret}, strings.Repeat(longestLine, 1+maxAnswer/(maxLine-2)) + "+ \r\n", "L1 DO {4}\r\n", nil, access.ErrTooLong, ""},
	} {
		c, s := connTo(test.says)
		got, err := c.Do("DO", test.args...)
		failed := test.err != nil || test.text != "" || strings.HasPrefix(test.says, "L1 \r")
		if !slices.Equal(got, test.want) || err != nil != failed || !errors.Is(err, test.err) && test.err != nil || failed && !strings.HasSuffix(err.Error(), test.text) {
			t.Errorf("%.60q answers %.60q, %v, want %q, %v with %q", test.says, got, err, test.want, test.err, test.text)
		}
		if _, refused := errors.AsType[*engine.Refusal](err); refused != (failed && test.err == nil) {
			t.Errorf("%.60q is a refusal: %v", test.says, refused)
		}
		if s.sent.String() != test.sent {
			t.Errorf("%.60q is sent %q, want %q", test.says, s.sent.String(), test.sent)
		}
	}
	broken := errors.New("broken")
	for _, args := range [][]Argument{nil, {secret}} {
		c, s := connTo("+ \r\nL1 OK\r\n")
		s.fails = broken
		if _, err := c.Do("DO", args...); !errors.Is(err, broken) {
			t.Errorf("Do with %d arguments after a failed Write = %v, want %v", len(args), err, broken)
		}
	}
	c, s := connTo("L1 OK\r\nL2 OK\r\n")
	for range 2 {
		if _, err := c.Do("DO"); err != nil {
			t.Error(err)
		}
	}
	if s.sent.String() != "L1 DO\r\nL2 DO\r\n" {
		t.Errorf("%q is sent, want a tag for each command", s.sent.String())
	}
}

// A text is quoted, or a literal if it is not printable ASCII (RFC 3501 §9).
func TestText(t *testing.T) {
	for _, test := range []struct {
		text string
		want Argument
	}{
		{"", Argument{text: `""`}},
		{" ~", Argument{text: `" ~"`}},
		{`a"b\c`, Argument{text: `"a\"b\\c"`}},
		{"a\x1f", Argument{"{2}", "a\x1f", true}},
		{"a\x7f", Argument{"{2}", "a\x7f", true}},
		{"\r\n", Argument{"{2}", "\r\n", true}},
		{"é\"", Argument{"{3}", "é\"", true}},
	} {
		if got := Text(test.text); got != test.want {
			t.Errorf("Text(%q) = %+v, want %+v", test.text, got, test.want)
		}
	}
}

func TestGreeting(t *testing.T) {
	for _, test := range []struct {
		says  string
		known bool
		err   error
		text  string
	}{
		{"* OK ready\r\n", false, nil, ""},
		{"* ok\r\n", false, nil, ""},
		{"* PREAUTH hello\r\n", true, nil, ""},
		{"* preauth\r\n", true, nil, ""},
		{"* BYE busy\r\n", false, nil, "* BYE busy"},
		{"* NO\r\n", false, access.ErrProtocol, "* NO"},
		{"*\r\n", false, access.ErrProtocol, "*"},
		{"\r\n", false, access.ErrProtocol, `""`},
		{"220 h ESMTP\r\n", false, access.ErrProtocol, "220 h"},
		{"* OK", false, io.ErrUnexpectedEOF, ""},
		{"* OK {9999999}\r\n", false, access.ErrTooLong, ""},
	} {
		c, _ := connTo(test.says)
		known, err := c.readGreeting()
		failed := test.err != nil || test.text != ""
		if known != test.known || err != nil != failed || test.err != nil && !errors.Is(err, test.err) || failed && !strings.Contains(err.Error(), test.text) {
			t.Errorf("the greeting %q is %v, %v, want %v, %v with %q", test.says, known, err, test.known, test.err, test.text)
		}
		if _, refused := errors.AsType[*engine.Refusal](err); refused != (failed && test.err == nil) {
			t.Errorf("the greeting %q is a refusal: %v", test.says, refused)
		}
	}
}

func TestCapabilities(t *testing.T) {
	c, _ := connTo("* CAPABILITY IMAP4rev1 starttls\r\n* Capability LOGINDISABLED\r\n* OK CAPABILITY AUTH=PLAIN\r\n* \r\n* CAPABILITY\r\nL1 OK\r\n" +
		"* CAPABILITY AUTH=PLAIN\r\nL2 OK\r\nL3 NO\r\n")
	for _, want := range [][]string{{"IMAP4REV1", "STARTTLS", "LOGINDISABLED"}, {"AUTH=PLAIN"}} { // STARTTLS resets the capabilities
		if err := c.askCapabilities(); err != nil || !slices.Equal(c.capabilities, want) {
			t.Errorf("capabilities are %q, %v, want %q", c.capabilities, err, want)
		}
	}
	if !c.Has("AUTH=PLAIN") || c.Has("STARTTLS") || c.Has("AUTH") {
		t.Errorf("with the capabilities %q Has accepts others", c.capabilities)
	}
	if err := c.askCapabilities(); err == nil {
		t.Error("a refused CAPABILITY gives no error")
	}
}

// searchResult returns the UIDs in the response to SEARCH.
func TestSearchResult(t *testing.T) {
	for _, test := range []struct {
		answers []string
		want    []string
		ok      bool
	}{
		{nil, nil, true},
		{[]string{"* SEARCH"}, nil, true},
		{[]string{"* search 7  8 "}, []string{"7", "8"}, true},
		{[]string{"* SEARCH 1", "* 5 EXISTS", "* SORT 3", "*", "", "* SEARCH 2"}, []string{"1", "2"}, true},
		{[]string{"* SEARCH 4294967295"}, []string{"4294967295"}, true},
		{[]string{"* SEARCH 4294967296"}, nil, false},
		{[]string{"* SEARCH 1 -2"}, nil, false},
		{[]string{"* SEARCH 1:*"}, nil, false},
		{[]string{"* SEARCH 1 (MODSEQ 9)"}, nil, false},
	} {
		c, _ := connTo("")
		got, err := c.searchResult(test.answers)
		if !slices.Equal(got, test.want) || (err == nil) != test.ok || err != nil && !errors.Is(err, access.ErrProtocol) {
			t.Errorf("searchResult(%q) = %q, %v, want %q, success %v", test.answers, got, err, test.want, test.ok)
		}
	}
}

// A message is the requested literal. It is complete when the server confirms
// it.
func TestFetch(t *testing.T) {
	for _, test := range []struct {
		says string
		want string // the message
		err  error  // of Read, or of Fetch
		text string
	}{
		{"* 2 FETCH (BODY[] {5}\r\nhello)\r\nL1 OK\r\n", "hello", nil, ""},
		{"* 2 FETCH (body[] {5}\r\nhello UID 7 X {3}\r\nabc)\r\n* 9 EXISTS\r\nL1 ok\r\n", "hello", nil, ""},
		{"* 9 EXISTS\r\n* 2 FETCH (UID 7 BODY[] {2}\r\n\r\n)\r\nL1 OK\r\n", "\r\n", nil, ""},
		{"* 2 FETCH (BODY[] {0}\r\n)\r\nL1 OK\r\n", "", nil, ""},
		{"* 2 FETCH (BODY[] {7}\r\nL1 OK\r\n)\r\nL1 OK\r\n", "L1 OK\r\n", nil, ""},
		{"* 2 FETCH (BODY[] {5}\r\nhello)\r\nL1 NO lost\r\n", "hello", nil, "NO lost"},
		{"* 2 FETCH (BODY[] {5}\r\nhello)\r\n", "hello", io.ErrUnexpectedEOF, ""},
		{"* 2 FETCH (BODY[] {5}\r\nhell", "hell", io.ErrUnexpectedEOF, ""},
		{"* 2 FETCH (BODY[] {5}\r\n", "", io.ErrUnexpectedEOF, ""},
		{"* 2 FETCH (BODY[] {5}\r\nhello)\r\n" + strings.Repeat(longestLine, 1+maxAnswer/(maxLine-2)) + "L1 OK\r\n", "hello", access.ErrTooLong, ""},
		{"* 2 FETCH (BODY[] {5}\r\nhello)\r\n* {2000000}\r\n", "hello", access.ErrTooLong, ""},
		{"L1 OK\r\n", "", fs.ErrNotExist, "any more"},
		{"* 2 EXPUNGE\r\n* 1 FETCH (FLAGS ())\r\nL1 OK [EXPUNGEISSUED]\r\n", "", fs.ErrNotExist, "any more"},
		{"* 2 FETCH (BODY[] NIL)\r\nL1 OK\r\n", "", access.ErrProtocol, "was not sent"},
		{"* 2 FETCH (BODY[] {x)\r\nL1 OK\r\n", "", access.ErrProtocol, "was not sent"},
		{"L1 NO none\r\n", "", nil, "NO none"},
		{"X\r\n", "", access.ErrProtocol, "is not a response"},
		{"* 2 FETCH (BODY[HEADER] {5}\r\nhello)\r\nL1 OK\r\n", "", access.ErrProtocol, "an unexpected literal"},
		{"* 2 FETCH (BODY[]<0> {5}\r\nhello)\r\nL1 OK\r\n", "", access.ErrProtocol, "an unexpected literal"},
		{"* 9 EXISTS\r\n", "", io.ErrUnexpectedEOF, ""},
		{strings.Repeat(longestLine, 1+maxAnswer/(maxLine-2)) + "L1 OK\r\n", "", access.ErrTooLong, ""},
	} {
		for _, size := range []int{1, 3, 4096} {
			c, s := connTo(test.says)
			m, err := c.Fetch("7", Section{})
			if s.sent.String() != "L1 UID FETCH 7 (BODY.PEEK[])\r\n" {
				t.Errorf("Fetch, which is answered %.60q, sends %q", test.says, s.sent.String())
			}
			var got []byte
			for p := make([]byte, size); err == nil; {
				var n int
				n, err = m.Read(p)
				got = append(got, p[:n]...)
			}
			if m != nil {
				if _, again := m.Read(make([]byte, 1)); test.err != io.ErrUnexpectedEOF && again != err {
					t.Errorf("%.60q: after %v Read gives %v", test.says, err, again)
				}
				if m.Close(); !s.closed {
					t.Errorf("%.60q: the connection stays open", test.says)
				}
			}
			whole := err == io.EOF
			if string(got) != test.want || whole != (test.err == nil && test.text == "") || test.err != nil && !errors.Is(err, test.err) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%.60q in pieces of %d is %q, %v, want %q, %v with %q", test.says, size, got, err, test.want, test.err, test.text)
			}
		}
	}
}

// Logout sends LOGOUT and does not wait.
func TestLogout(t *testing.T) {
	c, s := connTo("")
	c.Logout()
	if s.sent.String() != "L1 LOGOUT\r\n" || !s.closed || s.deadline.IsZero() {
		t.Errorf("logout sends %q, closes %v, by %v", s.sent.String(), s.closed, s.deadline)
	}
}

// A password is sent unencrypted only to this machine, or if that is allowed.
func TestCleartext(t *testing.T) {
	for _, test := range []struct {
		remote   string
		security access.Security
		want     bool // allowed
	}{
		{"192.0.2.1", access.OpportunisticTLS, false},
		{"192.0.2.1", access.RequireTLS, false},
		{"192.0.2.1", access.NeverTLS, true},
		{"127.0.0.1", access.OpportunisticTLS, true},
		{"127.0.0.1", access.RequireTLS, false},
		{"::1", access.OpportunisticTLS, true},
		{"::ffff:127.0.0.1", access.OpportunisticTLS, true},
		{"2001:db8::1", access.OpportunisticTLS, false},
	} {
		for _, greeting := range []string{"* PREAUTH hello\r\n", "* OK hello\r\nL1 OK\r\nL2 OK\r\n"} {
			remote := net.TCPAddr{IP: net.ParseIP(test.remote), Port: Port}
			c := newConn(wrap(&scriptedConn{Reader: strings.NewReader(greeting), remote: remote}, test.security))
			s := Server{Dialer: wire.Dialer{Security: test.security}, Credentials: func() (access.Credentials, error) {
				return access.Credentials{User: "ada", Password: "sesame"}, nil
			}}
			if err := s.login(c); (err == nil) != test.want {
				t.Errorf("after %q login to %s, TLS %v = %v, want success %v", greeting, test.remote, test.security, err, test.want)
			}
		}
	}
}

// Shown returns the server's text without the password, and cut.
func TestShown(t *testing.T) {
	c, _ := connTo("")
	c.secrets = []string{"sesame"}
	for _, test := range []struct{ text, want string }{
		{"NO sesame is wrong", "NO xxxxx is wrong"},
		{strings.Repeat("x", 200), strings.Repeat("x", 200)},
		{strings.Repeat("x", 201), strings.Repeat("x", 200)},
	} {
		if got := c.Shown(test.text); got != test.want {
			t.Errorf("%q is shown as %q, want %q", test.text, got, test.want)
		}
	}
}

// IMAP responses that mean "later" are temporary (RFC 5530 §3), also for a
// login.
func TestTemporary(t *testing.T) {
	for _, test := range []struct {
		says string
		want bool
	}{
		{"NO [UNAVAILABLE] user's backend down", true},
		{"no [inuse] mailbox in use", true},
		{"* BYE [UNAVAILABLE] closing", true},
		{"NO [AUTHENTICATIONFAILED] wrong", false},
		{"NO it is [UNAVAILABLE]", false},
		{"NO", false},
		{"", false},
	} {
		c, _ := connTo("")
		for _, err := range []error{c.refusal(test.says), asDenied(c.refusal(test.says))} {
			if got := errors.Is(err, access.ErrTemporary); got != test.want || test.want && errors.Is(err, fs.ErrPermission) {
				t.Errorf("%q is temporary: %v, want %v", test.says, got, test.want)
			}
		}
	}
}

// SetDeadline is called when the context of a test ends.
func (s *scriptedConn) SetDeadline(time.Time) error { return nil }

// A Tap gets to know each form of the password before it is sent, so that an archive does not record it.
func TestLoginHidden(t *testing.T) {
	for _, test := range []struct {
		capabilities, password, says, want string
	}{
		{"AUTH=PLAIN SASL-IR", "sesame", "", "AUTHENTICATE PLAIN ***=\r\n"},
		{"AUTH=PLAIN", "sesame", "+ \r\n", "AUTHENTICATE PLAIN\r\n***=\r\n"},
		{"X", "sesame", "", "LOGIN \"ada\" \"***\"\r\n"},
		{"X", `ses"ame`, "", "LOGIN \"ada\" \"***\"\r\n"},
		{"X", "sesäme", "+ \r\n", "LOGIN \"ada\" {7}\r\n***\r\n"},
	} {
		tap := new(wiretest.HidingTap)
		conn := &scriptedConn{Reader: strings.NewReader("* OK hello\r\n* CAPABILITY IMAP4rev1 " + test.capabilities + "\r\nL1 OK\r\n" + test.says + "L2 OK\r\n")}
		s := Server{
			Address: "h:143", User: "ada",
			Credentials: func() (access.Credentials, error) {
				return access.Credentials{User: "ada", Password: test.password}, nil
			},
		}
		s.Dial = func(context.Context, string, string) (net.Conn, error) { return conn, nil }
		s.Security = access.NeverTLS
		if _, err := s.Connect(engine.WithTap(t.Context(), tap)); err != nil {
			t.Errorf("Connect with %s: %v", test.capabilities, err)
		}
		if got, want := tap.Bytes.String(), "L1 CAPABILITY\r\nL2 "+test.want; got != want {
			t.Errorf("the Tap of a login with %s and the password %q has %q, want %q", test.capabilities, test.password, got, want)
		}
	}
}
