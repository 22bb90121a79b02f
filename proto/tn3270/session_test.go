package tn3270_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/tn3270"
	"locus/terminal"
	"locus/url"
)

// The negotiation before the first screen.
const (
	askType = "\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0"
	askRest = "\xff\xfd\x19\xff\xfb\x19\xff\xfd\x00\xff\xfb\x00"
	asks    = askType + askRest
	sayType = "\xff\xfb\x18\xff\xfa\x18\x00IBM-3279-2-E\xff\xf0"
	sayRest = "\xff\xfb\x19\xff\xfd\x19\xff\xfb\x00\xff\xfd\x00"
	answers = sayType + sayRest
	end     = "\xff\xef"
	hello   = "\xf5\xc2\x1d\x60\xc8\x85\x93\x93\x96\x1d\x40\x13" + end // "Hello" and a field
)

func engine(dial proto.Dial) access.Engine { return tn3270.Client{Dial: dial} }

// open opens a session with a server that follows a script.
func open(t *testing.T, c tn3270.Client, script ...accesstest.Step) (*tn3270.Session, *accesstest.Server) {
	t.Helper()
	server := accesstest.Serve(t, script)
	c.Dial = server.Dial
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("tn3270://h/")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Body.Close() })
	return r.Session.(*tn3270.Session), server
}

// waitFor reads until a row of the screen has text.
func waitFor(t *testing.T, s *tn3270.Session, text string) {
	t.Helper()
	buf := make([]byte, 32<<10)
	for {
		if strings.Contains(strings.Join(s.Screen().Lines, "\n"), text) {
			return
		}
		if _, err := s.Read(buf); err != nil {
			t.Fatalf("reading until the screen shows %q: %v; it shows\n%s", text, err, strings.Join(s.Screen().Lines, "\n"))
		}
	}
}

// req: 1630-inter-1, 1738-3.8-1
func TestSuite(t *testing.T) {
	script := func(host string, steps ...accesstest.Step) proto.Dial {
		return accesstest.ServeAll(t, append(accesstest.Script{accesstest.Send(host)}, steps...)).Dial
	}
	dials := map[string]proto.Dial{
		"h:23":         script(asks + hello),
		"truncated:23": script(asks + hello + "\xf5\xc2half"),
		"stalled:23":   script(asks+hello, accesstest.Stall()),
	}
	accesstest.Test(t, accesstest.Config{
		New: engine,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if dial := dials[address]; dial != nil {
				return dial(ctx, network, address)
			}
			return nil, errors.New("no such host")
		},
		Object:    url.MustParse("tn3270://h"),
		Content:   drawing(t, asks+hello),
		Truncated: url.MustParse("tn3270://truncated/"),
		Stalled:   url.MustParse("tn3270://stalled/"),
		Hostile:   hostile(),
		Secret:    url.MustParse("tn3270://u:sesame@nowhere/"),
		NoOffset:  true,
	})
}

