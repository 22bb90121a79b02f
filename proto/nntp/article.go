package nntp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"locus/access"
)

// mediaType is that of an article (RFC 5536 §1).
const mediaType = "message/rfc822"

// open opens what the session's URL names.
func (s *session) open() (*access.Resource, error) {
	switch s.to.what {
	case groups:
		return s.listGroups()
	case group:
		return s.listGroup()
	}
	return s.article()
}

// stat finds the attributes of what the session's URL names, and ends the
// session.
func (s *session) stat() (access.Entry, error) {
	e, err := s.attributes()
	if err == nil {
		s.quit()
	}
	return e, err
}

func (s *session) attributes() (access.Entry, error) {
	e := access.Entry{Title: "*", URL: s.req.URL, Kind: access.Directory, Size: -1}
	switch s.to.what {
	case groups:
		return e, nil
	case group:
		g, err := s.group()
		e.Title, e.Sys = g.Name, g
		return e, err
	}
	found, err := s.ask("HEAD", 221)
	if err != nil {
		return access.Entry{}, err
	}
	h, err := readHeader(bufio.NewReaderSize(&dots{r: s.replies.R}, maxLine))
	if err != nil {
		return access.Entry{}, err
	}
	h.number = found.Number
	e = h.entry(s.to)
	e.URL = s.req.URL
	return e, nil
}

// article opens an article.
func (s *session) article() (*access.Resource, error) {
	found, err := s.ask("ARTICLE", 220)
	if err != nil {
		return nil, err
	}
	body := &stream{session: s, block: &dots{r: s.replies.R}}
	return &access.Resource{Entry: access.Entry{URL: s.req.URL, Type: mediaType, Size: -1, Sys: found}, Body: body}, nil
}

// ask sends a command about the article that the URL names: by its id, or by its
// number in its group, which is selected first (RFC 1738 §3.7).
func (s *session) ask(command string, want int) (Article, error) {
	which := "<" + s.to.id + ">"
	if s.to.id == "" {
		if _, err := s.group(); err != nil {
			return Article{}, err
		}
		which = strconv.FormatUint(s.to.number, 10)
	}
	r, err := s.must(want, command+" "+which)
	if err != nil {
		return Article{}, err
	}
	found := articleIn(r.Text)
	found.Number = s.to.number // servers say 0 or what they like for an id
	return found, nil
}

// articleIn reads "3000237 <45223423@example.com>".
func articleIn(text string) Article {
	for field := range strings.FieldsSeq(text) {
		if id, ok := bare(field); ok {
			return Article{MessageID: id}
		}
	}
	return Article{}
}

// bare takes the angle brackets off a message-id.
func bare(text string) (id string, ok bool) {
	if len(text) < 3 || text[0] != '<' || text[len(text)-1] != '>' {
		return "", false
	}
	return text[1 : len(text)-1], true
}

// group selects the group that the URL names (RFC 3977 §6.1.1).
func (s *session) group() (Group, error) {
	r, err := s.must(211, "GROUP "+s.to.group)
	if err != nil {
		return Group{}, err
	}
	g := Group{Name: s.to.group}
	var count uint64 // an estimate, and no more
	if _, err := fmt.Sscan(r.Text, &count, &g.Low, &g.High); err != nil {
		return Group{}, fmt.Errorf("%w: the reply to GROUP has no three numbers: %s", access.ErrProtocol, r.String())
	}
	return g, nil
}

// A stream is a multi-line reply under way. It ends with io.EOF only when the
// server has ended it.
type stream struct {
	*session
	block io.Reader
	err   error // what Read gives from now on; nil while there is more
}

// Read gives the octets of the reply as they come, its framing off.
func (st *stream) Read(p []byte) (int, error) {
	if st.err != nil {
		return 0, st.err
	}
	if err := st.conn.Err(); err != nil {
		return 0, st.fail(err)
	}
	n, err := st.block.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		st.quit()
		st.err = io.EOF
		return n, io.EOF
	case err != nil:
		return n, st.fail(err)
	}
	return n, nil
}

func (st *stream) fail(err error) error {
	st.err = access.Fail("read", st.req.URL, st.why(err))
	st.close()
	return st.err
}

// Close ends the access, complete or not.
func (st *stream) Close() error {
	st.close()
	return nil
}
