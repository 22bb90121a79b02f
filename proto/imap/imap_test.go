package imap_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/imap"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/url"
)

// A server has responses by parts of commands; the longest part counts. "%" in a response stands for the tag. A
// response that ends in CLOSE closes the connection.
type server map[string]string

const letter = "Subject: =?utf-8?q?caf=C3=A9?=\r\nFrom: Bob <bob@example.net>\r\nMessage-ID: <a@b>\r\n\r\nhello\r\n"

// box is a server whose mailbox "box" has the messages 7 and 9.
var box = server{
	"CAPABILITY":       "* CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN\r\n% OK\r\n",
	"AUTHENTICATE":     "% OK\r\n",
	"LOGOUT":           "* BYE\r\n% OK\r\n",
	"EXAMINE":          "% NO [NONEXISTENT] no such mailbox\r\n",
	`EXAMINE "box"`:    "* 2 EXISTS\r\n* OK [UIDVALIDITY 33] valid\r\n% OK [READ-ONLY]\r\n",
	"LIST":             `* LIST (\HasChildren \Noselect) "/" lists` + "\r\n" + `* LIST () "/" "Entw&APw-rfe"` + "\r\n* LIST () NIL {3}\r\nbox\r\n% OK\r\n",
	"LSUB":             `* LSUB () "/" box` + "\r\n% OK\r\n",
	"UID SEARCH":       "* SEARCH 9 7\r\n% OK\r\n",
	"UID FETCH":        "% OK\r\n",
	"UID FETCH 1:*":    row(7, letter) + "* 1 FETCH (UID 7 FLAGS ())\r\n* 9 EXISTS\r\n" + row(9, "\r\n") + "% OK\r\n",
	"UID FETCH 9,7":    row(9, "\r\n") + row(7, letter) + "% OK\r\n",
	"UID FETCH 7 (UID": row(7, letter) + "% OK\r\n",
	"UID FETCH 7 (UID RFC822.SIZE INTERNALDATE BODY.PEEK[1.2.MIME])": row(7, "Content-Type: image/gif; name=a.gif\r\nContent-Transfer-Encoding: base64\r\n\r\n") + "% OK\r\n",
	"UID FETCH 7 (UID RFC822.SIZE INTERNALDATE BODY.PEEK[9.MIME])":   "* 1 FETCH (UID 7 RFC822.SIZE 5 BODY[9.MIME] NIL)\r\n% OK\r\n",
	"UID FETCH 7 (BODY.PEEK[])":                                      "* 1 FETCH (UID 7 BODY[] " + literal(letter) + ")\r\n% OK\r\n",
	"UID FETCH 7 (BODY.PEEK[1.2])":                                   "* 1 FETCH (UID 7 BODY[1.2] \"R0lG\\\"ODlh\")\r\n% OK\r\n",
	"UID FETCH 7 (BODY.PEEK[HEADER])":                                "* 1 FETCH (UID 7 BODY[HEADER] " + literal("A: b\r\n\r\n") + ")\r\n% OK\r\n",
	"UID FETCH 7 (BODY.PEEK[1.2]<2.5>":                               "* 1 FETCH (UID 7 BODY[1.2]<2> " + literal("lGODl") + ")\r\n% OK\r\n",
	"UID FETCH 7 (BODY.PEEK[]<0.4294967295>":                         "* 1 FETCH (UID 7 BODY[]<0> " + literal(letter) + ")\r\n% OK\r\n",
}

func literal(text string) string { return fmt.Sprintf("{%d}\r\n%s", len(text), text) }

// row returns the response with the attributes of a message.
func row(uid int, bytes string) string {
	return fmt.Sprintf("* 1 FETCH (UID %d INTERNALDATE \" 7-Nov-2026 10:20:30 +0000\" RFC822.SIZE %d BODY[X] %s)\r\n", uid, len(letter), literal(bytes))
}

// with returns the server with other responses.
func (s server) with(pairs ...string) server {
	other := server{}
	for name, answer := range s {
		other[name] = answer
	}
	for i := 0; i < len(pairs); i += 2 {
		other[pairs[i]] = pairs[i+1]
	}
	return other
}

func (s server) answer(line string) (string, bool) {
	tag, _, _ := strings.Cut(line, " ")
	best, reply := "", tag+" BAD unknown\r\n"
	for name, answer := range s {
		if strings.Contains(line, name) && len(name) > len(best) {
			best, reply = name, strings.ReplaceAll(answer, "%", tag)
		}
	}
	return strings.TrimSuffix(reply, "CLOSE"), !strings.HasSuffix(reply, "CLOSE")
}

