package dictd

import (
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"locus/demo/internal/library"
	"locus/demo/internal/serve"
	"locus/internal/peers"
)

// ask sends commands and QUIT, and returns the replies after the greeting.
func ask(t *testing.T, commands string) string {
	t.Helper()
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		(&Server{Files: library.Files()}).Serve(t.Context(), server)
	}()
	defer client.Close()
	go io.WriteString(client, commands+"\r\nQUIT\r\n")
	answer, err := io.ReadAll(client)
	if err != nil {
		t.Fatalf("read the replies to %q: %v", commands, err)
	}
	_, replies, _ := strings.Cut(string(answer), "\r\n")
	return replies
}

func TestReplies(t *testing.T) {
	const bye = "221 good bye\r\n"
	for _, test := range []struct{ command, want string }{
		{"SHOW DB", "110 1 databases present\r\nlibrary \"The little library of locus\"\r\n.\r\n250 ok\r\n" + bye},
		{"SHOW INFO library", "112 information follows\r\nThe little library"},
		{"SHOW INFO other", "550 "},
		{"show strat", "111 2 strategies present\r\nexact "},
		{"SHOW x", "501 "},
		{"DEFINE * wais", "150 1 definitions retrieved\r\n151 \"wais\" library \"The little library of locus\"\r\nWAIS: ask in words, get documents\r\n\r\n"},
		{`DEFINE "library" "WAIS"`, "150 1 "},
		{"DEFINE ! nothing", "552 no match\r\n" + bye},
		{"DEFINE ! ../etc/motd", "552 "},
		{"DEFINE other wais", "550 "},
		{"DEFINE wais", "500 "},
		{"MATCH ! . goph", "152 2 matches found\r\nlibrary \"gopher\"\r\nlibrary \"gopherplus\"\r\n.\r\n250 ok\r\n" + bye},
		{"MATCH ! exact gopher", "152 1 matches found\r\n"},
		{"MATCH ! exact goph", "552 "},
		{"MATCH ! soundex goph", "551 "},
		{"MATCH other . goph", "550 "},
		{"CLIENT a test", "250 ok\r\n" + bye},
		{"STATUS", "210 "},
		{"HELP", "113 help follows\r\nDEFINE "},
		{"", "500 "},
		{"x", "500 "},
	} {
		if got := ask(t, test.command); !strings.HasPrefix(got, test.want) || !strings.HasSuffix(got, bye) {
			t.Errorf("the replies to %q are %q, want %q first", test.command, got, test.want)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, test := range []struct {
		line string
		want []string
	}{
		{`a "b c" d`, []string{"a", "b c", "d"}},
		{`a 'b "c' "" \d`, []string{"a", `b "c`, "", "d"}},
		{`"a\"b`, []string{`a"b`}},
		{"  ", nil},
	} {
		if got := arguments(test.line); !slices.Equal(got, test.want) {
			t.Errorf("arguments(%q) = %q, want %q", test.line, got, test.want)
		}
	}
}

// A line that begins with a period gets another one, so that it does not end the text.
func TestPeriods(t *testing.T) {
	files := fstest.MapFS{"texts/dot.txt": {Data: []byte("On dots\n\n.\n..\nand . more\n\nThe end.\n")}}
	addr := start(t, &Server{Files: files})
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "DEFINE ! DOT\nQUIT\n"); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(c)
	const want = "151 \"dot\" library \"The little library of locus\"\r\nOn dots\r\n\r\n..\r\n...\r\nand . more\r\n.\r\n250 ok\r\n221 good bye\r\n"
	if err != nil || !strings.HasSuffix(string(got), want) {
		t.Errorf("a text with periods is sent as %q, %v, want %q at the end", got, err, want)
	}
}

// The server works with curl.
func TestCurl(t *testing.T) {
	addr := start(t, &Server{Files: library.Files()})
	for _, test := range []struct{ path, want string }{
		{"/d:gopher", "151 \"gopher\" library"},
		{"/m:goph", "library \"gopherplus\"\r\n"},
		{"/m:goph:library:exact", "552 no match"},
		{"/d:gopher:other", "550 the only database is library"},
		{"/show:db", "110 1 databases present\r\nlibrary "},
	} {
		if text, err := peers.Curl(t, nil, "dict://"+addr+test.path); err != nil || !strings.Contains(text, test.want) {
			t.Errorf("curl prints %q at %s, %v, want %q in it", text, test.path, err, test.want)
		}
	}
}

// A server closes the connection of a client whose command is too long. It does not keep the command.
func TestLongCommand(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	logged := ""
	go func() {
		defer server.Close()
		(&Server{Files: library.Files(), Log: func(line string) { logged += line }}).Serve(t.Context(), server)
	}()
	go io.WriteString(client, "DEFINE ! "+strings.Repeat("a", maxLine)+"\r\nSTATUS\r\n")
	if answer, err := io.ReadAll(client); err != nil || strings.Count(string(answer), "\n") != 1 || logged != "" {
		t.Errorf("a command of %d bytes is answered with %q, %v, and logged as %.50q, want only the greeting", maxLine+9, answer, err, logged)
	}
}

// start starts s on a free port, and returns its address. The server ends with the test.
func start(t *testing.T, s *Server) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve.Run(ctx, l, serve.Connections, s.Serve) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return l.Addr().String()
}
