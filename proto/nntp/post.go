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

// A draft is an article to post.
type draft struct {
	content   io.Reader
	messageID string // without angle brackets; "" if the server must pick one
}

// readDraft reads the header of an article from r, and returns a draft with the whole article; its
// content reads the rest from r later. It adds a Newsgroups field with group if the header lacks
// one. It returns an error if the header is invalid, or has Newsgroups without group.
func readDraft(r io.Reader, group string) (draft, error) {
	var text bytes.Buffer
	in := bufio.NewReaderSize(r, maxLine)
	if err := readLines(in, &text); err != nil {
		return draft{}, err
	}
	var d draft
	var newsgroups []string
	err := eachField(bufio.NewReaderSize(bytes.NewReader(text.Bytes()), maxLine), func(name, value string) {
		switch strings.ToLower(name) {
		case "newsgroups":
			newsgroups = append(newsgroups, splitGroups(value)...)
		case "message-id":
			d.messageID, _ = trimBrackets(value)
		}
	})
	switch {
	case err != nil:
		return draft{}, err
	case newsgroups == nil:
		fmt.Fprintf(&text, "Newsgroups: %s\r\n", group)
	case !slices.Contains(newsgroups, group):
		return draft{}, fmt.Errorf("the article's Newsgroups field has %q, not %q", newsgroups, group)
	}
	text.WriteString("\r\n")
	d.content = io.MultiReader(&text, in)
	return d, nil
}

// readLines copies the header of an article from in to text, with CR LF line ends. It consumes the
// empty line after the header, and does not copy it. It returns an error for an empty article, and
// for a line that is invalid in a header.
func readLines(in *bufio.Reader, text *bytes.Buffer) error {
	l := lineReader{in}
	for {
		line, err := l.next()
		switch {
		case access.IsEnd(err) && text.Len() > 0, err == nil && line == "" && text.Len() > 0:
			return nil
		case access.IsEnd(err):
			return fmt.Errorf("the article is empty: %w", io.ErrUnexpectedEOF)
		case errors.Is(err, access.ErrTooLong):
			return fmt.Errorf("a line of more than %d bytes in the article's header", maxLine)
		case err != nil:
			return err
		case !isField(line, text.Len() == 0):
			return access.WithRemedy(fmt.Errorf("%q is not a header line", shorten(line)),
				access.Advice("an article starts with lines such as From: and Subject:, and an empty line"))
		case text.Len() > maxHeader:
			return fmt.Errorf("an article header of more than %d bytes", maxHeader)
		}
		text.WriteString(line)
		text.WriteString("\r\n")
	}
}

// isField reports whether line is valid in a header: "Name: text", or a continuation line if line
// is not the first.
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

// shorten returns line, or its first 60 bytes and "…" if it is longer.
func shorten(line string) string {
	const limit = 60
	if len(line) > limit {
		return line[:limit] + "…"
	}
	return line
}

// sendArticle sends the content of an article, and returns the reply. If the server has refused the article before it had
// the whole content, the reply is that refusal.
func (s *serverConn) sendArticle(content io.Reader) (access.Reply, error) {
	w := bufio.NewWriter(s.conn)
	block := &dotWriter{w: w}
	_, err := io.Copy(block, content)
	if err == nil {
		err = block.close()
	}
	if _, sendErr := w.Write(nil); sendErr != nil { // w repeats the error of the connection
		return s.replies.ReadRefusal(sendErr)
	}
	if err != nil {
		return access.Reply{}, err
	}
	return s.replies.Read()
}

// post sends the article d (RFC 3977 §6.3.1), and returns its URL; zero if the message-id is
// unknown. If the content fails, post returns before the final line, so that the server drops the
// article when the connection is closed.
//
// It logs in first if it can, because a server may ask for a login only after the article, or just
// refuse it, and the article cannot be sent twice.
func (s *serverConn) post(d draft) (url.URL, error) {
	if _, err := s.logIn(); err != nil && !isUnknownCommand(err) {
		return url.URL{}, err
	}
	if _, err := s.doExpect(340, "POST"); err != nil {
		return url.URL{}, err
	}
	s.posted = true
	r, err := s.sendArticle(d.content)
	if err == nil && r.Code != 240 {
		err = s.refusal(r)
	}
	if err != nil {
		return url.URL{}, err
	}
	if d.messageID == "" {
		d.messageID = findMessageID(r.Text)
	}
	return s.to.idURL(d.messageID), nil
}