func (s server) start(t testing.TB) *accesstest.Server {
	return accesstest.ServeAll(t, accesstest.Script{accesstest.Send("* OK ready\r\n"), accesstest.Converse(s.answer)})
}

func newEngine(dial proto.Dial) access.Engine {
	return imap.Client{Dial: dial, Security: access.NeverTLS}
}

// open opens a URL and reads it.
func open(t *testing.T, dial proto.Dial, text string) (r *access.Resource, content string, err error) {
	t.Helper()
	r, err = newEngine(dial).Do(t.Context(), &access.Request{URL: url.MustParse(text)})
	if err != nil {
		return nil, "", err
	}
	defer r.Body.Close()
	read, err := io.ReadAll(r.Body)
	return r, string(read), err
}

const at = "imap://ada:sesame@h/"

func TestSuite(t *testing.T) {
	s := box.with(
		"UID FETCH 8 (UID", row(8, letter)+"% OK\r\n",
		"UID FETCH 8 (BODY.PEEK[])", "* 1 FETCH (UID 8 BODY[] {999}\r\nSubjCLOSE",
		"UID FETCH 5 (UID", row(5, letter)+"% OK\r\n",
		"UID FETCH 5 (BODY.PEEK[])", "* 1 FETCH (UID 5 BODY[] {999}\r\nSubj",
	)
	accesstest.Test(t, accesstest.Config{
		Ops:       []access.Op{access.Stat},
		New:       newEngine,
		Dial:      s.start(t).Dial,
		Object:    url.MustParse(at + "box/;UID=7"),
		Content:   letter,
		Missing:   url.MustParse(at + "box/;UID=3"),
		Listing:   url.MustParse(at + "box"),
		Titles:    []string{"café", "message 9"},
		Truncated: url.MustParse(at + "box/;UID=8"),
		Stalled:   url.MustParse(at + "box/;UID=5"),
		Hostile: []url.URL{
			url.MustParse("imap://a%0Ab:c@h/"), url.MustParse("imap://a:b%00@h/"), url.MustParse(at + "a%0D%0Ab"), url.MustParse(at + "box?a%0Ab"),
			url.MustParse(at + "box?TEXT%20%7B3%7D"), url.MustParse(at + "box?TEXT%20%22x"), url.MustParse(at + "box/;UID=7/;SECTION=1%5D%20BODY%5B2"), url.MustParse(at + "box/;UID=7/;SECTION=%0A"),
		},
		Secret:   url.MustParse(at + "none"),
		NoOffset: true,
	})
}

// Do opens each kind of URL. The URLs in a listing contain the user but not the password.
func TestOpen(t *testing.T) {
	for _, test := range []struct{ url, mediaType, content string }{
		{"box/;UID=7", "message/rfc822", letter},
		{"box;UIDVALIDITY=33/;UID=7", "message/rfc822", letter},
		{"box/;UID=7/;SECTION=1.2", "image/gif; name=a.gif", "GIF89a"},
		{"box/;UID=7/;SECTION=1.2/;PARTIAL=2.5", "application/octet-stream", "lGODl"},
		{"box/;UID=7/;PARTIAL=0", "application/octet-stream", letter},
		{"box/;UID=7/;SECTION=HEADER", "text/plain", "A: b\r\n\r\n"},
		{"", "text/uri-list", "# lists\r\n# Entwürfe\r\nimap://ada@h/Entw%C3%BCrfe\r\n# box\r\nimap://ada@h/box\r\n"},
		{";TYPE=LSUB", "text/uri-list", "# box\r\nimap://ada@h/box\r\n"},
		{"box?SUBJECT%20%22tea%22", "text/uri-list", "# message 9\r\nimap://ada@h/box;UIDVALIDITY=33/;UID=9\r\n# café\r\nimap://ada@h/box;UIDVALIDITY=33/;UID=7\r\n"},
	} {
		r, content, err := open(t, box.start(t).Dial, at+test.url)
		if err != nil || r.Type != test.mediaType || content != test.content {
			t.Errorf("Do(%q) = %+v, %q, %v, want %s, %q", test.url, r, content, err, test.mediaType, test.content)
			continue
		}
		if want := strings.Contains(test.url, "UIDVALIDITY"); r.Immutable != want {
			t.Errorf("Do(%q) is immutable: %v, want %v", test.url, r.Immutable, want)
		}
	}
}