// drawing returns what Read returns for the data of a host.
func drawing(t *testing.T, host string) string {
	s, _ := open(t, tn3270.Client{}, accesstest.Send(host))
	text, err := io.ReadAll(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func hostile() []url.URL {
	var all []url.URL
	for _, text := range []string{
		"tn3270://h%0D%0Ax/", "tn3270://u%0Aser@h/", "tn3270://u%00@h/", "tn3270://u:p%0D@h/", "tn3270://h%00/",
		"tn3270://h/path", "tn3270://h:0/", "tn3270://h:99999/", "tn3270:///", "tn3270:x",
	} {
		all = append(all, url.MustParse(text))
	}
	return all
}

// req: 1738-6-2
func TestRefusedBeforeDialling(t *testing.T) {
	for _, u := range hostile() {
		server := accesstest.Serve(t)
		_, err := tn3270.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{URL: u})
		if err == nil || len(server.Dialed()) > 0 {
			t.Errorf("Open(%q) = %v after dialling %q, want it refused", u, err, server.Dialed())
		}
	}
}

// The client keeps reading from a host that does not read while it sends.
func TestAnswersWait(t *testing.T) {
	const read, after = "\xf6" + end, "\xf5\xc2\x81\x86\xa3\x85\x99" + end
	client, host := net.Pipe()
	dial := func(context.Context, string, string) (net.Conn, error) { return client, nil }
	r, err := tn3270.Client{Dial: dial}.Do(t.Context(), &access.Request{URL: url.MustParse("tn3270://h/")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	go func() {
		_, _ = io.WriteString(host, asks+hello+strings.Repeat(read, 100)+after)
		host.Close()
	}()
	if text, err := io.ReadAll(r.Body); err != nil || !strings.Contains(string(text), "after") {
		t.Errorf("the session ends in %q, %v, want it to show %q", text, err, "after")
	}
}

// A host that does not read may request only a limited amount of replies. If it has
// closed the connection, pending replies are discarded.
func TestAnswersNotTaken(t *testing.T) {
	const read, screen, after = "\xf2" + end, 24*80 + len("\x60\x40\x40"+end), "\xf5\xc2\x81\x86\xa3\x85\x99" + end
	const held = 64 << 10 / screen
	for _, test := range []struct {
		reads int
		want  error
	}{{held - 1, nil}, {2*held + 1, access.ErrTooLong}, {1000, access.ErrTooLong}} {
		client, host := net.Pipe()
		dial := func(context.Context, string, string) (net.Conn, error) { return client, nil }
		r, err := tn3270.Client{Dial: dial}.Do(t.Context(), &access.Request{URL: url.MustParse("tn3270://h/")})
		if err != nil {
			t.Fatalf("%v: %v", test.reads, err)
		}
		go func() { _, _ = io.WriteString(host, asks+hello+strings.Repeat(read, test.reads)+after) }()
		s, buf := r.Session.(*tn3270.Session), make([]byte, 32<<10)
		for err == nil && s.Screen().Lines[0] != "after" {
			_, err = s.Read(buf)
		}
		if !errors.Is(err, test.want) {
			t.Errorf("%d unread replies of %d bytes: reading gives %v, want %v", test.reads, screen, err, test.want)
		}
		s.Close()
		host.Close()
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []tn3270.Client{{Model: 6}, {CodePage: "930"}} {
		server := accesstest.Serve(t)
		c.Dial = server.Dial
		_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("tn3270://h/")})
		if err == nil || access.Hint(err) == "" {
			t.Errorf("Open with %+v = %v, hint %q, want an error and a hint", c, err, access.Hint(err))
		}
	}
	_, err := tn3270.Client{}.Do(t.Context(), &access.Request{URL: url.MustParse("tn3270://h/")})
	if !errors.Is(err, access.ErrNoDial) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Open without Dial = %v, want %v", err, access.ErrNoDial)
	}
}

// The login is given to the caller and never sent.
//
// req: 1738-3.8-2
func TestLoginIsAdvice(t *testing.T) {
	server := accesstest.Serve(t, accesstest.Script{accesstest.Send(asks + hello), accesstest.Expect(answers)})
	u := url.MustParse("tn3270://a%64a:sesame@h:2323/")
	r, err := tn3270.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Login, (access.LoginAdvice{User: url.Some("ada"), Password: url.Some("sesame")}); got != want {
		t.Errorf("Sys = %v, want %v", got, want)
	}
	if _, err := io.ReadAll(r.Body); err != nil {
		t.Errorf("reading: %v", err)
	}
	r.Body.Close()
	server.Wait()
	if got := server.Received(0); got != answers {
		t.Errorf("the host is sent %q, want %q", got, answers)
	}
	if got := server.Dialed(); got[0] != "h:2323" {
		t.Errorf("dialled %q", got)
	}
}

func TestNegotiation(t *testing.T) {
	for _, test := range []struct {
		name   string
		client tn3270.Client
		host   string
		want   string // what the client sends
	}{
		{"hercules", tn3270.Client{}, asks, answers},
		{"all types in turn", tn3270.Client{}, "\xff\xfd\x18" + strings.Repeat("\xff\xfa\x18\x01\xff\xf0", 5), "\xff\xfb\x18" +
			typeIs("IBM-3279-2-E") + typeIs("IBM-3278-2-E") + typeIs("IBM-3278-2") + typeIs("IBM-3278-2") + typeIs("IBM-3279-2-E")},
		{"model 3", tn3270.Client{Model: 3}, askType, "\xff\xfb\x18" + typeIs("IBM-3279-3-E")},
		{"model 4", tn3270.Client{Model: 4}, askType, "\xff\xfb\x18" + typeIs("IBM-3278-4-E")},
		{"model 5", tn3270.Client{Model: 5}, askType, "\xff\xfb\x18" + typeIs("IBM-3278-5-E")},
		{"monochrome", tn3270.Client{Monochrome: true}, askType, "\xff\xfb\x18" + typeIs("IBM-3278-2")},
		{"no type unasked", tn3270.Client{}, "\xff\xfa\x18\x01\xff\xf0", ""},
		{"TN3270E is refused", tn3270.Client{}, "\xff\xfd\x28" + asks, "\xff\xfc\x28" + answers},
		{"3270-REGIME is refused", tn3270.Client{}, "\xff\xfd\x1d\xff\xfb\x1d", "\xff\xfc\x1d\xff\xfe\x1d"},
		{"the environment is refused", tn3270.Client{}, "\xff\xfd\x27\xff\xfa\x27\x01\xff\xf0", "\xff\xfc\x27"},
		{"what is on is not said again", tn3270.Client{}, "\xff\xfd\x00\xff\xfd\x00\xff\xfb\x01\xff\xfb\x01", "\xff\xfb\x00\xff\xfd\x01"},
		{"off", tn3270.Client{}, "\xff\xfd\x00\xff\xfe\x00\xff\xfe\x00\xff\xfc\x00", "\xff\xfb\x00\xff\xfc\x00"},
		{"no command is answered", tn3270.Client{}, "\xff\xf1\xff\xf2\xff\xf6\xff\xf9\xff\xef", ""},
	} {
		const ask, refuse = "\xff\xfd\x63", "\xff\xfc\x63" // nothing is sent before refuse
		s, server := open(t, test.client, accesstest.Send(test.host+ask), accesstest.Expect(test.want+refuse))
		if _, err := io.ReadAll(s); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		s.Close()
		server.Wait()
		if got := server.Received(0); got != test.want+refuse {
			t.Errorf("%s: %q is answered %q, want %q", test.name, test.host, got, test.want)
		}
	}
}

func typeIs(name string) string { return "\xff\xfa\x18\x00" + name + "\xff\xf0" }

// A complete session with typed input.
func TestSession(t *testing.T) {
	const bye = "\xf5\xc2\xc2\xa8\x85" + end
	s, _ := open(
		t, tn3270.Client{},
		accesstest.Send(askType), accesstest.Expect(sayType),
		accesstest.Send(askRest), accesstest.Expect(sayRest),
		accesstest.SendBytes(hello),
		accesstest.Expect("\x7d\x40\x4a\x11\x40\xc7\xc1\x84\x81"+end),
		accesstest.Send(bye),
	)
	waitFor(t, s, "Hello")
	p := s.Picture()
	if !p.Connected || p.Lock != tn3270.Unlocked || p.Cursor != 7 || !p.Cells[8].Input || p.Cells[1].Input {
		t.Errorf("connected %v, %q, cursor at %d, input at 8 %v, at 1 %v", p.Connected, p.Lock, p.Cursor, p.Cells[8].Input, p.Cells[1].Input)
	}
	if _, err := io.WriteString(s, "Ada\r"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, s, "Bye")
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Errorf("reading to the end: %v", err)
	}
	if !s.Echoes() {
		t.Error("a 3270 shows what is typed: Echoes() = false")
	}
}

