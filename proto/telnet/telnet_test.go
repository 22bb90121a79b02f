package telnet_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/vectors"
	"locus/proto"
	"locus/proto/telnet"
	"locus/terminal"
	"locus/url"
)

var home = url.MustParse("telnet://ada:sesame@h/")

// refused has URLs with control characters, and with parts that a telnet URL
// cannot have.
var refused = []string{
	"telnet://u%0Dx@h/", "telnet://u%0A@h/", "telnet://u%00@h/", "telnet://u:p%0D%0Ax@h/", "telnet://u:%00@h/",
	"telnet://h%0D/", "telnet://h/x", "telnet://h:0/", "telnet:h",
}

func open(t *testing.T, c telnet.Client, script ...accesstest.Step) (*access.Resource, terminal.Session, *accesstest.Server) {
	t.Helper()
	server := accesstest.Serve(t, accesstest.Script(script))
	c.Dial = server.Dial
	r, err := c.Do(t.Context(), &access.Request{URL: home})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Body.Close() })
	return r, r.Session, server
}

// req: 1738-6-2
func TestSuite(t *testing.T) {
	answer := func(c *accesstest.Conn) error {
		return accesstest.Send("\xff\xfb\x01Hello\r\x00, \xff\xffworld\r\n\xff\xf9")(c)
	}
	hostile := make([]url.URL, len(refused))
	for i, text := range refused {
		hostile[i] = url.MustParse(text)
	}
	accesstest.Test(t, accesstest.Config{
		New:      func(dial proto.Dial) access.Engine { return telnet.Client{Dial: dial} },
		Dial:     accesstest.ServeAll(t, accesstest.Script{answer}).Dial,
		Object:   url.MustParse("telnet://h/"),
		Content:  "Hello\r, \xffworld\r\n",
		Hostile:  hostile,
		NoOffset: true,
	})
}

func TestSuiteEarlyEnd(t *testing.T) {
	half := accesstest.Script{accesstest.Send("Hello \xff\xfa\x18")}
	accesstest.Test(t, accesstest.Config{
		New:       func(dial proto.Dial) access.Engine { return telnet.Client{Dial: dial} },
		Dial:      accesstest.ServeAll(t, half).Dial,
		Truncated: url.MustParse("telnet://h/"),
		Secret:    home,
	})
	silent := accesstest.Script{accesstest.Send("login: "), accesstest.Stall()}
	accesstest.Test(t, accesstest.Config{
		New:     func(dial proto.Dial) access.Engine { return telnet.Client{Dial: dial} },
		Dial:    accesstest.ServeAll(t, silent).Dial,
		Stalled: url.MustParse("telnet://h/"),
	})
}

// The client dials port 23. User and password go to the caller, not to the
// server.
//
// req: 1738-3.8-1, 1738-3.8-2
func TestLoginIsAdvice(t *testing.T) {
	r, _, server := open(t, telnet.Client{}, accesstest.Send("login: "), accesstest.Send("\xff\xfd\x27\xff\xfa\x27\x01\xff\xf0"), accesstest.Expect("\xff\xfc\x27"))
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		t.Fatal(err)
	}
	want := access.LoginAdvice{User: url.Some("ada"), Password: url.Some("sesame")}
	if r.Login != want || r.Size != -1 || r.URL != home {
		t.Errorf("Resource = %+v, want Sys %v", r, want)
	}
	server.Wait()
	if got := server.Received(0); got != "\xff\xfc\x27" {
		t.Errorf("the server was sent %q, want only WONT NEW-ENVIRON", got)
	}
	if got := server.Dialed(); !slices.Equal(got, []string{"h:23"}) {
		t.Errorf("dialled %q, want h:23", got)
	}
}