// The entry of a message has the attributes that a mail reader shows.
func TestMessageEntry(t *testing.T) {
	r, err := newEngine(box.start(t).Dial).Do(t.Context(), &access.Request{URL: url.MustParse(at + "box")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	e, err := r.List.Next()
	if got := fmt.Sprintf("%s|%s|%d|%s|%v", e.URL, e.Type, e.Size, e.ModTime.UTC().Format("2006-01-02"), e.Header); err != nil ||
		got != fmt.Sprintf("imap://ada@h/box;UIDVALIDITY=33/;UID=7|message/rfc822|%d|2026-11-07|[{From Bob <bob@example.net>  false} {Message-ID a@b  false}]", len(letter)) {
		t.Errorf("Next = %s, %v", got, err)
	}
}

// A message whose header the server cannot send is in the listing.
func TestMessageWithoutHeader(t *testing.T) {
	s := box.with("UID FETCH 1:*", "* 1 FETCH (UID 7 RFC822.SIZE 5 BODY[HEADER.FIELDS (SUBJECT)] NIL)\r\n* 2 FETCH (UID 8 FLAGS ())\r\n"+row(9, letter)+"% OK\r\n")
	r, err := newEngine(s.start(t).Dial).Do(t.Context(), &access.Request{URL: url.MustParse(at + "box")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var titles []string
	err = access.Entries(r.List, func(e access.Entry) error {
		titles = append(titles, e.Title)
		return nil
	})
	if got := strings.Join(titles, ", "); got != "message 7, café" || err != nil {
		t.Errorf("the messages are %s, %v, want message 7, café", got, err)
	}
}

func TestStat(t *testing.T) {
	for _, test := range []struct {
		url, title, mediaType string
		kind                  access.Kind
	}{
		{"", "h", "", access.Directory},
		{"box", "box", "", access.Directory},
		{"box/;UID=7", "café", "message/rfc822", access.Object},
		{"box/;UID=7/;SECTION=1.2", "a.gif", "image/gif; name=a.gif", access.Object},
	} {
		r, err := newEngine(box.start(t).Dial).Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(at + test.url)})
		if err != nil || r.Title != test.title || r.Type != test.mediaType || r.Kind != test.kind {
			t.Errorf("Stat(%q) = %+v, %v, want %+v", test.url, r, err, test)
		}
	}
}

// The server gets these commands.
func TestCommands(t *testing.T) {
	esearch := box.with("CAPABILITY", "* CAPABILITY AUTH=PLAIN SASL-IR ESEARCH\r\n% OK\r\n", "UID SEARCH", "* ESEARCH (TAG \"L4\") UID ALL 9,7\r\n% OK\r\n")
	ways := box.with("CAPABILITY", "* CAPABILITY SASL-IR AUTH=PLAIN AUTH=ANONYMOUS\r\n% OK\r\n")
	for _, test := range []struct {
		name   string
		server server
		url    string
		want   []string
	}{
		{"a pattern", box, at + "Entw%C3%BC*;TYPE=LIST", []string{"L1 CAPABILITY", "L2 AUTHENTICATE PLAIN AGFkYQBzZXNhbWU=", `L3 LIST "" "Entw&APw-*"`}},
		{"a set", esearch, at + "box?ALL", []string{"L3 EXAMINE \"box\"", "L4 UID SEARCH RETURN (ALL) ALL", "L5 UID FETCH 9,7 (UID RFC822.SIZE INTERNALDATE BODY.PEEK[HEADER.FIELDS (SUBJECT FROM TO MESSAGE-ID)])"}},
		{"a search in parentheses", box, at + "box?(OR%20SUBJECT%20%22a%5C%22%20%7B3%7D%22%20SEEN)", []string{`L4 UID SEARCH (OR SUBJECT "a\" {3}" SEEN)`}},
		{"no search program", box, at + "box?", []string{"L4 UID SEARCH ALL"}},
		{"letters beyond ASCII", box.with("UID SEARCH", "+ \r\n", "café", "* SEARCH 7\r\nL4 OK\r\n"), at + "box?SUBJECT%20%22caf%C3%A9%22%20SEEN", []string{"L4 UID SEARCH CHARSET UTF-8 SUBJECT {5}", "café SEEN"}},
		{"anonymous", ways, "imap://h/box", []string{"L2 AUTHENTICATE ANONYMOUS YW5vbnltb3Vz"}},
		{"anonymous by AUTH", box, "imap://;AUTH=anonymous@h/box", []string{"L2 AUTHENTICATE ANONYMOUS YW5vbnltb3Vz"}},
		{"the mechanism of the URL", ways, "imap://ada;AUTH=plain:sesame@h/box", []string{"L2 AUTHENTICATE PLAIN AGFkYQBzZXNhbWU="}},
	} {
		s := test.server.start(t)
		if _, _, err := open(t, s.Dial, test.url); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		got := strings.Split(s.Received(0), "\r\n")
		for _, want := range test.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: the server is sent %q, want %q", test.name, got, want)
			}
		}
	}
}

