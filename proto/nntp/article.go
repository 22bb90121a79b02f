package nntp

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
)

// mediaType is the media type of an article (RFC 5536 §1).
const mediaType = "message/rfc822"

// attributes asks the server for the article or group that the URL names, and returns its Entry.
// For the list of all groups it sends no command.
func (s *serverConn) attributes() (access.Entry, error) {
	e := access.Entry{Title: "*", URL: s.req.URL, Kind: access.Directory, Size: -1}
	switch s.to.kind {
	case allGroups:
		return e, nil
	case oneGroup:
		g, err := s.selectGroup()
		e.Title, e.Header, e.Sys = g.Name, g.fields(), g
		return e, err
	}
	found, err := s.askArticle("HEAD", 221)
	if err != nil {
		return access.Entry{}, err
	}
	h, err := readHeader(bufio.NewReaderSize(&dotReader{r: s.replies.R}, maxLine))
	if err != nil {
		return access.Entry{}, err
	}
	h.number = found.Number
	e = h.entry(s.to)
	e.URL = s.req.URL
	return e, nil
}

// openArticle requests the article that the URL names. The Body of the Resource owns the
// connection, and closes it at the end of the article.
func (s *serverConn) openArticle() (*access.Resource, error) {
	found, err := s.askArticle("ARTICLE", 220)
	if err != nil {
		return nil, err
	}
	body := &stream{serverConn: s, data: &dotReader{r: s.replies.R}}
	return &access.Resource{Entry: access.Entry{URL: s.req.URL, Type: mediaType, Size: -1, Sys: found}, Body: body, Immutable: found.isImmutable()}, nil
}

// askArticle sends command, ARTICLE or HEAD, for the article that the URL names by id or by number,
// and reads the first line of the reply, whose code must be want. For a number it selects the group
// first (RFC 1738 §3.7). The Number of the result is 0 for an id.
func (s *serverConn) askArticle(command string, want int) (Article, error) {
	which := "<" + s.to.id + ">"
	if s.to.id == "" {
		if _, err := s.selectGroup(); err != nil {
			return Article{}, err
		}
		which = strconv.FormatUint(s.to.number, 10)
	}
	r, err := s.doExpect(want, command+" "+which)
	if err != nil {
		return Article{}, err
	}
	return Article{s.to.number, findMessageID(r.Text)}, nil // the number in the reply to an id means little
}

// findMessageID returns the message-id in a text such as "3000237 <45223423@example.com>"; "" if it
// has none.
func findMessageID(text string) string {
	for field := range strings.FieldsSeq(text) {
		if id, ok := trimBrackets(field); ok {
			return id
		}
	}
	return ""
}

// trimBrackets returns text without the angle brackets around it. ok is false, and id is "", if
// text has no brackets or only brackets.
func trimBrackets(text string) (id string, ok bool) {
	if len(text) < 3 || text[0] != '<' || text[len(text)-1] != '>' {
		return "", false
	}
	return text[1 : len(text)-1], true
}

// selectGroup selects the group that the URL names (RFC 3977 §6.1.1), and returns its range of
// article numbers.
func (s *serverConn) selectGroup() (Group, error) {
	r, err := s.doExpect(211, "GROUP "+s.to.group)
	if err != nil {
		return Group{}, err
	}
	g := Group{Name: s.to.group}
	var count uint64 // not used, because it is only an estimate
	if _, err := fmt.Sscan(r.Text, &count, &g.Low, &g.High); err != nil {
		return Group{}, fmt.Errorf("%w: invalid reply to GROUP: %s", access.ErrProtocol, r.String())
	}
	return g, nil
}

// A stream is the Body that reads the data of a multi-line reply. It returns io.EOF only if the server has ended
// the reply. It closes the connection at its end.
type stream struct {
	*serverConn
	data io.Reader
	err  error // the error of every further Read; nil before the end
}

// Read reads the data of the reply. At its end Read sends QUIT and closes the connection. Errors
// name the URL.
func (st *stream) Read(p []byte) (int, error) {
	if st.err != nil {
		return 0, st.err
	}
	if err := st.conn.Err(); err != nil {
		return 0, st.fail(err)
	}
	n, err := st.data.Read(p)
	switch {
	case access.IsEnd(err):
		st.quit()
		st.err = io.EOF
		return n, io.EOF
	case err != nil:
		return n, st.fail(err)
	}
	return n, nil
}

// fail closes the connection, and returns err with the URL. Every further Read returns this error
// too.
func (st *stream) fail(err error) error {
	st.err = engine.Fail("read", st.req.URL, st.cause(err))
	st.close()
	return st.err
}

// Close closes the connection without QUIT. It always returns nil.
func (st *stream) Close() error {
	st.close()
	return nil
}