// The options that are accepted, and the answers.
func TestOptions(t *testing.T) {
	for _, test := range []struct {
		name     string
		client   telnet.Client
		received string
		sent     string
	}{
		{"nothing", telnet.Client{}, "text", ""},
		{"terminal", telnet.Client{Terminal: "xterm"}, "\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0", "\xff\xfb\x18\xff\xfb\x1f\xff\xfa\x18\x00xterm\xff\xf0"},
		{"terminal twice", telnet.Client{}, "\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0\xff\xfa\x18\x01\xff\xf0", "\xff\xfb\x18\xff\xfb\x1f\xff\xfa\x18\x00VT100\xff\xf0\xff\xfa\x18\x00VT100\xff\xf0"},
		{"bad terminal", telnet.Client{Terminal: "x\xff\xf0"}, "\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0", "\xff\xfb\x18\xff\xfb\x1f\xff\xfa\x18\x00VT100\xff\xf0"},
		{"long terminal", telnet.Client{Terminal: strings.Repeat("x", 41)}, "\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0", "\xff\xfb\x18\xff\xfb\x1f\xff\xfa\x18\x00VT100\xff\xf0"},
		{"their terminal", telnet.Client{}, "\xff\xfb\x18", "\xff\xfe\x18"},
		{"IS, not SEND", telnet.Client{}, "\xff\xfd\x18\xff\xfa\x18\x00x\xff\xf0\xff\xfa\x18\xff\xf0", "\xff\xfb\x18\xff\xfb\x1f"},
		{"parameters of an inactive option", telnet.Client{}, "\xff\xfa\x18\x01\xff\xf0", ""},
		{"size", telnet.Client{}, "\xff\xfd\x1f", "\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0"},
		{"echo", telnet.Client{}, "\xff\xfb\x01\xff\xfd\x01", "\xff\xfd\x01\xff\xfb\x1f\xff\xfc\x01"},
		{"binary, go ahead", telnet.Client{}, "\xff\xfb\x00\xff\xfd\x00\xff\xfb\x03\xff\xfd\x03", "\xff\xfd\x00\xff\xfb\x1f\xff\xfb\x00\xff\xfd\x03\xff\xfb\x03"},
		{"timing mark", telnet.Client{}, "\xff\xfd\x06", "\xff\xfb\x06"},
		{"line mode, encryption, speed", telnet.Client{}, "\xff\xfd\x22\xff\xfb\x26\xff\xfd\x26\xff\xfd\x20", "\xff\xfc\x22\xff\xfe\x26\xff\xfc\x26\xff\xfc\x20"},
		{"environ, all", telnet.Client{SendUser: true}, "\xff\xfd\x27\xff\xfa\x27\x01\xff\xf0", "\xff\xfb\x27\xff\xfb\x1f\xff\xfa\x27\x00\x00USER\x01ada\xff\xf0"},
		{"environ, all that are known", telnet.Client{SendUser: true}, "\xff\xfd\x27\xff\xfa\x27\x01\x03X\x00\xff\xf0", "\xff\xfb\x27\xff\xfb\x1f\xff\xfa\x27\x00\x00USER\x01ada\xff\xf0"},
		{"environ, user", telnet.Client{SendUser: true}, "\xff\xfd\x27\xff\xfa\x27\x01\x00DISPLAY\x00USER\xff\xf0", "\xff\xfb\x27\xff\xfb\x1f\xff\xfa\x27\x00\x00USER\x01ada\xff\xf0"},
		{"environ, another", telnet.Client{SendUser: true}, "\xff\xfd\x27\xff\xfa\x27\x01\x00DISPLAY\x03USER\xff\xf0", "\xff\xfb\x27\xff\xfb\x1f\xff\xfa\x27\x00\xff\xf0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, _, server := open(t, test.client, accesstest.SendBytes(test.received), accesstest.Expect(test.sent), accesstest.Send("."))
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
			server.Wait()
			if got := server.Received(0); got != test.sent {
				t.Errorf("%q is answered with %q, want %q", test.received, got, test.sent)
			}
		})
	}
}