// Text is shown and sent in the code page of the host.
func TestCodePageSessions(t *testing.T) {
	for _, test := range []struct{ page, text, codes string }{
		{"037", "[^]{|}", "\xba\xb0\xbb\xc0\x4f\xd0"},
		{"1047", "[^]{|}", "\xad\x5f\xbd\xc0\x4f\xd0"},
		{"1140", "10 €", "\xf1\xf0\x40\x9f"},
		{"273", "Größe {@}", "\xc7\x99\x6a\xa1\x85\x40\x43\xb5\xdc"},
		{"277", "Blåbærgrød", "\xc2\x93\xd0\x82\xc0\x99\x87\x99\x6a\x84"},
		{"278", "smörgås", "\xa2\x94\x6a\x99\x87\xd0\xa2"},
		{"280", "perché è", "\x97\x85\x99\x83\x88\x5a\x40\xd0"},
		{"284", "¿Ñandú?", "\xab\x7b\x81\x95\x84\xde\x6f"},
		{"285", "£5 $7", "\x5b\xf5\x40\x4a\xf7"},
		{"297", "ça été", "\xe0\x81\x40\xc0\xa3\xc0"},
		{"500", "[!]", "\x4a\x4f\x5a"},
		{"871", "það", "\x4a\x81\x79"},
	} {
		n := len(test.codes)
		s, _ := open(
			t, tn3270.Client{CodePage: test.page},
			accesstest.Send(asks), accesstest.Expect(answers),
			accesstest.Send("\xf5\xc2"+test.codes+"\x1d\x40\x13"+end),
			accesstest.Expect("\x7d"+address(2*n+1)+"\x11"+address(n+1)+test.codes+test.codes+end), // the field wraps
			accesstest.Send("\xf5\xc2\x96\x92"+end),
		)
		waitFor(t, s, test.text)
		if _, err := io.WriteString(s, test.text+"\r"); err != nil {
			t.Errorf("%s: typing %q: %v", test.page, test.text, err)
		}
		waitFor(t, s, "ok")
		s.Close()
	}
}

