package fingerd

import (
	"io"
	"net"
	"strings"
	"testing"

	"locus/demo/internal/library"
)

func ask(t *testing.T, query string) string {
	t.Helper()
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		(&Server{Files: library.Files()}).Serve(t.Context(), server)
	}()
	defer client.Close()
	if _, err := io.WriteString(client, query+"\r\n"); err != nil {
		t.Fatalf("send %q: %v", query, err)
	}
	answer, err := io.ReadAll(client)
	if err != nil {
		t.Fatalf("read the answer to %q: %v", query, err)
	}
	return string(answer)
}

func TestAnswers(t *testing.T) {
	for _, test := range []struct{ query, want, not string }{
		{"", "\r\nwais          WAIS: ask in words, get documents\r\n", "finger:"},
		{"wais", "Login: wais           Name: WAIS: ask in words, get documents\r\n", "Plan:"},
		{"/W wais", "Plan:\r\n", "No Plan."},
		{"/w", "Login", "finger:"},
		{"nobody", "finger: nobody: no such user.\r\n", "Login"},
		{"../etc/motd", "no such user", "Login"},
		{"\x1b[2J", "finger: ?[2J: no such user.\r\n", "\x1b"},
		{"wais@other", "does not forward", "Login"},
	} {
		got := ask(t, test.query)
		if !strings.Contains(got, test.want) || strings.Contains(got, test.not) {
			t.Errorf("the answer to %q is %q, want %q in it, and not %q", test.query, got, test.want, test.not)
		}
	}
}

// A query that is too long gets no answer.
func TestLongQuery(t *testing.T) {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		(&Server{Files: library.Files()}).Serve(t.Context(), server)
	}()
	defer client.Close()
	go io.WriteString(client, strings.Repeat("x", 2*maxLine)+"\r\n")
	if answer, _ := io.ReadAll(client); len(answer) > 0 {
		t.Errorf("a long query gets %q, want no answer", answer)
	}
}
