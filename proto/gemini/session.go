package gemini

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
	"locus/url"
)

// maxMeta is the number of bytes of the longest text after a status.
const maxMeta = 1024

// A session is one request and its answer.
//
//	20 text/gemini;lang=en CR LF
//	\/ \_________________/
//	status     meta
type session struct {
	*wire.Conn
	r       *bufio.Reader
	secrets []string
	status  int
	meta    string // hide it before it is shown
}

// newSession returns a session on conn, which it owns. Nothing is sent. secrets are the texts that hide
// hides.
func newSession(conn *wire.Conn, secrets []string) *session {
	return &session{Conn: conn, secrets: secrets, r: bufio.NewReaderSize(conn, maxMeta+len("20 \r\n"))}
}

// exchange sends request, a line with its line end, and the content, and reads the first line of the answer.
// content may be nil. If the server refuses the request before it has read it, exchange returns nil.
func (s *session) exchange(request string, content io.Reader) error {
	if content != nil {
		return newUpload(s, content).run(request)
	}
	_, sendErr := io.WriteString(s.Conn, request)
	if wire.IsTimeout(sendErr) {
		return sendErr
	}
	if err := s.readStatus(); err != nil || sendErr == nil {
		return err
	}
	if s.hasSucceeded() { // at another request, because the server does not have this one
		return sendErr
	}
	return nil
}

// hasSucceeded reports whether the status is success or a redirect.
func (s *session) hasSucceeded() bool { return s.status/10 == 2 || s.status/10 == 3 }

// readStatus waits for the first line of the answer, and sets status and meta. The error wraps
// access.ErrProtocol if the line does not begin with a status from 10 to 69.
func (s *session) readStatus() error {
	if _, err := s.r.Peek(1); err != nil {
		return wire.Early(err)
	}
	s.StartReply(wire.NotEnded)
	defer s.EndReply()
	line, err := wire.ReadLine(s.r)
	if err != nil {
		return wire.Early(err)
	}
	code, meta, _ := strings.Cut(string(line), " ")
	s.status, err = strconv.Atoi(code)
	if err != nil || len(code) != 2 || s.status < 10 || s.status >= 70 {
		return fmt.Errorf("%w: found %.60q, want a status from 10 to 69", access.ErrProtocol, s.hide(string(line)))
	}
	s.meta = meta
	return nil
}

// hide returns text, a text of the server, with "xxxxx" in place of the secrets, which the server may
// repeat.
func (s *session) hide(text string) string { return reply.Hide(text, s.secrets) }

// resource returns the resource that follows the first line of the answer, or the error that the status
// stands for. u is the URL of the Resource, which owns the connection.
func (s *session) resource(u url.URL) (*access.Resource, error) {
	if err := s.failure(u); err != nil {
		return nil, err
	}
	mediaType := s.meta
	if mediaType == "" {
		mediaType = "text/gemini;charset=utf-8"
	}
	return &access.Resource{Entry: access.Entry{URL: u, Type: mediaType, Size: -1}, Body: &wire.Body{Conn: s.Conn, URL: u, Content: s.r}}, nil
}

// failure returns the error that the status stands for; nil for 20 to 29. For a redirect the error is
// an *access.Moved, and for a question access.ErrForm. u is the requested URL, to which a redirect may
// be relative.
func (s *session) failure(u url.URL) error {
	refusal := &engine.Refusal{Reply: access.Reply{Code: s.status, Text: s.hide(s.meta)}}
	switch s.status / 10 {
	case 1:
		return access.ErrForm
	case 2:
		return nil
	case 3:
		return s.redirect(u, &refusal.Reply)
	case 4:
		refusal.Means = access.ErrTemporary
		if seconds, err := strconv.Atoi(strings.TrimSpace(s.meta)); s.status == 44 && err == nil && seconds > 0 {
			refusal.RetryAfter = time.Duration(min(seconds, 24*60*60)) * time.Second
		}
	case 5:
		if s.status == 51 || s.status == 52 {
			refusal.Means = fs.ErrNotExist
		}
	case 6:
		refusal.Means = fs.ErrPermission
		refusal.Remedy = certificateRemedy(s.status)
	}
	return refusal
}

// certificateRemedy returns the remedy for status, from 60 to 69, with which the server
// refuses the client certificate or its absence.
func certificateRemedy(status int) access.Remedy {
	switch status {
	case 61:
		return access.Advice("the server rejects this client certificate; use another one, or ask the server's owner for access")
	case 62:
		return access.Advice("the server calls the client certificate invalid; it may have expired, so try a new one")
	}
	return access.NeedCertificate
}

// redirect returns the error for a redirect: an *access.Moved. A redirect to another scheme or to an
// invalid URL is another error. u is the requested URL, and answer is the server's status and text.
func (s *session) redirect(u url.URL, answer *access.Reply) error {
	to, err := u.Resolve(strings.TrimSpace(s.meta))
	if err != nil {
		return fmt.Errorf("%w: a redirect to %.60q", access.ErrProtocol, s.hide(s.meta))
	}
	if to.Scheme() != "gemini" {
		return &engine.Refusal{
			Reply: *answer, Means: engine.Reason("the redirect leads to another scheme", access.ErrRedirect),
			Remedy: access.Advice("open " + s.hide(to.Redacted()) + " itself, if you want to go there"),
		}
	}
	return &access.Moved{To: to, Permanent: s.status == 31, Reply: answer}
}