// A refused or a wrong response gives an error that tells what is wrong, without the password.
func TestErrors(t *testing.T) {
	const endless = 1 << 21
	for _, test := range []struct {
		name   string
		server server
		url    string
		want   error
		text   string
	}{
		{"no mailbox", box, at + "none", fs.ErrNotExist, "no such mailbox"},
		{"no right", box.with("EXAMINE", "% NO [NOPERM] sesame may not\r\n"), at + "secret", fs.ErrPermission, "NOPERM"},
		{"a mailbox for later", box.with("EXAMINE", "% NO [UNAVAILABLE] later\r\n"), at + "x", access.ErrTemporary, "later"},
		{"no message", box, at + "box/;UID=3", fs.ErrNotExist, "no message 3"},
		{"no part", box, at + "box/;UID=7/;SECTION=9", fs.ErrNotExist, "no part 9"},
		{"another UIDVALIDITY", box, at + "box;UIDVALIDITY=34/;UID=7", fs.ErrNotExist, "has recreated the mailbox"},
		{"a wrong password", box.with("AUTHENTICATE", "% NO [AUTHENTICATIONFAILED] sesame is wrong\r\n"), at + "box", fs.ErrPermission, "AUTHENTICATIONFAILED"},
		{"a mechanism that the server lacks", box, "imap://ada;AUTH=X:sesame@h/box", errors.ErrUnsupported, "no supported login mechanism"},
		{"no login", box, "imap://ada@h/box", access.ErrPassword, ""},
		{"a refused search", box.with("UID SEARCH", "% BAD what\r\n"), at + "box?X", nil, "BAD what"},
		{"a set that is none", box.with("CAPABILITY", "* CAPABILITY AUTH=PLAIN SASL-IR ESEARCH\r\n% OK\r\n", "UID SEARCH", "* ESEARCH UID ALL 1)\r\n% OK\r\n"), at + "box?X", access.ErrProtocol, "not a set"},
		{"a large literal", box.with("UID FETCH 1:*", "* 1 FETCH (UID 1 BODY[X] {999999999999}\r\n"), at + "box", access.ErrTooLong, ""},
		{"endless answers", box.with("UID FETCH 1:*", strings.Repeat("* 1 EXISTS and more of it to fill the line\r\n", endless/40)), at + "box", access.ErrTooLong, "without an entry"},
		{"an endless line", box.with("UID FETCH 1:*", "* 1 FETCH "+strings.Repeat("(", endless)), at + "box", access.ErrTooLong, ""},
		{"endless answers to a command", box.with("EXAMINE", strings.Repeat("* 1 EXISTS and more of it to fill the line\r\n", endless/40)), at + "other", access.ErrTooLong, ""},
		{"a listing that breaks off", box.with("UID FETCH 1:*", row(7, letter)+"CLOSE"), at + "box", io.ErrUnexpectedEOF, ""},
		{"a listing that is refused", box.with("UID FETCH 1:*", row(7, letter)+"% NO lost\r\n"), at + "box", nil, "lost"},
		{"mailboxes that break off", box.with("LIST", "* LIST () NIL x\r\nCLOSE"), at, io.ErrUnexpectedEOF, ""},
		{"the message ends in a refusal", box.with("UID FETCH 7 (BODY.PEEK[])", "* 1 FETCH (BODY[] {2}\r\nab)\r\n% NO lost\r\n"), at + "box/;UID=7", nil, "lost"},
		{"the message is deleted meanwhile", box.with("UID FETCH 7 (BODY.PEEK[])", "* 1 EXPUNGE\r\n% OK [EXPUNGEISSUED]\r\n"), at + "box/;UID=7", fs.ErrNotExist, "any more"},
		{"the message is not sent", box.with("UID FETCH 7 (BODY.PEEK[])", "* 1 FETCH (BODY[] NIL)\r\n% OK\r\n"), at + "box/;UID=7", access.ErrProtocol, "not sent"},
	} {
		_, _, err := open(t, test.server.start(t).Dial, test.url)
		if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v, want %v with %q", test.name, err, test.want, test.text)
		}
		if err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: the error shows the password: %v", test.name, err)
		}
	}
}

