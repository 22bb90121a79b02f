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
		{"\u009b2J", "finger: ?2J: no such user.\r\n", "\u009b"},
		{"wais@other", "does not forward", "Login"},
	} {
		got := ask(t, test.query)
		if !strings.Contains(got, test.want) || strings.Contains(got, test.not) {
			t.Errorf("the answer to %q is %q, want %q in it, and not %q", test.query, got, test.want, test.not)
		}
	}
}

// A query gets one answer, and is logged as it was sent. A client that sends no line gets no answer.
func TestOneQuery(t *testing.T) {
	for _, test := range []struct {
		sent, logged string
	}{
		{"nobody\nwais\r\n", `"nobody"`},
		{"\x1b[2J\r\n", `"\x1b[2J"`},
		{"wais", ""},
	} {
		client, server := net.Pipe()
		logged := ""
		go func() {
			defer server.Close()
			(&Server{Files: library.Files(), Log: func(line string) { logged += line }}).Serve(t.Context(), server)
		}()
		go func() {
			io.WriteString(client, test.sent)
			if test.logged == "" {
				client.Close()
			}
		}()
		answer, _ := io.ReadAll(client)
		client.Close()
		if logged != test.logged || strings.Contains(string(answer), "Login") || (len(answer) > 0) != (test.logged != "") {
			t.Errorf("%q is answered with %q and logged as %q, want one answer, and the log %q", test.sent, answer, logged, test.logged)
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
