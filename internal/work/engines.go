package main

import (
	"context"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"locus/access"
	"locus/proto"
	"locus/proto/cso"
	"locus/proto/dict"
	"locus/proto/finger"
	"locus/proto/ftp"
	"locus/proto/gopher"
	"locus/proto/mail"
	"locus/proto/nntp"
	"locus/url"
)

// engineReaders returns engines that read the text as the reply of a server. The context of each reader is the
// dialogue before the reply.
func engineReaders() []reader {
	const (
		list = "220 a\r\n230 b\r\n500 c\r\n229 (|||40001|)\r\n150 d\r\n226 e\r\n"
		mlsd = "220 a\r\n230 b\r\n211-c\r\n MLST *\r\n211 d\r\n229 (|||40001|)\r\n150 d\r\n226 e\r\n"
		imap = "* OK\r\n* CAPABILITY AUTH=PLAIN SASL-IR\r\nL1 OK\r\nL2 OK\r\n"
	)
	listing := []string{
		"total 3\r\n", "-rw-r--r-- 1 a b 3000 Nov 21 02:02 blob.bin\r\n", "lrwxrwxrwx 1 a b 3 Nov 21 2020 a -> b\r\n", "LONG.TXT;1\r\n", "   1/3 27-MAY-2003 13:19\r\n",
		"11-21-26  02:02AM  <DIR> a\r\n", "type=file;size=3; a b\r\n", "+i8388621.48594,m825718503,r,s280,\ta\r\n", "\r\n", "\n", "a", " ", ";", "1", "\t", "./a:\r\n", "a:\r\n",
	}
	return []reader{
		{name: "ftp reply", context: "220 a\r\n230 b\r\n", depth: 2, tokens: []string{"211-a\r\n", "211 a\r\n", " MLST *;\r\n", "1", "-", "\r\n", "a", "229 (|||40001|)\r\n", "(", "227 1,2,3,4,5,6\r\n"}, read: reply("ftp://h/f", ftpClient)},
		{name: "ftp PASV", context: "220 a\r\n230 b\r\n500 c\r\n500 d\r\n227-", depth: 2, tokens: []string{"1", "1,", "1,2,3,4,", "(", "\r\n227-"}, read: passive},
		{name: "ftp LIST", depth: 2, tokens: listing, read: data("ftp://h/", list, ftpClient)},
		{name: "ftp MLSD", depth: 2, tokens: append([]string{"type=cdir; .\r\n", "type=dir;modify=20260101000000; a\r\n", "a=", "="}, listing...), read: data("ftp://h/", mlsd, ftpClient)},
		{name: "gopher menu", depth: 2, tokens: []string{"1a\tb\tc\t70\r\n", "ia\t\terror.host\t1\r\n", ".\r\n", "\t", "\r\n", "1", "hURL\tURL:http://a/\tc\t70\r\n", "8a\tb\tc\t23\r\n", "a"}, read: reply("gopher://h/1/x", gopherClient)},
		{name: "gopher+ menu", context: "+-2\r\n", depth: 2, tokens: []string{"+INFO: 1One\t/1\th\t70\t+\r\n", "+VIEWS:\r\n", " a/b C: <1k>\r\n", "+ADMIN:\r\n Mod-Date: a <20260101000000>\r\n", "+ASK:\r\n Ask: a\tb\r\n", " a", "\r\n", "+", "<", "1a\tb\tc\t70\t+\r\n"}, read: reply("gopher://h/1/x%09%09+", gopherClient)},
		{name: "gopher+ attributes", context: "+-2\r\n+INFO: 1One\t/1\th\t70\t?\r\n+ASK:\r\n", depth: 2, tokens: []string{" Ask: a\tb\r\n", " Choose: a\tb\tc\r\n", " Select: a\r\n", "+ASK:\r\n", " a\r\n", "\t", ":"}, read: reply("gopher://h/7/x%09%09!", gopherClient)},
		{name: "finger", depth: 2, tokens: []string{"a", "\r\n", "Login: a\r\n", "\x1b["}, read: reply("finger://h/a", func(d proto.Dial) access.Engine { return finger.Client{Dial: d} })},
		{name: "cso", context: "102:There were 2 matches.\r\n", depth: 2, tokens: []string{"-200:1: name: a\r\n", "-200:2: name: a\r\n", "-200:1:  : b\r\n", "-", "200", ":", "\r\n", "a"}, read: reply("cso://h/?a", func(d proto.Dial) access.Engine { return cso.Client{Dial: d} })},
		{name: "dict", context: "220 hi\r\n150 2 found\r\n", depth: 2, tokens: []string{"151 \"a\" b \"c\"\r\n", "a\r\n", ".\r\n", "\"", "\\", " ", "\r\n", "..a\r\n"}, read: reply("dict://h/d:a", dictClient)},
		{name: "dict matches", context: "220 hi\r\n152 2 found\r\n", depth: 2, tokens: []string{"a \"b\"\r\n", "\"", "\\", " ", "\r\n", "a"}, read: reply("dict://h/m:a", dictClient)},
		{name: "news overview", context: "200 hi\r\n500 no\r\n200 hi\r\n211 2 1 3 a.b\r\n224 x\r\n", depth: 2, tokens: []string{"1\ta\tb\tc\t<d@e>\t\t9\t9\r\n", "\t", "1", "\r\n", "..", "<a@b> ", "=?utf-8?q?a?=", "a"}, read: reply("news:a.b", newsClient)},
		{name: "news groups", context: "200 hi\r\n500 no\r\n200 hi\r\n215 x\r\n", depth: 2, tokens: []string{"a.b 1 1 y\r\n", "a", " ", "\r\n", "..", "1"}, read: reply("news:*", newsClient)},
		{name: "imap", context: imap, depth: 2, tokens: []string{"* SEARCH 7\r\n", "L3 OK\r\n", "* 1 FETCH (UID 1)\r\n", "{3}\r\nabc", "(", ")", "\"", "\\", "* ", "\r\n", "1", " 1"}, read: reply("mid:a@b", imapClient)},
	}
}

