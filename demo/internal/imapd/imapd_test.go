package imapd

import (
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const letter = "From: Ada <ada@h>\r\nTo: Bela <bela@h>\r\nSubject: The\r\n lens\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nhello\r\n--x\r\nContent-Type: image/gif\r\n\r\nGIF\r\n--x--\r\n"

const plainLetter = "From: Bela <bela@h>\r\nTo: Ada <ada@h>\r\nSubject: Thanks\r\n\r\nthanks {x}\r\n"

func server() *Server {
	when := time.Date(1994, 11, 28, 10, 30, 15, 0, time.UTC)
	return &Server{Mailboxes: []Mailbox{{"INBOX", []Message{{letter, when, true}, {plainLetter, when, false}}}, {"Empty", nil}}}
}

// ask sends commands, and returns the responses after the greeting.
func ask(t *testing.T, s *Server, commands string) string {
	t.Helper()
	client, conn := net.Pipe()
	go func() {
		defer conn.Close()
		s.Serve(t.Context(), conn)
	}()
	defer client.Close()
	go io.WriteString(client, commands+"z LOGOUT\r\n")
	answer, err := io.ReadAll(client)
	if err != nil {
		t.Fatalf("read the responses to %q: %v", commands, err)
	}
	_, responses, _ := strings.Cut(string(answer), "\r\n")
	return responses
}

func TestResponses(t *testing.T) {
	const login, inbox = "a LOGIN ada x\r\n", "a LOGIN ada x\r\nb EXAMINE inbox\r\n"
	for _, test := range []struct{ commands, want string }{
		{"c CAPABILITY\r\n", "* CAPABILITY IMAP4rev1 AUTH=PLAIN AUTH=ANONYMOUS SASL-IR\r\nc OK "},
		{"c NOOP\r\n", "c OK "},
		{"c AUTHENTICATE PLAIN AGFkYQB4\r\n", "c OK "},
		{"c AUTHENTICATE anonymous\r\nbWU=\r\n", "+ \r\nc OK "},
		{"c AUTHENTICATE GSSAPI\r\n", "c NO "},
		{"c LOGIN {3}\r\nada {1}\r\nx\r\n", "+ go on\r\n+ go on\r\nc OK "},
		{`c LIST "" *` + "\r\n", "c NO log in first"},
		{login + `c LIST "" *` + "\r\n", "c OK LIST"},
		{login + `c LIST "" "E%"` + "\r\n", `* LIST (\HasNoChildren) "/" "Empty"` + "\r\nc OK "},
		{login + `c LSUB "" none` + "\r\n", "a OK LOGIN is done\r\nc OK "},
		{login + "c EXAMINE none\r\n", "c NO [NONEXISTENT] "},
		{login + "c FETCH 1 UID\r\n", "c NO open a mailbox first"},
		{login + "c SELECT Empty\r\nd SEARCH ALL\r\n", "* SEARCH\r\nd OK "},
		{inbox, "* 2 EXISTS\r\n"},
		{inbox, "* OK [UIDVALIDITY 785928615] "},
		{inbox + "c CLOSE\r\nd FETCH 1 UID\r\n", "d NO "},
		{inbox + "c UID FETCH 2 (RFC822.SIZE FLAGS INTERNALDATE)\r\n", `* 2 FETCH (UID 2 RFC822.SIZE 69 FLAGS () INTERNALDATE "28-Nov-1994 10:30:15 +0000")` + "\r\nc OK "},
		{inbox + "c FETCH 2 BODY[TEXT]<7.9223372036854775807>\r\n", "* 2 FETCH (BODY[TEXT]<7> {5}\r\n{x}\r\n)\r\nc OK "},
		{inbox + "c FETCH 1:* FLAGS\r\n", "* 1 FETCH (FLAGS (\\Seen))\r\n* 2 FETCH (FLAGS ())\r\nc OK "},
		{inbox + "c FETCH *:2 (UID)\r\n", "* 2 FETCH (UID 2)\r\nc OK "},
		{inbox + "c FETCH 2 BODY[]\r\n", "* 2 FETCH (BODY[] {69}\r\n" + plainLetter + ")\r\nc OK "},
		{inbox + "c FETCH 1 BODY.PEEK[HEADER.FIELDS (SUBJECT TO)]\r\n", "* 1 FETCH (BODY[HEADER.FIELDS (SUBJECT TO)] {42}\r\nTo: Bela <bela@h>\r\nSubject: The\r\n lens\r\n\r\n)\r\n"},
		{inbox + "c FETCH 1 BODY[1]\r\n", "* 1 FETCH (BODY[1] {5}\r\nhello)\r\n"},
		{inbox + "c FETCH 1 (BODY[2] BODY[2.MIME])\r\n", "* 1 FETCH (BODY[2] {3}\r\nGIF BODY[2.MIME] {27}\r\nContent-Type: image/gif\r\n\r\n)\r\n"},
		{inbox + "c FETCH 1 BODY[3]\r\n", "* 1 FETCH (BODY[3] NIL)\r\n"},
		{inbox + "c FETCH 2 BODY[1]<1.3>\r\n", "* 2 FETCH (BODY[1]<1> {3}\r\nhan)\r\n"},
		{inbox + "c FETCH 2 BODY[TEXT]<99.3>\r\n", "* 2 FETCH (BODY[TEXT]<99> {0}\r\n)\r\n"},
		{inbox + "c FETCH 2 BODY[1.1]\r\n", "* 2 FETCH (BODY[1.1] NIL)\r\n"},
		{inbox + "c FETCH 7 UID\r\n", "\r\nc OK "},
		{inbox + "c FETCH x UID\r\n", "c BAD "},
		{inbox + "c FETCH 1 ENVELOPE\r\n", "c BAD "},
		{inbox + "c FETCH 1 BODY[\r\n", "c BAD "},
		{inbox + "c UID SEARCH SUBJECT \"the lens\"\r\n", "* SEARCH 1\r\nc OK "},
		{inbox + "c SEARCH NOT FROM ada\r\n", "* SEARCH 2\r\n"},
		{inbox + "c SEARCH TO bela SEEN\r\n", "* SEARCH 1\r\n"},
		{inbox + "c SEARCH CHARSET UTF-8 BODY {4}\r\n{x}\r\r\n", "* SEARCH 2\r\n"},
		{inbox + "c SEARCH TEXT h UNSEEN\r\n", "* SEARCH 2\r\n"},
		{inbox + "c SEARCH UID 1:9 2\r\n", "* SEARCH 2\r\n"},
		{inbox + "c SEARCH ALL\r\n", "* SEARCH 1 2\r\n"},
		{inbox + "c SEARCH\r\n", "c BAD "},
		{inbox + "c SEARCH SINCE x\r\n", "c BAD "},
		{inbox + "c SEARCH NOT\r\n", "c BAD "},
		{inbox + "c SEARCH CHARSET KOI8-R ALL\r\n", "c NO [BADCHARSET "},
		{"\r\n", "* NO "},
		{"c UID NOOP\r\n", "c BAD "},
		{login + "c STORE 1 FLAGS x\r\n", "c NO "},
		{inbox + "c STORE 1 FLAGS x\r\n", "c BAD "},
	} {
		if got := ask(t, server(), test.commands); !strings.Contains(got, test.want) || !strings.HasSuffix(got, "z OK LOGOUT is done\r\n") {
			t.Errorf("the responses to %q are %q, want %q in them", test.commands, got, test.want)
		}
	}
}

// A command has a limit, also with its literals.
func TestLongCommand(t *testing.T) {
	for _, command := range []string{
		strings.Repeat("x", 1<<20), "a LOGIN {9999999}\r\n", "a LOGIN {99999999999999999999}\r\n",
		strings.Repeat("{4000}\r\n"+strings.Repeat("x", 4000), 9),
	} {
		client, conn := net.Pipe()
		var serving sync.WaitGroup
		serving.Go(func() {
			defer conn.Close()
			server().Serve(t.Context(), conn)
		})
		go func() {
			io.WriteString(client, command)
			io.WriteString(client, "\r\nz LOGOUT\r\n")
		}()
		if got, err := io.ReadAll(client); strings.Count(string(got), "OK ") > 2 || err != nil {
			t.Errorf("a command of %d bytes gives %.200q, %v", len(command), got, err)
		}
		client.Close()
		serving.Wait()
	}
}

// The log has no passwords.
func TestLog(t *testing.T) {
	var mu sync.Mutex
	var logged []string
	s := server()
	s.Log = func(line string) {
		mu.Lock()
		defer mu.Unlock()
		logged = append(logged, line)
	}
	ask(t, s, "a LOGIN ada \"x y\"\r\nb AUTHENTICATE PLAIN AGFkYQB4\r\n")
	mu.Lock()
	defer mu.Unlock()
	want := []string{`"LOGIN ada xxxxx"`, `"AUTHENTICATE PLAIN xxxxx"`, `"LOGOUT"`}
	if !slices.Equal(logged, want) {
		t.Errorf("log %q, want %q", logged, want)
	}
}

// Every command is split without losing bytes of its words.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{`LIST "" *`, `FETCH 1 (UID BODY[HEADER.FIELDS (TO)]<1.2>)`, `"a\"b`, "(()", "[", `a"b"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		total := 0
		for _, w := range split(line) {
			total += len(w.text)
			if w.text == "" && !w.isQuoted {
				t.Fatalf("split(%q) has an empty word", line)
			}
		}
		if total > len(line) {
			t.Errorf("split(%q) has %d bytes of words", line, total)
		}
	})
}
