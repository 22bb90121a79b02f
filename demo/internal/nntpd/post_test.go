package nntpd

import (
	"strings"
	"testing"
)

// What a client posts is kept as it is, or refused with the reason.
func TestPostEdges(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const header = "From: a@b\r\nSubject: s\r\nNewsgroups: library\r\n"
	line := strings.Repeat("x", 1000) + "\r\n"
	for _, test := range []struct{ article, want string }{
		{"", "441 it has no header"},
		{"\r\n", "441 it has no "},
		{header + "no header\r\n", "441 it has no header"},
		{"From: a@b\r\nNewsgroups: library\r\n\r\n", "441 it has no Subject line"},
		{"From: a@b\r\nSubject: s\r\nNewsgroups: ,\r\n\r\n", "441 it is in no group"},
		{"From: a@b\r\nSubject: s\r\nNewsgroups: library,\x1b[2J\r\n\r\n", "441 "},
		{"From: a@b\r\nSubject: s\r\nNewsgroups: none\r\n\r\n", `441 there is no group "none"`},
		{header + "Message-ID: <a b@c>\r\n\r\n", "441 its Message-ID is none"},
		{header + "Message-ID: <" + strings.Repeat("a", 260) + "@c>\r\n\r\n", "441 its Message-ID is none"},
		{header + "Message-ID: <README.txt@library.example>\r\n\r\n", "441 there is an article with this message-id"},
		{header + "\r\na\x00b\r\n", "441 it has CR or NUL within a line"},
		{header + "\r\n" + strings.Repeat(line, 66), "441 an article has 65536 bytes at most"},
		{header + "Message-ID: <p1@x>\r\n\r\n..\r\n..a\r\n", "240 Article received <p1@x>"},
		{header + "Message-ID: <p1@x>\r\n\r\n", "441 there is an article with this message-id"},
		{header + "Message-ID: <p2@x>\r\n", "240 Article received <p2@x>"}, // a header alone
		{header + "Message-ID: <p3@x>\r\nDate: \x00\r\n\r\n", "441 "},
	} {
		got := converse(t, s, "POST\r\n"+test.article+".\r\nQUIT\r\n")
		want := "340 Send it, and a period on a line of its own\r\n" + test.want
		if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\r\n205 Goodbye\r\n") || strings.ContainsAny(got, "\x1b\x00") {
			t.Errorf("%.200q is answered with %.300q, want %q", test.article, got, want)
		}
	}
	tooLong := "POST\r\n" + header + "Message-ID: <p4@x>\r\n\r\n" + strings.Repeat("x", longestLine+1) + "\r\n.\r\n"
	if got := converse(t, s, tooLong); strings.Contains(got, "240") {
		t.Errorf("an article with a line of %d bytes is answered with %q", longestLine+1, got)
	}
	for say, want := range map[string]string{
		"STAT <p4@x>":   "430 No such article\r\n",
		"BODY <p1@x>":   "222 0 <p1@x>\r\n..\r\n..a\r\n.\r\n",
		"BODY <p2@x>":   "222 0 <p2@x>\r\n.\r\n",
		"GROUP library": "211 3 1 3 library\r\n",
	} {
		if got := converse(t, s, say+"\r\nQUIT\r\n"); got != want+"205 Goodbye\r\n" {
			t.Errorf("%s is answered with %q, want %q", say, got, want)
		}
	}
	if got := converse(t, s, "HEAD <p2@x>\r\nQUIT\r\n"); !strings.HasSuffix(got, "Message-ID: <p2@x>\r\n.\r\n205 Goodbye\r\n") {
		t.Errorf("the header of an article without a body is %q", got)
	}
}

// Ranges and numbers that make no sense are refused, and not served.
func TestNumbers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for say, want := range map[string]string{
		"OVER 0":                      "423",
		"OVER -1":                     "501",
		"OVER 3-1":                    "423",
		"OVER 1--1":                   "423",
		"OVER 99999999999999999999-":  "501",
		"OVER 1-99999999999999999999": "501",
		"OVER 9223372036854775807-":   "423",
		"STAT -1":                     "423",
		"STAT 99999999999999999999":   "423",
		"STAT +2":                     "223 2 ",
		"LAST":                        "422",
		"STAT 3\r\nNEXT":              "223 3 <texts.wi_th___b.txt@library.example>\r\n421",
		"OVER 3-9223372036854775807":  "224",
		"OVER <README.txt@h>":         "501",
		"STAT <README.txt@library.example>\r\nSTAT": "223 0 <README.txt@library.example>\r\n223 1 ",
	} {
		got, ok := strings.CutPrefix(converse(t, s, "GROUP library.texts\r\n"+say+"\r\nQUIT\r\n"), "211 3 1 3 library.texts\r\n")
		if !ok || !strings.HasPrefix(got, want) {
			t.Errorf("%s is answered with %q, want %q", say, got, want)
		}
	}
}