// A line end is CR LF in NVT mode in both directions. BINARY changes nothing.
func TestLineEnds(t *testing.T) {
	r, s, _ := open(t, telnet.Client{},
		accesstest.Send("a\r\nb\r\x00c\x00\r"), accesstest.Send("\x00d"),
		accesstest.Expect("1\r\n2\n3\xff\xff"),
		accesstest.Send("\xff\xfb\x00\xff\xfd\x00\r\x00."),
		accesstest.Expect("\xff\xfd\x00\xff\xfb\x1f\xff\xfb\x00"),
		accesstest.Expect("1\r2\xff\xff"),
	)
	wantRead(t, r, "a\r\nb\rc\x00\rd")
	typeText(t, s, "1\r2\n3\xff")
	wantRead(t, r, "\r\x00.")
	typeText(t, s, "1\r2\xff")
	wantRead(t, r, "")
}

// wantRead reads want, or the end of the Body if want is "".
func wantRead(t *testing.T, r *access.Resource, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(r.Body, got); err != nil || string(got) != want {
		t.Fatalf("Read = %q, %v, want %q", got[:n], err, want)
	}
	if want != "" {
		return
	}
	if n, err := r.Body.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("Read at the end = %d, %v, want io.EOF", n, err)
	}
}

// typeText types text into the session.
func typeText(t *testing.T, s terminal.Session, text string) {
	t.Helper()
	if n, err := io.WriteString(s, text); n != len(text) || err != nil {
		t.Fatalf("Write(%q) = %d, %v", text, n, err)
	}
}

// The size is sent when the server asks for it, and after every change. 255 is
// escaped.
func TestResize(t *testing.T) {
	r, s, server := open(t, telnet.Client{},
		accesstest.Send("\xff\xfd\x1fx"),
		accesstest.Expect("\xff\xfb\x1f\xff\xfa\x1f\x00\x64\x00\x28\xff\xf0"),
		accesstest.Expect("\xff\xfa\x1f\x00\xff\xff\x00\x32\xff\xf0"),
		accesstest.Expect("\xff\xfa\x1f\xff\xff\xff\xff\x00\x00\xff\xf0"),
	)
	resize := func(columns, rows int) {
		t.Helper()
		if err := s.Resize(columns, rows); err != nil {
			t.Errorf("Resize(%d, %d) = %v", columns, rows, err)
		}
	}
	resize(100, 40)
	wantRead(t, r, "x")
	resize(255, 50)
	resize(1<<20, -1)
	server.Wait()
}

func TestScreen(t *testing.T) {
	r, s, _ := open(t, telnet.Client{},
		accesstest.Send("\x1b[2J\x1b[3;5Hname: "), accesstest.Expect("ada\r\n"),
		accesstest.Send("\xff\xfb\x01\x1b[5;1Hpassword: "), accesstest.Expect("\xff\xfd\x01\xff\xfb\x1fsesame\r\n"),
	)
	if s.Echoes() {
		t.Error("Echoes is true before ECHO is active")
	}
	wantRead(t, r, "\x1b[2J\x1b[3;5Hname: ")
	typeText(t, s, "ada\r") // echoed locally
	if got, want := s.Screen(), "    name: ada"; got.Lines[2] != want || got.Row != 3 || got.Column != 0 || len(got.Lines) != 24 {
		t.Errorf("Screen = %+v, want %q and the cursor on the next line", got, want)
	}
	wantRead(t, r, "\x1b[5;1Hpassword: ")
	if !s.Echoes() {
		t.Error("Echoes is false although ECHO is active")
	}
	typeText(t, s, "sesame\r")
	if got, want := s.Screen(), "password:"; got.Lines[4] != want || got.Row != 4 || got.Column != 10 {
		t.Errorf("Screen = %+v, want %q", got, want)
	}
}

func TestRefused(t *testing.T) {
	for _, text := range refused {
		_, err := telnet.Client{Dial: accesstest.Serve(t).Dial}.Do(t.Context(), &access.Request{URL: url.MustParse(text)})
		if _, ok := errors.AsType[*access.Error](err); !ok {
			t.Errorf("Open(%q) = %v, want an *access.Error", text, err)
		}
	}
	_, err := telnet.Client{}.Do(t.Context(), &access.Request{URL: home, Offset: 1})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Open at an offset = %v, want errors.ErrUnsupported", err)
	}
}