// A password is sent unencrypted to another machine only with NeverTLS.
func TestCleartext(t *testing.T) {
	for _, security := range []access.Security{access.OpportunisticTLS, access.RequireTLS, access.NeverTLS} {
		s := box.start(t)
		r, err := imap.Client{Dial: s.Dial, Security: security}.Do(t.Context(), &access.Request{URL: url.MustParse(at + "box")})
		if (err == nil) != (security == access.NeverTLS) || err != nil && strings.Contains(s.Received(0), "AUTH") {
			t.Errorf("security %v: Do = %v, after %q", security, err, s.Received(0))
		}
		if err == nil {
			r.Body.Close()
		}
	}
}

// Do asks for the login that the URL lacks.
func TestLogin(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"imap://ada@h/box/;UID=7", `password for "ada" at h`},
		{"imap://h/box/;UID=7", "password at h"},
	} {
		var asked string
		s := box.start(t)
		r, err := newEngine(s.Dial).Do(t.Context(), &access.Request{URL: url.MustParse(test.url), Login: func(_ context.Context, c access.Challenge) (access.Credentials, error) {
			asked = c.Prompt()
			return access.Credentials{User: "ada", Password: "sesame"}, nil
		}})
		if err != nil || asked != test.want || !strings.Contains(s.Received(0), "AGFkYQBzZXNhbWU=") {
			t.Errorf("Do(%q) = %v, asks %q after %q, want %q", test.url, err, asked, s.Received(0), test.want)
			continue
		}
		r.Body.Close()
	}
}

func TestConnection(t *testing.T) {
	for greeting, scheme := range map[string]string{"": "imaps", "* OK\r\n": "imap", "* OK \r\n* CAPABILITY": "imap"} {
		e := wiretest.Engine{HasTLS: true, Greeting: greeting, Open: func(ctx context.Context, d wire.Dialer) error {
			c := imap.Client{Dial: d.Dial, TLS: d.TLS, Security: d.Security, Idle: d.Idle}
			_, err := c.Do(ctx, &access.Request{URL: url.MustParse(scheme + "://ada:sesame@h/box")})
			return err
		}}
		wiretest.Test(t, e)
		if scheme == "imap" {
			e.Drip = "*"
			wiretest.TestDrip(t, e)
		}
	}
}

// start is the text of a server before the first command on messages.
const start = "* OK\r\n* CAPABILITY AUTH=PLAIN SASL-IR\r\nL1 OK\r\nL2 OK\r\n* OK [UIDVALIDITY 3] x\r\nL3 OK\r\n"

func FuzzListing(f *testing.F) {
	accesstest.Fuzz(f, newEngine, url.MustParse(at+"box?ALL"), [2]string{start + "* SEARCH 7\r\nL4 OK\r\n" + row(7, letter) + "L5 OK\r\n"}, [2]string{start + "* SEARCH\r\nL4 OK\r\n"})
}

func FuzzMailboxes(f *testing.F) {
	accesstest.Fuzz(f, newEngine, url.MustParse(at), [2]string{"* PREAUTH\r\n" + `* LIST (\Noselect) "/" "a\"b"` + "\r\n* LIST () NIL {3}\r\n&A-\r\nL1 OK\r\n"}, [2]string{start})
}

func FuzzPart(f *testing.F) {
	mime := row(7, "Content-Transfer-Encoding: base64\r\n\r\n")
	accesstest.Fuzz(f, newEngine, url.MustParse(at+"box/;UID=7/;SECTION=1"), [2]string{start + mime + "L4 OK\r\n* 1 FETCH (BODY[1] \"YWI=\")\r\nL5 OK\r\n"},
		[2]string{start + mime + "L4 OK\r\n* 1 FETCH (BODY[1] {4}\r\nYWI=)\r\nL5 OK\r\n"})
}
