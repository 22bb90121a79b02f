package gopherd

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"locus/demo/internal/library"
	"locus/demo/internal/serve"
)

func files() fstest.MapFS {
	mod := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	return fstest.MapFS{
		".":              {Mode: 0o555 | 1<<31, ModTime: mod},
		"README.txt":     {Data: []byte("Read me\n\nFirst.\nSecond.\n\nMore.\n"), ModTime: mod},
		"README.de.txt":  {Data: []byte("Lies mich: ä\n"), ModTime: mod},
		"sub":            {Mode: 0o555 | 1<<31, ModTime: mod},
		"sub/a b;c#.txt": {Data: []byte("Awkward gopher\n"), ModTime: mod},
		"sub/dots.txt":   {Data: []byte("Dots\n.\n.x\n"), ModTime: mod},
		"sub/empty.txt":  {ModTime: mod},
		"sub/page.html":  {Data: []byte("<p>gopher"), ModTime: mod},
		"sub/pic.gif":    {Data: []byte("GIF89a\r\n.\n\x00"), ModTime: mod},
		"sub/pic.png":    {Data: make([]byte, 1600), ModTime: mod},
		"sub/x.bin":      {Data: []byte{0, 1, 2}, ModTime: mod},
	}
}

// start returns a function that sends a request and gives the whole answer, with the
// server's port written PORT.
func start(t *testing.T, log func(string)) func(request string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	index, err := library.NewIndex(files())
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Files: files(), Index: index, Links: []serve.Link{{Title: "The web", Scheme: "http", Port: 81}}, Log: log}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- serve.Run(ctx, l, 4, s.Serve) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	return func(request string) string {
		t.Helper()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(request, "+-2") {
			c.(*net.TCPConn).CloseWrite()
		}
		b, err := io.ReadAll(c)
		if err != nil {
			t.Fatalf("%q: %v", request, err)
		}
		return strings.ReplaceAll(string(b), "\t"+port, "\tPORT")
	}
}

const (
	readmeLine = "0Read me\t/README.txt\t127.0.0.1\tPORT\t+\r\n"
	subLine    = "1sub\t/sub\t127.0.0.1\tPORT\t+\r\n"
	awkward    = "0Awkward gopher\t/sub/a b;c#.txt\t127.0.0.1\tPORT\t+\r\n"
	pageLine   = "hpage.html\t/sub/page.html\t127.0.0.1\tPORT\t+\r\n"
	searchLine = "7Search the texts\t/search\t127.0.0.1\tPORT\t+\r\n"
	formLine   = "0The guest book (a form)\t/guestbook\t127.0.0.1\tPORT\t?\r\n"
	webLine    = "hThe web\tURL:http://127.0.0.1:81/\t127.0.0.1\tPORT\r\n"
	admin      = "+ADMIN:\r\n Admin: The keeper of the demo <demo@localhost>\r\n Mod-Date: Fri Nov 20 12:00:00 2026 <20261120120000>\r\n"
	rootMenu   = "iThe little library of locus\t\terror.host\t1\r\niFirst.\t\terror.host\t1\r\niSecond.\t\terror.host\t1\r\n" +
		readmeLine + subLine + searchLine + formLine + webLine + ".\r\n"
	subMenu = "isub\t\terror.host\t1\r\n" + awkward + "0Dots\t/sub/dots.txt\t127.0.0.1\tPORT\t+\r\n" +
		"0empty.txt\t/sub/empty.txt\t127.0.0.1\tPORT\t+\r\n" + pageLine + "gpic.gif\t/sub/pic.gif\t127.0.0.1\tPORT\t+\r\n" +
		"Ipic.png\t/sub/pic.png\t127.0.0.1\tPORT\t+\r\n9x.bin\t/sub/x.bin\t127.0.0.1\tPORT\t+\r\n.\r\n"
	readmeInfo = "+INFO: " + readmeLine + admin + "+VIEWS:\r\n text/plain En_US: <.0k>\r\n text/plain De_DE: <.0k>\r\n+ABSTRACT:\r\n First.\r\n Second.\r\n"
	ask        = "+ASK:\r\n Note: This book forgets: nothing you write is kept.\r\n Ask: Your name?\tAnonymous\r\n AskP: A secret?\r\n" +
		" AskL: Your words?\r\n Select: Do you run a server?\t1\r\n Choose: Your protocol?\tgopher\tftp\twais\thttp\r\n" +
		" AskF: A name to save this under?\tguestbook.txt\r\n ChooseF: A file to send?\r\n"
	elsewhere = "<!DOCTYPE html>\n<html lang=\"en\">\n<title>Elsewhere</title>\n<p>Go to <a href=\"http://127.0.0.1:81/\">http://127.0.0.1:81/</a>.</p>\n</html>\n"
	head      = "--1\r\n1 The keeper of the demo <demo@localhost>\r\n"
)

