package dictd

import (
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"locus/demo/internal/library"
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
