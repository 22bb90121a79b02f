package nntp_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/nntp"
	"locus/url"
)

// recordedAnswers reads the replies that a real server sent to each command.
func recordedAnswers(t *testing.T, name string) answers {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := answers{}
	command := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct{ Dir, Hex string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		text, err := hex.DecodeString(line.Hex)
		if err != nil {
			t.Fatal(err)
		}
		if line.Dir == "c2s" {
			command = strings.TrimRight(string(text), "\r\n")
			continue
		}
		all[command] += string(text)
	}
	return all
}

// The client reads from sn 0.3.8, by its recorded replies. It is a server as in RFC
// 977: it has no CAPABILITIES and no OVER. Its article numbers start at 10.
//
// req: 1738-3.6-3
// req: 1738-3.7-2
func TestRecordedSN(t *testing.T) {
	sn := recordedAnswers(t, "testdata/nntp-sn.jsonl")
	sn["XOVER 10-22"] = sn["XOVER 1-25"]
	c := newClient(accesstest.ServeAll(t, sn.script()))
	for _, test := range []struct{ url, want string }{
		{"news:*", "directory \"local.test\" <news:local.test>\ndirectory \"local.talk\" <news:local.talk>\n"},
		{"news:a2@example.org", "\r\n\r\nBody of article 2.\r\n.leading dot\r\n..two dots\r\nlast line\r\n"},
		{"news:nope@example.org", "430 No such article"},
		{"news:no.such", "411 No such group here as no.such"},
		{"nntp://h/local.test", "object \"posted\" <nntp://h/local.test/22> 20 2026-11-21\nobject \"Article number 12\" <nntp://h/local.test/21> 60 2026-11-21\n"},
		{"news:local.test", "object \"Article number 1\" <news:a1@example.org> 59 2026-11-21\n"},
	} {
		if got := describe(t, c, test.url); !strings.Contains(got, test.want) {
			t.Errorf("Open(%q) finds\n%s\nwant\n%s", test.url, got, test.want)
		}
	}
}

// A request ends, whatever the server sends.
func FuzzServer(f *testing.F) {
	accesstest.Fuzz(f, func(dial proto.Dial) access.Engine { return nntp.Client{Dial: dial, Server: "own.example"} }, url.MustParse("news:misc.test"),
		[2]string{"200 hi\r\n500 no\r\n200 hi\r\n211 2 1 3 misc.test\r\n224 x\r\n" + overview},
		[2]string{"200 hi\r\n101 x\r\nREADER\r\nOVER\r\n.\r\n211 1 1 1 misc.test\r\n423 none\r\n"},
		[2]string{"200 hi\r\n500 no\r\n500 no\r\n211 1 1 2 misc.test\r\n500 no\r\n500 no\r\n211 x\r\n1\r\n2\r\n.\r\n221 1\r\nSubject: x\r\n y\r\n.\r\n423 no\r\n"},
		[2]string{"400 bye\r\n"}, [2]string{"200 hi\r\n480 who\r\n"},
	)
}
