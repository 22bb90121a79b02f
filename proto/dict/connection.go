package dict

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/reply"
	"locus/proto/internal/urilist"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// The replies of RFC 2229 that the client tells apart.
const (
	databasesFollow  = 110
	infoFollows      = 112
	definitionsFound = 150
	definition       = 151
	matchesFollow    = 152
	greeting         = 220
	completed        = 250
	noDatabase       = 550
	noStrategy       = 551
	noMatch          = 552
	noDatabases      = 554
)

// textType is the media type of definitions (RFC 2229 §2.2).
const textType = "text/plain;charset=utf-8"

// A connection is a connection to a server, on which the client has sent one command and QUIT.
type connection struct {
	*wire.Conn
	replies *reply.Conn
}

// connect connects to the server of v, reads its greeting, and sends command and QUIT. The replies to them have not
// been read. The caller closes the connection.
func (c Client) connect(ctx context.Context, v scheme.Dict, command string) (*connection, error) {
	conn, err := wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}.DialPlain(ctx, v.Address(defaultPort))
	if err != nil {
		return nil, err
	}
	dc := &connection{conn, reply.NewConn(conn)}
	_, err = dc.expect(greeting)
	if err == nil {
		err = dc.replies.Send(command, "QUIT")
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return dc, nil
}

// result reads the first reply to the command, and returns the definitions or the listing that follow. u is the URL
// and v is its view. On success the resource owns the connection; on failure the caller closes it.
func (c *connection) result(u url.URL, v scheme.Dict) (*access.Resource, error) {
	if v.Kind == scheme.DictDefine && !isSearch(v) {
		return c.openDefinitions(u, v)
	}
	list := &listing{connection: c, url: u, view: v, text: urilist.Text{Titles: true}}
	want := databasesFollow
	switch {
	case isSearch(v):
		list.first = &access.Entry{Title: "Search the databases", URL: u, Kind: access.Search, Size: -1}
		if list.isInfo = isNamed(v.Database); list.isInfo {
			want, list.first.Title = infoFollows, "Search "+v.Database
		}
	case v.Kind == scheme.DictMatch:
		want = matchesFollow
	}
	if _, err := c.expect(want); err != nil {
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{URL: u, Kind: access.Directory, Type: urilist.Type, Size: -1}, Body: list, List: list}, nil
}

// openDefinitions reads the replies up to the first line of the first wanted definition, and returns a Resource
// with the text of the definitions. The error wraps fs.ErrNotExist if the server does not know the word, or has
// fewer definitions than v.Number.
func (c *connection) openDefinitions(u url.URL, v scheme.Dict) (*access.Resource, error) {
	if _, err := c.expect(definitionsFound); err != nil {
		return nil, err
	}
	body := &definitions{connection: c, url: u, wanted: v.Number}
	if err := body.start(); err != nil {
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{Title: v.Word, URL: u, Type: textType, Size: -1}, Body: body}, nil
}

// expect reads a reply, and returns its text if its code is want. For a reply with the code 400 or above the error
// is an *engine.Refusal, and for any other code it wraps access.ErrProtocol.
func (c *connection) expect(want int) (string, error) {
	r, err := c.replies.Read()
	switch {
	case err != nil:
		return "", err
	case r.Code == want:
		return r.Text, nil
	case r.Code < 400:
		return "", fmt.Errorf("%w: found the reply %d, want %d", access.ErrProtocol, r.Code, want)
	}
	return "", &engine.Refusal{Reply: r, Means: meaning(r.Code)}
}

// meaning returns the error that a negative reply with this code stands for (RFC 2229 §3); nil if the code
// has no general meaning.
func meaning(code int) error {
	switch {
	case code == noDatabase, code == noStrategy, code == noMatch, code == noDatabases:
		return fs.ErrNotExist
	case code == 530, code == 531:
		return fs.ErrPermission
	case code < 500:
		return access.ErrTemporary
	}
	return nil
}

// textLine reads a line of a text, and returns it without its line end. It removes the period that the server puts
// before a line that starts with a period. The error is io.EOF if the line is the period that ends the text (RFC
// 2229 §2.4.1).
func (c *connection) textLine() (string, error) {
	if _, err := c.replies.R.Peek(1); err != nil {
		return "", wire.Early(err)
	}
	c.StartLongReply()
	defer c.EndReply()
	line, err := wire.ReadLine(c.replies.R)
	switch {
	case err != nil:
		return "", wire.Early(err)
	case string(line) == ".":
		return "", io.EOF
	}
	return strings.TrimPrefix(string(line), "."), nil
}

// cutWord returns the first word of text, without its quotation marks and backslashes (RFC 2229 §2.2), and the text
// after it. A quoted word without its closing mark extends to the end. word is "" if text is blank.
func cutWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, " \t")
	if text == "" || text[0] != '"' && text[0] != '\'' {
		word, rest, _ = strings.Cut(text, " ")
		return word, rest
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == text[0]:
			return b.String(), text[i+1:]
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// numberError returns an error that wraps fs.ErrNotExist: the URL asks for the definition or match with the number
// wanted, and the server has only found of them.
func numberError(wanted, found uint64) error {
	return engine.Reason("the server has only "+strconv.FormatUint(found, 10)+", and the URL asks for number "+strconv.FormatUint(wanted, 10), fs.ErrNotExist)
}
