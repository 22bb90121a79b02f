package nntp_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/nntp"
	"locus/url"
)

// An answers has the replies of a server to a command line or a verb; "" is its greeting. The
// server answers unknown commands with 500. It disconnects after 400, and after an incomplete line.
type answers map[string]string

// script returns the script of a server with these replies.
func (a answers) script() accesstest.Script {
	greeting, ok := a[""]
	if !ok {
		greeting = "200 welcome\r\n"
	}
	return accesstest.Script{accesstest.Send(greeting), accesstest.Converse(a.answer)}
}

func (a answers) answer(line string) (string, bool) {
	verb, _, _ := strings.Cut(line, " ")
	text, ok := a[line]
	if !ok {
		text, ok = a[verb]
	}
	switch {
	case ok:
		return text, !strings.HasPrefix(text, "400") && strings.HasSuffix(text, "\n")
	case verb == "QUIT":
		return "205 bye\r\n", false
	}
	return "500 unknown command\r\n", true
}

// with returns these replies and more, which take precedence.
func (a answers) with(more answers) answers {
	all := answers{}
	for command, text := range a {
		all[command] = text
	}
	for command, text := range more {
		all[command] = text
	}
	return all
}

func block(lines ...string) string { return strings.Join(append(lines, "."), "\r\n") + "\r\n" }

const (
	text = "From: Ada <ada@example.org>\r\nNewsgroups: misc.test\r\nSubject: =?utf-8?q?caf=C3=A9?=\r\n" +
		"Date: Fri, 20 Nov 2026 09:15:00 +0000\r\nMessage-ID: <one@example.org>\r\nReferences: <zero@example.org>\r\n\r\n" +
		".dot\r\n..\r\n.\r\nend\r\n"
	stuffed = "From: Ada <ada@example.org>\r\nNewsgroups: misc.test\r\nSubject: =?utf-8?q?caf=C3=A9?=\r\n" +
		"Date: Fri, 20 Nov 2026 09:15:00 +0000\r\nMessage-ID: <one@example.org>\r\nReferences: <zero@example.org>\r\n\r\n" +
		"..dot\r\n...\r\n..\r\nend\r\n.\r\n"
	overview = "1\tFirst\ta@h\tThu, 19 Nov 2026 09:15:00 +0000\t<zero@example.org>\t\t100\t3\r\n" +
		"3\t=?utf-8?q?caf=C3=A9?=\tAda <ada@example.org>\tFri, 20 Nov 2026 09:15:00 +0000\t<one@example.org>\t<zero@example.org>\t310\t4\tXref: h misc.test:3 misc.other:9\r\n.\r\n"
)

// modern is a server of RFC 3977.
var modern = answers{
	"CAPABILITIES":              "101 these\r\n" + block("VERSION 2", "READER", "OVER MSGID", "POST"),
	"LIST":                      "215 groups\r\n" + block("misc.test 3 1 y", "misc.other 0000000009 0000000009 m", "no name@all 1 1 y"),
	"GROUP misc.test":           "211 2 1 3 misc.test\r\n",
	"GROUP":                     "411 no such group\r\n",
	"OVER 1-3":                  "224 overview\r\n" + overview,
	"ARTICLE <one@example.org>": "220 0 <one@example.org>\r\n" + stuffed,
	"ARTICLE 3":                 "220 3 <one@example.org>\r\n" + stuffed,
	"HEAD <one@example.org>":    "221 0 <one@example.org>\r\n" + stuffed[:strings.Index(stuffed, "\r\n\r\n")+2] + ".\r\n",
	"ARTICLE":                   "430 no such article\r\n",
	"HEAD":                      "430 no such article\r\n",
}

func newClient(s *accesstest.Server) nntp.Client {
	return nntp.Client{Dial: s.Dial, Server: "own.example"}
}

// sent returns the commands of the first connection, without the commands at its start and its end.
func sent(s *accesstest.Server) []string {
	all := strings.Split(strings.TrimSuffix(s.Received(0), "\r\n"), "\r\n")
	return slices.DeleteFunc(all, func(line string) bool {
		return line == "" || line == "CAPABILITIES" || line == "MODE READER" || line == "QUIT"
	})
}

// describe opens u and returns a text: the bytes of an object, the entries of a
// listing, or the error.
func describe(t testing.TB, o access.Engine, u string) string {
	t.Helper()
	parsed, err := url.Parse(u)
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.Do(t.Context(), &access.Request{URL: parsed})
	if err != nil {
		return describeError(err)
	}
	defer r.Body.Close()
	l, ok := r.List, r.List != nil
	if !ok {
		content, err := io.ReadAll(r.Body)
		if err != nil {
			return describeError(err)
		}
		return string(content)
	}
	return describeEntries(l)
}

func describeEntries(l access.Lister) string {
	var b strings.Builder
	err := access.Entries(l, func(e access.Entry) error {
		fmt.Fprintf(&b, "%s %q <%s>", e.Kind, e.Title, e.URL)
		if e.Size >= 0 {
			fmt.Fprintf(&b, " %d", e.Size)
		}
		if !e.ModTime.IsZero() {
			fmt.Fprintf(&b, " %s", e.ModTime.UTC().Format("2006-01-02"))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		b.WriteString(describeError(err))
	}
	return b.String()
}

func describeError(err error) string {
	for _, kind := range []error{
		fs.ErrNotExist, fs.ErrPermission, errors.ErrUnsupported, access.ErrTooLong, access.ErrProtocol,
		access.ErrPassword, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, kind) {
			return fmt.Sprintf("error: %v [%v]", err, kind)
		}
	}
	return fmt.Sprintf("error: %v", err)
}