// address encodes an address below 64.
func address(n int) string {
	if low := n & 0x0F; low >= 1 && low <= 9 {
		return string([]byte{0x40, byte(n) | 0xC0})
	}
	return string([]byte{0x40, byte(n) | 0x40})
}

// Keys that are pressed before the first screen are pending.
func TestTypingAhead(t *testing.T) {
	typed := make(chan struct{})
	s, _ := open(
		t, tn3270.Client{},
		func(*accesstest.Conn) error { <-typed; return nil },
		accesstest.Send(asks+hello),
		accesstest.Expect(answers+"\x7d\x40\x4a\x11\x40\xc7\xc1\x84\x81"+end),
		accesstest.Send("\xf1\xc2\x11\xc1\x50\xd6\xd2"+end),
		accesstest.Expect("\x6d"+end),
	)
	if err := s.Press('A', 'd', 'a', tn3270.Enter, tn3270.Clear); err != nil {
		t.Fatal(err)
	}
	close(typed)
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Errorf("reading to the end: %v", err)
	}
}

// A host that does not support 3270 is used in text mode.
func TestText(t *testing.T) {
	s, _ := open(
		t, tn3270.Client{},
		accesstest.Send("Connection rejected\r\nlogin: "),
		accesstest.Expect("adam\b\r\n"),
		accesstest.Send("\xff\xfb\x01\r\nPassword: "),
		accesstest.Expect("\xff\xfd\x01x\r\n"),
		accesstest.Send("\r\n"+strings.Repeat("line\r\n", 30)+"\x1b[2Jend\x07\xff\xff"),
	)
	waitFor(t, s, "login:")
	_, _ = io.WriteString(s, "adam\b\x1b1\r")
	waitFor(t, s, "Password:")
	_, _ = io.WriteString(s, "x\r")
	waitFor(t, s, "end")
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Errorf("reading to the end: %v", err)
	}
	lines := s.Screen().Lines
	if lines[23] != "[2Jend" || lines[22] != "line" || strings.Contains(strings.Join(lines, ""), "x") {
		t.Errorf("the screen shows %q", lines)
	}
	if s.Picture().Connected {
		t.Error("Connected = true for a host that sends text")
	}
}

// Keys that are pressed before text mode is known are sent before later keys.
func TestTypingAheadOfText(t *testing.T) {
	typed := make(chan struct{})
	s, _ := open(
		t, tn3270.Client{},
		func(*accesstest.Conn) error { <-typed; return nil },
		accesstest.Send("login: "),
		accesstest.Expect("adam\r\neve\r\n"),
		accesstest.Send("\r\nwelcome"),
	)
	if err := s.Press('a', 'd', 'a', 'm', tn3270.PF(1), tn3270.Enter); err != nil {
		t.Fatal(err)
	}
	close(typed)
	waitFor(t, s, "login:")
	if _, err := io.WriteString(s, "eve\r"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, s, "welcome")
	if got := s.Screen().Lines[:2]; got[0] != "adam" || got[1] != "login: eve" {
		t.Errorf("the screen shows %q", got)
	}
}

// After the end, Read returns io.EOF even if keys are pressed.
func TestAfterTheEnd(t *testing.T) {
	s, _ := open(t, tn3270.Client{}, accesstest.Send(asks+hello))
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Fatal(err)
	}
	_ = s.Press('x', tn3270.Redraw)
	_ = s.Resize(90, 30)
	s.Note("too late")
	if n, err := s.Read(make([]byte, 100)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("Read after the end = %d, %v, want 0, %v", n, err, io.EOF)
	}
}

// A panicking connection panics on Read.
type panicking struct{ net.Conn }

func (panicking) Read([]byte) (int, error) { panic("the wire is broken") }