func ftpClient(d proto.Dial) access.Engine    { return ftp.Client{Dial: d} }
func gopherClient(d proto.Dial) access.Engine { return gopher.Client{Dial: d} }
func dictClient(d proto.Dial) access.Engine   { return dict.Client{Dial: d} }
func newsClient(d proto.Dial) access.Engine   { return nntp.Client{Dial: d, Server: "h"} }

func imapClient(d proto.Dial) access.Engine {
	return mail.Client{Sources: []mail.Source{mail.IMAP{Dial: d, Host: "h", User: "ada", Password: "sesame", Security: access.NeverTLS}}}
}

// passive opens a directory of FTP after dialogue, which has a reply to PASV without its last line.
func passive(dialogue string) { open(ftpClient(replay(dialogue+"\r\n227 e\r\n", "")), "ftp://h/") }

// reply returns a function that opens u with an engine whose only connection yields text as the data of the server.
func reply(u string, engine func(proto.Dial) access.Engine) func(text string) {
	return func(text string) { open(engine(replay(text, "")), u) }
}

// data returns a function that opens u with an engine whose first connection yields control, the dialogue of a
// control connection, and whose other connections yield text.
func data(u, control string, engine func(proto.Dial) access.Engine) func(text string) {
	return func(text string) { open(engine(replay(control, text)), u) }
}

// open opens the URL text and reads all entries or, without a list, all bytes. It ignores errors.
func open(e access.Engine, text string) {
	r, err := e.Do(context.Background(), &access.Request{URL: url.MustParse(text)})
	if err != nil {
		return
	}
	defer r.Body.Close()
	if r.List == nil {
		_, _ = io.Copy(io.Discard, r.Body)
		return
	}
	for {
		if _, err := r.List.Next(); err != nil {
			return
		}
	}
}

// replay returns a dial function without a network. The first connection yields first and ends, and each later
// connection yields later and ends.
func replay(first, later string) proto.Dial {
	var dialed atomic.Bool
	return func(context.Context, string, string) (net.Conn, error) {
		if dialed.Swap(true) {
			return &recording{Reader: strings.NewReader(later)}, nil
		}
		return &recording{Reader: strings.NewReader(first)}, nil
	}
}

// A recording is a connection that yields a text, and drops the bytes that it is sent.
type recording struct{ *strings.Reader }

func (*recording) Write(b []byte) (int, error)      { return len(b), nil }
func (*recording) Close() error                     { return nil }
func (*recording) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*recording) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*recording) SetDeadline(time.Time) error      { return nil }
func (*recording) SetReadDeadline(time.Time) error  { return nil }
func (*recording) SetWriteDeadline(time.Time) error { return nil }