// After the end, Write fails.
func TestClosed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := telnet.Client{Dial: accesstest.ServeAll(t, accesstest.Script{accesstest.Stall()}).Dial}
	for _, test := range []struct {
		name string
		end  func(io.Closer)
	}{{"Close", func(b io.Closer) { b.Close() }}, {"the end of the context", func(io.Closer) { cancel() }}} {
		r, err := c.Do(ctx, &access.Request{URL: home})
		if err != nil {
			t.Fatalf("before %s: %v", test.name, err)
		}
		test.end(r.Body)
		if _, err := r.Session.Write([]byte("x")); err == nil {
			t.Errorf("Write after %s gives no error", test.name)
		}
		r.Body.Close()
	}
}

// Captures of recorded servers are shown and answered.
func TestCaptures(t *testing.T) {
	dir := vectors.Path(t, "../protocols/other/captures")
	files, _ := filepath.Glob(filepath.Join(dir, "telnet-*.jsonl")) // the pattern is valid
	if len(files) == 0 {
		t.Fatalf("%s has no captures of telnet", dir)
	}
	for _, file := range files {
		recorded, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%q: %v", file, err)
		}
		// The recorded client answered differently, so only the server's data is
		// used.
		var steps []accesstest.Step
		for line := range strings.Lines(string(recorded)) {
			if strings.Contains(line, `"s2c"`) {
				steps = append(steps, accesstest.Transcript(t, []byte(line))[0]...)
			}
		}
		const want = "\xff\xfe\x25\xff\xfe\x26\xff\xfb\x18\xff\xfb\x1f\xff\xfc\x20\xff\xfc\x23\xff\xfc\x27\xff\xfc\x24" +
			"\xff\xfa\x18\x00VT100\xff\xf0" +
			"\xff\xfd\x03\xff\xfc\x01\xff\xfc\x22\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0\xff\xfe\x05\xff\xfc\x21" +
			"\xff\xfd\x01\xff\xfb\x06\xff\xfb\x00"
		r, s, server := open(t, telnet.Client{}, append(steps, accesstest.Expect(want))...)
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		r.Body.Close()
		server.Wait()
		if got := server.Received(0); got != want {
			t.Errorf("%s: the server was sent %q, want %q", file, got, want)
		}
		got := s.Screen().Lines
		if i := slices.Index(got, "welcome guest/pw"); i < 0 || !slices.Contains(got, "you said: hell") {
			t.Errorf("%s: the screen is %q", file, got)
		}
	}
}

func FuzzServer(f *testing.F) {
	engine := func(dial proto.Dial) access.Engine {
		return telnet.Client{Dial: dial, SendUser: true}
	}
	accesstest.Fuzz(f, engine, home,
		[2]string{"\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0"},
		[2]string{"\xff\xfb\x01\xff\xfb\x03login: "},
		[2]string{"\xff\xfd\x27\xff\xfa\x27\x01\x00USER\x03X\xff\xf0"},
		[2]string{"\x1b[2J\x1b[1;1H\xff\xff\r\x00"},
	)
}

// Screen has everything that another program needs to draw it: colours, and the modes of the
// cursor keys.
func TestScreenCells(t *testing.T) {
	r, s, _ := open(t, telnet.Client{}, accesstest.Send("\x1b[?1049h\x1b[?1h\x1b[?25l\x1b[2;3H\x1b[1;31;44mr\x1b[0;4;7mu"))
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		t.Fatal(err)
	}
	screen := s.Screen()
	if !screen.Alternate || !screen.AppKeys || !screen.Hidden || screen.Row != 1 || screen.Column != 4 {
		t.Errorf("Screen() = %+v", screen)
	}
	for column, want := range map[int]terminal.Cell{
		1: {Text: " "},
		2: {Text: "r", Style: terminal.Style{Foreground: terminal.Palette(1), Background: terminal.Palette(4), Bold: true}},
		3: {Text: "u", Style: terminal.Style{Underline: true, Reverse: true}},
	} {
		if got := screen.Cells[1][column]; got != want {
			t.Errorf("column %d shows %+v, want %+v", column, got, want)
		}
	}
}