// A panic in the goroutine that receives data becomes a panic of Read.
func TestPanic(t *testing.T) {
	client, _ := net.Pipe()
	dial := func(context.Context, string, string) (net.Conn, error) { return panicking{client}, nil }
	r, err := tn3270.Client{Dial: dial}.Do(t.Context(), &access.Request{URL: url.MustParse("tn3270://h/")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	defer func() {
		err, ok := recover().(error)
		if !ok || !strings.Contains(err.Error(), "the wire is broken") || !strings.Contains(err.Error(), "panicking.Read") {
			t.Errorf("Read panics with %v, want the panic of the connection with its stack", err)
		}
	}()
	n, err := r.Body.Read(make([]byte, 100))
	t.Errorf("Read = %d, %v, want a panic", n, err)
}

// A note is drawn until the next key. Screen does not contain it.
func TestNote(t *testing.T) {
	s, _ := open(t, tn3270.Client{}, accesstest.Send(asks+hello), accesstest.Stall())
	reads := func() string {
		t.Helper()
		text := make([]byte, 32<<10)
		n, err := s.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(text[:n])
	}
	waitFor(t, s, "Hello")
	s.Note("first", strings.Repeat("ä", 90))
	if text := reads(); !strings.Contains(text, "\x1b[23Hfirst\x1b[K\x1b[24H"+strings.Repeat("ä", 80)+"\x1b[K") {
		t.Errorf("a note is drawn %q", text)
	}
	if lines := s.Screen().Lines; lines[22] != "" || lines[23] != "" {
		t.Errorf("the screen has the note: %q", lines)
	}
	if err := s.Press(tn3270.Right); err != nil {
		t.Fatal(err)
	}
	if text := reads(); strings.Contains(text, "first") || !strings.Contains(text, "\x1b[2J") || !strings.Contains(text, "Hello") {
		t.Errorf("after a key the terminal is sent %q, want the screen", text)
	}
}

// Screen has everything that another program needs to draw it.
func TestScreenCells(t *testing.T) {
	s, _ := open(t, tn3270.Client{}, accesstest.Send(asks+
		"\xf5\xc2\x29\x04\xc0\x60\x42\xf2\x41\xf2\x45\xf1\x81\x29\x02\xc0\xe8\x41\xf4\x82\x1d\x4c\x83\x13"+end))
	waitFor(t, s, "a b")
	screen := s.Screen()
	if len(screen.Cells) != 24 || len(screen.Cells[0]) != 80 || screen.Column != 6 || screen.Hidden {
		t.Fatalf("%d rows of %d, cursor at %d, hidden %v", len(screen.Cells), len(screen.Cells[0]), screen.Column, screen.Hidden)
	}
	for column, want := range map[int]terminal.Cell{
		1: {Text: "a", Style: terminal.Style{Foreground: terminal.Palette(1), Background: terminal.Palette(12), Reverse: true}},
		3: {Text: "b", Style: terminal.Style{Foreground: terminal.Palette(7), Bold: true, Underline: true}},
		5: {Text: " ", Style: terminal.Style{Foreground: terminal.Palette(2)}}, // hidden
	} {
		if got := screen.Cells[0][column]; got != want {
			t.Errorf("column %d shows %+v, want %+v", column, got, want)
		}
	}
}

// A host may leave 3270 mode and return to it.
func TestModeChanges(t *testing.T) {
	s, _ := open(t, tn3270.Client{}, accesstest.Send(asks+hello+"\xf1half\xff\xfe\x00text\xff\xfd\x00"+hello))
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Errorf("reading to the end: %v", err)
	}
	if lines := s.Screen().Lines; lines[0] != " Hello" || !s.Picture().Connected {
		t.Errorf("the screen shows %q", lines[0])
	}
}

// Outside 3270 mode attention keys are not sent, even after Reset.
func TestResetBefore3270(t *testing.T) {
	const ask, refuse = "\xff\xfd\x63", "\xff\xfc\x63" // refuse is sent when everything before it has been handled
	for _, test := range []struct{ name, host, want string }{
		{"not yet", ask, refuse},
		{"not any more", asks + hello + "\xff\xfe\x00" + ask, answers + "\xff\xfc\x00" + refuse},
	} {
		done := make(chan struct{})
		s, server := open(
			t, tn3270.Client{}, accesstest.Send(test.host), accesstest.Expect(test.want),
			func(*accesstest.Conn) error { close(done); return nil }, accesstest.Stall(),
		)
		go func() { _, _ = io.Copy(io.Discard, s) }()
		<-done
		if err := s.Press(tn3270.Reset, tn3270.Enter, tn3270.Clear); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got := s.Picture().Lock; got != tn3270.Waiting {
			t.Errorf("%s: the keyboard says %q, want %q", test.name, got, tn3270.Waiting)
		}
		s.Close()
		server.Wait()
		if got := server.Received(0); got != test.want {
			t.Errorf("%s: the host is sent %q, want %q", test.name, got, test.want)
		}
	}
}

// The last screen before a host leaves 3270 mode is read.
func TestScreenBeforeText(t *testing.T) {
	for _, leave := range []string{"\xff\xfe\x00", "\xff\xfc\x00", "\xff\xfe\x19"} {
		if got := drawing(t, asks+hello+leave); !strings.Contains(got, "Hello") {
			t.Errorf("a screen and %q are read as %q", leave, got)
		}
	}
}
