package nntp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"locus/access"
	"locus/url"
)

// A draft is an article to be posted.
type draft struct {
	header []byte // with its empty line
	id     string // without angle brackets; "" if the server is to make one
	body   io.Reader
}

// readDraft reads the header of an article for a group.
func readDraft(r io.Reader, group string) (draft, error) {
	var text bytes.Buffer
	in := bufio.NewReaderSize(r, maxLine)
	if err := readLines(in, &text); err != nil {
		return draft{}, err
	}
	d := draft{body: in}
	var newsgroups []string
	err := eachField(bufio.NewReaderSize(bytes.NewReader(text.Bytes()), maxLine), func(name, value string) {
		switch strings.ToLower(name) {
		case "newsgroups":
			newsgroups = append(newsgroups, names(value)...)
		case "message-id":
			d.id, _ = bare(value)
		}
	})
	switch {
	case err != nil:
		return draft{}, err
	case newsgroups == nil:
		fmt.Fprintf(&text, "Newsgroups: %s\r\n", group)
	case !slices.Contains(newsgroups, group):
		return draft{}, fmt.Errorf("the article's Newsgroups line has %q, and not %q", newsgroups, group)
	}
	text.WriteString("\r\n")
	d.header = text.Bytes()
	return d, nil
}

// readLines reads the lines of a header, without the empty line that ends it.
func readLines(in *bufio.Reader, text *bytes.Buffer) error {
	l := lines{in}
	for {
		line, err := l.next()
		switch {
		case errors.Is(err, io.EOF) && text.Len() > 0, err == nil && line == "" && text.Len() > 0:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("the article is empty: %w", io.ErrUnexpectedEOF)
		case errors.Is(err, access.ErrTooLong):
			return fmt.Errorf("a line of more than %d octets in the article's header", maxLine)
		case err != nil:
			return err
		case !isField(line, text.Len() == 0):
			return &hinted{
				fmt.Errorf("%q is no line of an article's header", clip(line)),
				access.Advice("an article starts with lines such as From: and Subject:, and an empty line"),
			}
		case text.Len() > maxHeader:
			return fmt.Errorf("an article's header of more than %d octets", maxHeader)
		}
		text.WriteString(line)
		text.WriteString("\r\n")
	}
}

// isField reports whether a line may stand in a header: "Name: text", or the
// continuation of one.
func isField(line string, first bool) bool {
	if line == "" || strings.ContainsAny(line, "\r\x00") {
		return false
	}
	if line[0] == ' ' || line[0] == '\t' {
		return !first
	}
	name, _, ok := strings.Cut(line, ":")
	return ok && name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' })
}

func clip(line string) string {
	const most = 60
	if len(line) > most {
		return line[:most] + "…"
	}
	return line
}

// post sends an article (RFC 3977 §6.3.1). If its body breaks off, so does the
// connection: without the line that ends it the server has no article.
//
// Who can log in does so before: a server may ask for it when the article is
// there, which cannot be sent again, or just refuse that.
func (s *session) post(d draft) (url.URL, error) {
	if user, known, err := s.user(); err != nil {
		return url.URL{}, err
	} else if user != "" && !s.asked {
		s.asked = true
		if err := s.login(user, known); err != nil && !isUnknown(err) {
			return url.URL{}, err
		}
	}
	if _, err := s.must(340, "POST"); err != nil {
		return url.URL{}, err
	}
	s.sent = true
	w := &stuffer{w: bufio.NewWriter(s.conn)}
	if _, err := w.Write(d.header); err != nil {
		return url.URL{}, err
	}
	if _, err := io.Copy(w, d.body); err != nil {
		return url.URL{}, err
	}
	if err := w.end(); err != nil {
		return url.URL{}, err
	}
	r, err := s.replies.Read()
	if err != nil {
		return url.URL{}, err
	}
	if r.Code != 240 {
		return url.URL{}, s.refused(r)
	}
	if d.id == "" {
		d.id = articleIn(r.Text).MessageID
	}
	s.quit()
	return s.to.idURL(d.id), nil
}
