package ftp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/mediatype"
	"locus/scheme"
	"locus/url"
)

// A Line is the Sys of an entry: its line in the listing, without the line's
// end. It tells what an [access.Entry] has no field for: owner, permissions,
// where a link points.
type Line string

// maxLine is how long a line of a listing may be, its end included.
const maxLine = 16 << 10

// A listing is the Body of a directory.
type listing struct {
	*stream
	lines *bufio.Reader
	here  scheme.FTP // the directory that the names are in
	parse parser
	held  string // the first half of an entry, its line
}

// An item is what one line of a listing says.
type item struct {
	name    string
	kind    access.Kind
	size    int64     // -1 if unknown
	modTime time.Time // zero if unknown
	line    string
}

// nameList opens the listing that ";type=d" asks for (RFC 1738 §3.2.2).
func (s *session) nameList() (*access.Resource, error) {
	l, err := s.list(command("NLST", s.wire.Name), namesIn(s.view.Name))
	if err != nil {
		return nil, err
	}
	return l.resource(), nil
}

// directory opens the listing of the directory walked to, in the best way that
// the server knows.
func (s *session) directory() (*access.Resource, error) {
	mlsd, err := s.has("MLST") // which names MLSD too (RFC 3659 §7.8)
	if err != nil {
		return nil, err
	}
	ways := []struct {
		command string
		parse   parser
	}{
		{"MLSD", parseMLSD}, {"LIST", parseLine}, {"NLST", parseName},
	}
	if !mlsd {
		ways = ways[1:]
	}
	var l *listing
	for _, way := range ways {
		l, err = s.list(way.command, way.parse)
		if !errors.Is(err, errors.ErrUnsupported) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return l.resource(), nil
}

// list sends a command whose data are lines for parse.
func (s *session) list(command string, parse parser) (*listing, error) {
	if err := s.listType(); err != nil {
		return nil, err
	}
	st, err := s.fetch(command, 0)
	if err != nil && isEmpty(err) {
		st, err = s.emptyStream(), nil
	}
	if err != nil {
		return nil, err
	}
	return &listing{stream: st, lines: bufio.NewReaderSize(st, maxLine), here: s.here(), parse: parse}, nil
}

// listType sets the type that a new connection has, and that listings are in
// (RFC 959 §5.3.2), if it was changed.
func (s *session) listType() error {
	if s.mode == "" {
		return nil
	}
	return s.mustType("A")
}

// isEmpty reports whether a refusal says that there is nothing to list.
//
// QUIRK: wu-ftpd and its descendants answer NLST of an empty directory with
// "550 No files found.", proftpd did with 450.
func isEmpty(err error) bool {
	refused, ok := errors.AsType[*access.Refusal](err)
	if !ok || refused.Reply.Code != 550 && refused.Reply.Code != 450 {
		return false
	}
	return strings.Contains(strings.ToLower(refused.Reply.Text), "no files found")
}

// emptyStream returns a transfer that is complete and had nothing to send.
func (s *session) emptyStream() *stream {
	data, end := net.Pipe()
	end.Close()
	return &stream{session: s, data: s.data.Wrap(s.ctx, data), want: -1, ended: true}
}

// here returns the directory that the names of a listing are in, as a URL may
// show it: without the password.
func (s *session) here() scheme.FTP {
	here := s.view
	here.Password = url.None()
	here.Type = ""
	if here.Name != "" && s.view.Type == "d" {
		here.Dirs = append(slices.Clip(here.Dirs), here.Name)
	}
	here.Name = ""
	return here
}

func (l *listing) resource() *access.Resource {
	return &access.Resource{Entry: access.Entry{URL: l.req.URL, Size: -1}, Body: l, List: l}
}

// Next returns the next entry.
func (l *listing) Next() (access.Entry, error) {
	found, err := l.next()
	if err != nil {
		return access.Entry{}, err
	}
	return found.entry(l.here), nil
}

// next returns the next item, which is not "." or "..".
func (l *listing) next() (item, error) {
	for {
		line, err := l.line()
		if errors.Is(err, io.EOF) && l.held != "" {
			line, l.held = l.held, ""
			return item{name: line, size: -1, line: line}, nil
		}
		if err != nil {
			return item{}, err
		}
		if l.held != "" {
			line, l.held = l.held+" "+line, ""
		}
		found, v := l.parse(line, l.now())
		if v == half {
			l.held = line
		}
		if v != listed || found.name == "" || found.name == "." || found.name == ".." {
			continue
		}
		found.line = line
		return found, nil
	}
}

func (l *listing) now() time.Time {
	if l.client.Now == nil {
		return time.Now().UTC()
	}
	return l.client.Now().UTC()
}

// line returns the next line without its end.
func (l *listing) line() (string, error) {
	raw, err := l.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", l.fail(fmt.Errorf("%w: a line of more than %d octets in a listing", access.ErrTooLong, maxLine))
	}
	if errors.Is(err, io.EOF) && len(raw) > 0 {
		return "", l.fail(fmt.Errorf("%w: the listing ends within a line", io.ErrUnexpectedEOF))
	}
	if err != nil {
		return "", err
	}
	return l.client.decode(string(bytes.TrimRight(raw, "\r\n"))), nil
}

// entry returns the entry for an item in the directory here.
func (i item) entry(here scheme.FTP) access.Entry {
	e := access.Entry{Title: i.name, Kind: i.kind, Size: i.size, ModTime: i.modTime}
	if i.line != "" {
		e.Sys = Line(i.line)
	}
	switch i.kind {
	case access.Info:
		return e
	case access.Directory:
		here.Dirs = append(slices.Clip(here.Dirs), i.name)
	default:
		here.Name = i.name
	}
	if i.kind == access.Object {
		e.Type = mediatype.ByName(i.name)
	}
	e.URL = here.URL()
	return e
}