func TestAnswers(t *testing.T) {
	ask0 := start(t, nil)
	for _, test := range []struct{ request, want string }{
		// RFC 1436
		{"\r\n", rootMenu},
		{"/\r\n", rootMenu},
		{"\n", rootMenu},
		{"/sub\r\n", subMenu},
		{"/sub/\r\n", subMenu},
		{"/README.txt\r\n", "Read me\r\n\r\nFirst.\r\nSecond.\r\n\r\nMore.\r\n.\r\n"},
		{"/README.txt\t\r\n", "Read me\r\n\r\nFirst.\r\nSecond.\r\n\r\nMore.\r\n.\r\n"},
		{"/sub/a b;c#.txt\r\n", "Awkward gopher\r\n.\r\n"},
		{"/sub/dots.txt\r\n", "Dots\r\n..\r\n..x\r\n.\r\n"},
		{"/sub/empty.txt\r\n", ".\r\n"},
		{"/sub/pic.gif\r\n", "GIF89a\r\n.\n\x00"},
		{"/sub/page.html\r\n", "<p>gopher"},
		{"/search\tgopher\r\n", awkward + pageLine + ".\r\n"},
		{"/search\tgopher AWKWARD\r\n", awkward + ".\r\n"},
		{"/search\tnothing\r\n", "iNothing here has all of these words.\t\terror.host\t1\r\n.\r\n"},
		{"/search\r\n", "3give one word or more\t\terror.host\t1\r\n.\r\n"},
		{"/guestbook\r\n", "3this is a form: it takes a Gopher+ client to fill it in\t\terror.host\t1\r\n.\r\n"},
		{"/none\r\n", "3\"/none\" does not exist\t\terror.host\t1\r\n.\r\n"},
		{"README.txt\r\n", "3\"README.txt\" does not exist\t\terror.host\t1\r\n.\r\n"},
		{"/README.txt/\r\n", "3\"/README.txt/\" does not exist\t\terror.host\t1\r\n.\r\n"},
		{"/../etc/passwd\r\n", "3\"/../etc/passwd\" does not exist\t\terror.host\t1\r\n.\r\n"},
		{"/\xff\x1b\r\n", "3\"/\\xff\\x1b\" does not exist\t\terror.host\t1\r\n.\r\n"},
		{"/README.txt\twords\r\n", "3malformed command\t\terror.host\t1\r\n.\r\n"},
		{"URL:http://127.0.0.1:81/\r\n", elsewhere},
		{"URL:http://example.org/\r\n", "3\"URL:http://example.org/\" does not exist\t\terror.host\t1\r\n.\r\n"},

		// Gopher+
		{"\t+\r\n", "+-1\r\n" + rootMenu},
		{"/sub\t+application/gopher-menu\r\n", "+-1\r\n" + subMenu},
		{"/README.txt\t+\r\n", "+-1\r\nRead me\r\n\r\nFirst.\r\nSecond.\r\n\r\nMore.\r\n.\r\n"},
		{"/README.txt\t+text/plain De_DE\r\n", "+-1\r\nLies mich: ä\r\n.\r\n"},
		{"/README.txt\t+TEXT/plain de_de\r\n", "+-1\r\nLies mich: ä\r\n.\r\n"},
		{"/README.txt\t+text/plain It_IT\r\n", head + "there is no view \"text/plain It_IT\"\r\n.\r\n"},
		{"/sub/empty.txt\t+\r\n", "+-1\r\n.\r\n"},
		{"/sub/pic.gif\t+\r\n", "+11\r\nGIF89a\r\n.\n\x00"},
		{"/sub/pic.gif\t+image/gif\r\n", "+11\r\nGIF89a\r\n.\n\x00"},
		{"/sub/x.bin\t\t+\r\n", "+3\r\n\x00\x01\x02"},
		{"/none\t+\r\n", head + "\"/none\" does not exist\r\n.\r\n"},
		{"/README.txt\t!\r\n", "+-1\r\n" + readmeInfo + ".\r\n"},
		{"/README.txt\t\t!\r\n", "+-1\r\n" + readmeInfo + ".\r\n"},
		{"/README.txt\t!+ADMIN\r\n", "+-1\r\n+INFO: " + readmeLine + admin + ".\r\n"},
		{"/README.txt\t!+VIEWS +ABSTRACT\r\n", "+-1\r\n" + strings.Replace(readmeInfo, admin, "", 1) + ".\r\n"},
		{"/README.txt\t!+SMELL\r\n", "+-1\r\n+INFO: " + readmeLine + ".\r\n"},
		{"/sub/pic.png\t!+VIEWS\r\n", "+-1\r\n+INFO: Ipic.png\t/sub/pic.png\t127.0.0.1\tPORT\t+\r\n+VIEWS:\r\n image/png: <2k>\r\n.\r\n"},
		{"/sub\t!+VIEWS\r\n", "+-1\r\n+INFO: " + subLine + "+VIEWS:\r\n application/gopher-menu:\r\n application/gopher+-menu:\r\n.\r\n"},
		{"\t$+SMELL\r\n", "+-1\r\n+INFO: " + readmeLine + "+INFO: " + subLine + "+INFO: " + searchLine + "+INFO: " + formLine + "+INFO: " + webLine + ".\r\n"},
		{"/README.txt\t$\r\n", head + "this is no directory\r\n.\r\n"},
		{"/search\tawkward\t+\r\n", "+-1\r\n" + awkward + ".\r\n"},
		{"/search\tawkward\t$+SMELL\r\n", "+-1\r\n+INFO: " + awkward + ".\r\n"},
		{"/search\t\t!+ABSTRACT\r\n", "+-1\r\n+INFO: " + searchLine + "+ABSTRACT:\r\n Texts that have every one of your words.\r\n.\r\n"},
		{"/search\t+\r\n", head + "give one word or more\r\n.\r\n"},
		{"/search\t\t$\r\n", head + "this is no directory\r\n.\r\n"},
		{"/guestbook\t!+ASK\r\n", "+-1\r\n+INFO: " + formLine + ask + ".\r\n"},
		{"/guestbook\t+\r\n", head + "this is a form: answer its +ASK first\r\n.\r\n"},
		{"URL:http://127.0.0.1:81/\t+\r\n", "+136\r\n" + elsewhere},
	} {
		got := ask0(test.request)
		if got != test.want {
			t.Errorf("%q is answered\n%q\nwant\n%q", test.request, got, test.want)
		}
	}
}

