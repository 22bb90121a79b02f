package nntpd

import (
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"locus/demo/internal/library"
)

var files = fstest.MapFS{
	"README.txt":          {Data: []byte("About\n\nthis.\n"), ModTime: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)},
	"texts/a.txt":         {Data: []byte("Text a\n\n.dot\n..\n.\n")},
	"texts/b.txt":         {Data: []byte("Text b\n")},
	"texts/picture.png":   {Data: []byte("\x89PNG")},
	"texts/empty.txt":     {},
	"two words/lost.txt":  {Data: []byte("no group has such a name\n")},
	"texts/wi th<@>b.txt": {Data: []byte("An awkward name\n")},
}

// converse sends commands and returns all that the server says.
func converse(t *testing.T, s *Server, commands string) string {
	t.Helper()
	client, server := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer server.Close()
		s.Serve(context.Background(), server)
	}()
	go io.WriteString(client, commands)
	got, err := io.ReadAll(client)
	if err != nil {
		t.Errorf("after %q: %v", commands, err)
	}
	<-done
	return strings.TrimPrefix(string(got), "200 The little library of locus, posting is allowed\r\n")
}

func newServer(t *testing.T) *Server {
	t.Helper()
	s, err := NewServer(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAnswers(t *testing.T) {
	for _, test := range []struct{ say, want string }{
		{"CAPABILITIES", "101 Capabilities\r\nVERSION 2\r\nREADER\r\nPOST\r\nOVER\r\nLIST ACTIVE NEWSGROUPS OVERVIEW.FMT\r\n.\r\n"},
		{"MODE READER", "200 Posting is allowed\r\n"},
		{"list", "215 The list\r\nlibrary 1 1 y\r\nlibrary.texts 3 1 y\r\n.\r\n"},
		{"LIST active", "215 The list\r\nlibrary 1 1 y\r\nlibrary.texts 3 1 y\r\n.\r\n"},
		{"LIST NEWSGROUPS", "215 The list\r\nlibrary\tTexts of the little library\r\nlibrary.texts\tTexts of the little library\r\n.\r\n"},
		{"LIST OVERVIEW.FMT", "215 The list\r\nSubject:\r\nFrom:\r\nDate:\r\nMessage-ID:\r\nReferences:\r\n:bytes\r\n:lines\r\n.\r\n"},
		{"LIST OTHER", "501 There is no such list\r\n"},
		{"GROUP library.texts", "211 3 1 3 library.texts\r\n"},
		{"GROUP none", "411 No such group\r\n"},
		{"GROUP", "501 GROUP needs a name\r\n"},
		{"LISTGROUP", "412 No group is selected\r\n"},
		{"LISTGROUP library.texts", "211 3 1 3 library.texts\r\n1\r\n2\r\n3\r\n.\r\n"},
		{"ARTICLE 1", "412 No group is selected\r\n"},
		{"NEXT", "412 No group is selected\r\n"},
		{"OVER 1", "412 No group is selected\r\n"},
		{"BODY <texts.a.txt@library.example>", "222 0 <texts.a.txt@library.example>\r\nText a\r\n\r\n..dot\r\n...\r\n..\r\n.\r\n"},
		{"STAT <README.txt@library.example>", "223 0 <README.txt@library.example>\r\n"},
		{"STAT <texts.wi_th___b.txt@library.example>", "223 0 <texts.wi_th___b.txt@library.example>\r\n"},
		{"STAT <none>", "430 No such article\r\n"},
		{"GROUP library\r\nHEAD", "211 1 1 1 library\r\n221 1 <README.txt@library.example>\r\nPath: library.example!not-for-mail\r\n" +
			"From: The librarian <librarian@library.example>\r\nNewsgroups: library\r\nSubject: About\r\nDate: Fri, 20 Nov 2026 12:00:00 +0000\r\n" +
			"Message-ID: <README.txt@library.example>\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n.\r\n"},
		{"GROUP library\r\nARTICLE 2", "211 1 1 1 library\r\n423 No article has this number\r\n"},
		{"GROUP library\r\nARTICLE x", "211 1 1 1 library\r\n423 No article has this number\r\n"},
		{"GROUP library.texts\r\nNEXT\r\nNEXT\r\nNEXT\r\nLAST\r\nLAST\r\nLAST", "211 3 1 3 library.texts\r\n223 2 <texts.b.txt@library.example>\r\n" +
			"223 3 <texts.wi_th___b.txt@library.example>\r\n421 There is no next article\r\n223 2 <texts.b.txt@library.example>\r\n" +
			"223 1 <texts.a.txt@library.example>\r\n422 There is no article before\r\n"},
		{"GROUP library\r\nOVER 1-", "211 1 1 1 library\r\n224 The overview\r\n" +
			"1\tAbout\tThe librarian <librarian@library.example>\tFri, 20 Nov 2026 12:00:00 +0000\t<README.txt@library.example>\t\t295\t3\r\n.\r\n"},
		{"GROUP library\r\nXOVER 2-9", "211 1 1 1 library\r\n423 No articles have these numbers\r\n"},
		{"GROUP library\r\nOVER x", "211 1 1 1 library\r\n501 A range is FIRST-LAST\r\n"},
		{"HELP", "100 Help\r\n" + strings.ReplaceAll(help, "\n", "\r\n") + ".\r\n"},
		{"", "501 Empty\r\n"},
		{"IHAVE <a@b>", "500 Unknown command\r\n"},
	} {
		if got := converse(t, newServer(t), test.say+"\r\nQUIT\r\n"); got != test.want+"205 Goodbye\r\n" {
			t.Errorf("%q is answered\n%q\nwant\n%q", test.say, got, test.want)
		}
	}
}

func TestPost(t *testing.T) {
	const ask = "340 Send it, and a period on a line of its own\r\n"
	for _, test := range []struct{ article, want string }{
		{"From: a@b\r\nSubject: x\r\nNewsgroups: library\r\nMessage-ID: <p@q>\r\n\r\n..dot\r\n", "240 Article received <p@q>\r\n"},
		{"From: a@b\r\nSubject: x\r\nNewsgroups: library, library.texts\r\n\r\nx\r\n", "240 Article received <"},
		{"Subject: x\r\nNewsgroups: library\r\n\r\nx\r\n", "441 it has no From line\r\n"},
		{"From: a@b\r\nSubject: x\r\nNewsgroups: none\r\n\r\nx\r\n", "441 there is no group \"none\"\r\n"},
		{"From: a@b\r\nSubject: x\r\nNewsgroups: library\r\nMessage-ID: <README.txt@library.example>\r\n\r\nx\r\n", "441 there is an article with this message-id\r\n"},
		{"From: a@b\r\nSubject: x\r\nNewsgroups: ,\r\n\r\nx\r\n", "441 it is in no group\r\n"},
		{"From: a@b\r\nSubject: x\r\nNewsgroups: library\r\nMessage-ID: no-id\r\n\r\nx\r\n", "441 its Message-ID is malformed\r\n"},
		{"From: a@b\r\nSubject: x\r\nNewsgroups: library\r\nMessage-ID: <a b@c>\r\n\r\nx\r\n", "441 its Message-ID is malformed\r\n"},
		{"From: a@b\r\nSubject: x\r\nNewsgroups: library\r\nMessage-ID: <a>b>\r\n\r\nx\r\n", "441 its Message-ID is malformed\r\n"},
		{"From: a@b\r\nSubject: x\r\nNewsgroups: library\r\nMessage-ID: <>\r\n\r\nx\r\n", "441 its Message-ID is malformed\r\n"},
		{"From: a@b\r\nSubject: x\r\nNewsgroups: library\r\nMessage-ID: <" + strings.Repeat("x", 249) + ">\r\n\r\nx\r\n", "441 its Message-ID is malformed\r\n"},
		{"no header\r\n", "441 it has no header\r\n"},
		{"From: a@b\r\nSubject: x\r\nNewsgroups: library\r\n\r\n" + strings.Repeat("long\r\n", 20_000), "441 an article has 65536 bytes at most\r\n"},
	} {
		got := converse(t, newServer(t), "POST\r\n"+test.article+".\r\nQUIT\r\n")
		if !strings.HasPrefix(got, ask+test.want) {
			t.Errorf("POST of %.60q is answered %q, want %q", test.article, got, ask+test.want)
		}
	}
	s := newServer(t)
	converse(t, s, "POST\r\nFrom: a@b\r\nSubject: x\r\nNewsgroups: library\r\nMessage-ID: <p@q>\r\n\r\n..dot\r\n.\r\nQUIT\r\n")
	if got := converse(t, s, "GROUP library\r\nBODY 2\r\nQUIT\r\n"); got != "211 2 1 2 library\r\n222 2 <p@q>\r\n..dot\r\n.\r\n205 Goodbye\r\n" {
		t.Errorf("what was posted is %q", got)
	}
	converse(t, s, "POST\r\nFrom: a@b\r\nSubject: x\r\nNewsgroups: library\r\n\r\nhalf\r\n"+strings.Repeat("x", 2*longestLine))
	if got := len(s.news.group("library")); got != 2 {
		t.Errorf("after an article that broke off the group has %d, want 2", got)
	}
}

// A posted article has one line in the overview of each of its groups.
func TestPostTakesOneLine(t *testing.T) {
	s := newServer(t)
	groups := strings.Repeat("library,", 500) + "\r\n library.texts"
	got := converse(t, s, "POST\r\nFrom: a\tb\r\nSubject: x\ty\r\n\tz\r\nNewsgroups: "+groups+"\r\nMessage-ID: <p@q>\r\nDate: d\r\n\r\nx\r\n.\r\n"+
		"GROUP library\r\nOVER 2-\r\nQUIT\r\n")
	if want := "211 2 1 2 library\r\n224 The overview\r\n2\tx y z\ta b\td\t<p@q>\t\t"; !strings.Contains(got, want) {
		t.Errorf("the group is %q, want %q in it", got, want)
	}
	if got := len(s.news.group("library.texts")); got != 4 {
		t.Errorf("the other group has %d articles, want 4", got)
	}
}

func TestRoomEnds(t *testing.T) {
	s := newServer(t)
	for range mostPosted {
		if _, err := s.news.post("From: a\nSubject: x\nNewsgroups: library\n\nx\n"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.news.post("From: a\nSubject: x\nNewsgroups: library\n\nx\n"); err == nil {
		t.Error("there is room for any number of articles")
	}
}

func TestLog(t *testing.T) {
	var logged []string
	s, err := NewServer(files, func(line string) { logged = append(logged, line) })
	if err != nil {
		t.Fatal(err)
	}
	converse(t, s, "GROUP x\r\nQUIT\r\n")
	if want := []string{"GROUP x", "QUIT"}; !slices.Equal(logged, want) {
		t.Errorf("log %q, want %q", logged, want)
	}
}

func TestSilentClientIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		client, server := net.Pipe()
		defer client.Close()
		go io.Copy(io.Discard, client)
		start := time.Now()
		s.Serve(t.Context(), server)
		if waited := time.Since(start); waited != time.Minute {
			t.Errorf("a silent client is left after %v, want a minute", waited)
		}
	})
}

func TestLibrary(t *testing.T) {
	s, err := NewServer(library.Files(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if names := s.news.names(); !slices.Contains(names, "library.texts") || slices.Contains(names, "library.big") {
		t.Errorf("the groups are %q, want library.texts, and none for what is too large", names)
	}
}

// The server ends after any input.
func FuzzServe(f *testing.F) {
	for _, say := range []string{"LIST\r\n", "GROUP library\r\nOVER 1-\r\n", "POST\r\nFrom: a\r\n\r\n.\r\n", "OVER -\r\n", "ARTICLE <\r\n"} {
		f.Add(say)
	}
	s, err := NewServer(files, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, say string) {
		client, server := net.Pipe()
		go io.Copy(io.Discard, client)
		go func() {
			io.WriteString(client, say)
			client.Close()
		}()
		s.Serve(t.Context(), server)
	})
}
