// Package dict opens dict URLs (RFC 2229 §5) over the dictionary protocol of RFC 2229.
//
//	dict://host/                   the databases of the server
//	dict://host/d:tea:wn           the definitions of a word
//	dict://host/m:tea:wn:prefix    the words that match a word
//
// The client sends a command and QUIT on a new connection. A connection (connection.go) reads the replies. Definitions
// are a text (definitions.go), and databases and matches are a listing (listing.go).
//
// Notable divergences:
//   - RFC 2229 §3.1: the client does not send CLIENT, OPTION MIME or AUTH.
//   - RFC 2229 §3.2: a command of more than 1024 bytes is refused.
//   - RFC 2229 §5: a URL without a path names the databases.
package dict

import (
	"context"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

const defaultPort = 2628

// A Client opens dict URLs. It is an [access.Engine]. It holds no connections and no state. Several goroutines may use
// it at once.
type Client struct {
	// Dial opens a connection. If nil, every request fails.
	Dial proto.Dial

	// Security: with access.RequireTLS every request fails.
	Security access.Security

	// Idle limits the time in which the server neither sends nor accepts a byte; 0: a minute, negative: no limit.
	Idle time.Duration
}

// Do executes Get and Stat. Any other Op returns errors.ErrUnsupported.
//
// Get of a definition returns a text in UTF-8: before each definition a line with the name of its database, as in
// "From WordNet [wn]:". Get of a match or of the databases returns a listing. Its entries have the URLs of definitions,
// or of databases to search. The Body of a listing is a text/uri-list. Sizes are unknown. Get ignores req.Offset: the
// Resource starts at 0.
//
// Get of a URL without a word, such as dict://host/d::wn, returns a listing: an entry to search the database, and its
// description, or all databases if the URL names none.
//
// If the server does not know the word or the database, the error wraps fs.ErrNotExist. Stat executes the same command
// and discards its result. Stat of a URL without a word says that it can be searched.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		return engine.For(req).Result(c.open(ctx, req.URL))
	case req.Op == access.Stat:
		return engine.For(req).Result(c.stat(ctx, req.URL))
	}
	return nil, engine.Unsupported(req)
}

// open connects to the server of u, sends the command of u, and returns a Resource that owns the connection.
func (c Client) open(ctx context.Context, u url.URL) (*access.Resource, error) {
	v, err := parse(u)
	if err != nil {
		return nil, err
	}
	command, err := commandOf(v)
	if err != nil {
		return nil, err
	}
	conn, err := c.connect(ctx, v, command)
	if err != nil {
		return nil, err
	}
	r, err := conn.result(u, v)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return r, nil
}

// stat executes Stat. It sends the command of u, and returns the Entry of the result. For a URL without a word it does
// not connect, and returns an entry of the kind Search.
func (c Client) stat(ctx context.Context, u url.URL) (*access.Resource, error) {
	v, err := parse(u)
	if err != nil {
		return nil, err
	}
	if isSearch(v) {
		return engine.Found(access.Entry{Title: v.Database, URL: u, Kind: access.Search, Size: -1}, nil)
	}
	r, err := c.open(ctx, u)
	if err != nil {
		return nil, err
	}
	return engine.Found(r.Entry, r.Body.Close())
}

// parse returns the view of u. The error is access.ErrNoScheme for another scheme than dict.
func parse(u url.URL) (scheme.Dict, error) {
	if u.Scheme() != "dict" {
		return scheme.Dict{}, access.ErrNoScheme
	}
	return scheme.ParseDict(u)
}

// isSearch reports whether the URL asks for definitions or matches without a word, so that a person must add the word.
func isSearch(v scheme.Dict) bool { return v.Kind != scheme.DictDatabases && v.Word == "" }

// isNamed reports whether database is the name of one database. "", "!" and "*" stand for several databases.
func isNamed(database string) bool { return database != "" && database != "!" && database != "*" }

// maxCommand limits the bytes of a command with its CR LF (RFC 2229 §2.2).
const maxCommand = 1024

// commandOf returns the command for v, without a line end. It returns an error for a word, database or strategy with
// CR, LF or NUL, because they would end the command, and access.ErrTooLong for a command of more than maxCommand
// bytes.
func commandOf(v scheme.Dict) (string, error) {
	for _, part := range [...]struct{ name, text string }{{"word", v.Word}, {"database", v.Database}, {"strategy", v.Strategy}} {
		if err := wire.CheckArgument(part.name, part.text, ""); err != nil {
			return "", err
		}
	}
	command := "SHOW DB"
	switch {
	case isSearch(v) && isNamed(v.Database):
		command = "SHOW INFO " + quote(v.Database)
	case isSearch(v):
	case v.Kind == scheme.DictDefine:
		command = "DEFINE " + quoteOr(v.Database, "!") + " " + quote(v.Word)
	case v.Kind == scheme.DictMatch:
		command = "MATCH " + quoteOr(v.Database, "!") + " " + quoteOr(v.Strategy, ".") + " " + quote(v.Word)
	}
	if len(command) > maxCommand-len("\r\n") {
		return "", engine.Reason("the word is too long for a command", access.ErrTooLong)
	}
	return command, nil
}

// quoteOr returns argument as a quoted string (see quote), or usual, unquoted, if argument is "".
func quoteOr(argument, usual string) string {
	if argument == "" {
		return usual
	}
	return quote(argument)
}

// quote returns argument as a quoted string (RFC 2229 §2.2). The special names "*", "!" and "." stay unquoted, because
// servers know them only without quotation marks.
func quote(argument string) string {
	if argument == "*" || argument == "!" || argument == "." {
		return argument
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(argument) + `"`
}