// A menu with attributes is the same as the attributes of a menu.
func TestDirectoryAttributes(t *testing.T) {
	ask0 := start(t, nil)
	all := ask0("/sub\t$\r\n")
	if got := ask0("/sub\t+application/gopher+-menu\r\n"); got != all {
		t.Errorf("the view gives\n%q\nand $ gives\n%q", got, all)
	}
	if got, want := strings.Count(all, "+INFO: "), 7; got != want {
		t.Errorf("$ has %d items, want %d", got, want)
	}
	if got := ask0("\t$\r\n"); !strings.Contains(got, ask) || !strings.Contains(got, readmeInfo) {
		t.Errorf("the root's attributes lack the form or the text:\n%q", got)
	}
}

func TestForm(t *testing.T) {
	ask0 := start(t, nil)
	answers := "Ada\r\nsecret\r\n2\r\nline 1\r\n.line 2\r\n0\r\nwais\r\nx.txt\r\nfile\r\n.end"
	thanks := "+-1\r\nThank you. This is what you wrote:\r\n\r\nYour name? Ada\r\nA secret? 6 bytes\r\n" +
		"Your words?\r\n  line 1\r\n  .line 2\r\nDo you run a server? no\r\nYour protocol? wais\r\n" +
		"A name to save this under? x.txt\r\nA file to send? %d bytes: %q\r\n.\r\n"
	exact := fmt.Sprintf(thanks, 10, "file\r\n.end")
	for _, test := range []struct{ request, want string }{
		{fmt.Sprintf("+\t1\r\n+%d\r\n%s", len(answers), answers), exact},
		{fmt.Sprintf("+\t1\r\n+%d\r\n%s\r\nwhat follows is not read", len(answers), answers), exact},
		{"+text/plain En_US\t1\r\n+-2\r\n" + answers, exact},
		{"\t+\t1\r\n+-1\r\n" + answers + "\r\n.\r\n", fmt.Sprintf(thanks, 12, "file\r\n.end\r\n")},
		{"+\t0\r\n", head + "this is a form: answer its +ASK first\r\n.\r\n"},
		{"+\t1\r\n+0\r\n", head + "there is no answer to \"Your name?\"\r\n.\r\n"},
		{"+\t1\r\n+-1\r\nAda\r\nx\r\nmany\r\n.\r\n", head + "the answer to \"Your words?\" does not begin with the number of its lines\r\n.\r\n"},
		{"+\t1\r\n+-1\r\nAda\r\nx\r\n65535\r\n.\r\n", head + "the answer to \"Your words?\" has fewer lines than it says\r\n.\r\n"},
		{"+\t1\r\n+-1\r\nAda\r\nx\r\n0\r\nmaybe\r\n.\r\n", head + "the answer to \"Do you run a server?\" is neither 0 nor 1\r\n.\r\n"},
		{"+\t1\r\nAda\r\n", head + "the answers do not begin with +length, +-1 or +-2\r\n.\r\n"},
		{"+\t1\r\n++3\r\nabc", head + "the answers do not begin with +length, +-1 or +-2\r\n.\r\n"},
		{"+\t1\r\n+65537\r\n", head + "the answers are longer than 64 KiB\r\n.\r\n"},
		{"+\t1\r\n+-1\r\n" + strings.Repeat("0123456789\r\n", 6000), head + "the answers are longer than 64 KiB\r\n.\r\n"},
		{"+\t1\r\n+-2\r\n" + strings.Repeat("x", largestBlock+1), head + "the answers are longer than 64 KiB\r\n.\r\n"},
		{"+\t1\r\n+-1\r\n" + strings.Repeat("x", longestLine+1), head + "the answers have no last line: line too long\r\n.\r\n"},
	} {
		if got := ask0("/guestbook\t" + test.request); got != test.want {
			t.Errorf("%.80q is answered\n%q\nwant\n%q", test.request, got, test.want)
		}
	}
	// A block that comes with an item which is no form is read and passed over.
	if got := ask0("/sub/x.bin\t+\t1\r\n+-1\r\nAda\r\n.\r\n"); got != "+3\r\n\x00\x01\x02" {
		t.Errorf("a file asked for with answers is %q", got)
	}
}

func TestLogHasTheRequestLine(t *testing.T) {
	var logged []string
	ask0 := start(t, func(line string) { logged = append(logged, line) })
	ask0("/guestbook\t+\t1\r\n+-1\r\nAda\r\nsecret\r\n.\r\n")
	if got, want := strings.Join(logged, "\n"), "/guestbook\t+\t1"; got != want {
		t.Errorf("log %q, want %q", got, want)
	}
}

func TestAnEndlessLineIsNotAnswered(t *testing.T) {
	ask0 := start(t, nil)
	if got := ask0(strings.Repeat("x", longestLine)); got != "" {
		t.Errorf("an endless line is answered %q", got)
	}
}

func TestASilentClientIsLeft(t *testing.T) {
	for _, said := range []string{"", "/README", "/guestbook\t+\t1\r\n", "/guestbook\t+\t1\r\n+10\r\nabc", "/README.txt\r\n"} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			defer ours.Close()
			began := time.Now()
			go io.WriteString(ours, said)
			(&Server{Files: files()}).Serve(t.Context(), theirs)
			theirs.Close()
			if waited := time.Since(began); waited < time.Minute || waited > 2*time.Minute {
				t.Errorf("after %q it was left after %v, want one minute to two", said, waited)
			}
		})
	}
}
