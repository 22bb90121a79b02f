package ftp

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/mediatype"
)

func (s *session) open() (*access.Resource, error) {
	switch {
	case s.view.Type == "d": // RFC 1738 §3.2.2
		return s.openListing(joinCommand("NLST", s.sent.Name), nameParser(s.view.Name))
	case s.view.Name == "":
		return s.openDirectory()
	}
	return s.openFile()
}

func (s *session) openFile() (*access.Resource, error) {
	code := s.typeCode()
	r := &access.Resource{Entry: access.Entry{URL: s.req.URL, Type: mediatype.ByName(s.view.Name), Size: -1}}
	if code == "i" {
		r.Offset = s.req.Offset
	}
	if err := s.askAttributes(r, code); err != nil {
		return nil, err
	}
	if err := engine.CheckTime(s.req, r.ModTime); err != nil {
		return nil, err
	}
	if r.Offset > 0 && r.Size >= 0 && r.Offset >= r.Size {
		return nil, access.ErrRange
	}
	st, err := s.startDownload("RETR "+s.sent.Name, r.Offset)
	if errors.Is(err, errNotFile) || errors.Is(err, fs.ErrNotExist) && r.Size < 0 {
		return nil, withRemedy(err, access.NeedSlash)
	}
	if err != nil {
		return nil, err
	}
	if r.Size < 0 && code == "i" && s.vsftpd {
		r.Size = parseAnnouncedSize(st.first.Text)
	}
	if r.Size >= 0 {
		st.wantSize = r.Size - r.Offset
		st.sizeFromCaller = s.req.Known != nil && s.req.Known.Size == r.Size
	}
	st.sizeRefused = r.Size < 0 && code == "i"
	if st.wantSize < 0 || st.wantSize > smallFile {
		keepAlive(st.data)
	}
	r.Body = st
	return r, nil
}

// smallFile is the size up to which keep-alive is not worth its cost.
const smallFile = 64 << 10

// askAttributes sets the type and asks for size and time unless they are known.
// It also asks for a data port if the server takes several commands at once. If
// the port is known, and no condition depends on the answers, the queries are
// not sent yet. They are sent together with RETR.
//
// QUIRK: vsftpd reports the size in its reply to RETR, so SIZE is left out.
func (s *session) askAttributes(r *access.Resource, code string) error {
	argument := typeArgument(code)
	if len(argument) > 1 || argument == "E" { // few servers know these: send it alone
		if err := s.setType(argument); err != nil {
			return err
		}
	}
	portKnown := s.epsvPending || s.nextDataPort != 0
	atOnce := portKnown && s.currentType == argument && s.req.Offset == 0 && s.req.IfChanged.IsZero()
	var list []query
	if s.currentType != argument {
		list = append(list, s.typeQuery(argument))
	}
	known := s.req.Known
	if known == nil {
		known = &access.Entry{Size: -1}
	}
	if code == "i" {
		r.Size = known.Size
		if r.Size < 0 && !(atOnce && s.vsftpd) {
			list = append(list, s.sizeQuery(s.sent.Name, &r.Size))
		}
	}
	if r.ModTime = known.ModTime; r.ModTime.IsZero() {
		list = append(list, s.timeQuery(&r.ModTime))
	}
	if atOnce {
		s.pendingQueries = list
		return nil
	}
	if s.pipelines && s.client.Listen == nil && !s.noEPSV && !portKnown {
		list = append(list, query{"EPSV", s.keepPort})
	}
	return s.ask(list...)
}

// parseAnnouncedSize reads the size in vsftpd's "Opening BINARY mode data
// connection for name (4096 bytes).". It returns -1 if there is none.
func parseAnnouncedSize(text string) int64 {
	i := strings.LastIndexByte(text, '(')
	digits, ok := strings.CutSuffix(text[i+1:], " bytes).")
	if i < 0 || !ok {
		return -1
	}
	return parseSize(digits)
}

// sizeQuery asks for the size of the file in the current type (RFC 3659 §4).
// It sets -1 if the server does not say.
func (s *session) sizeQuery(name string, size *int64) query {
	return query{"SIZE " + name, func(r access.Reply) error {
		*size = -1
		if r.Code == 213 {
			*size = parseSize(strings.TrimSpace(r.Text))
		}
		return nil
	}}
}

// timeQuery asks when the file last changed (RFC 3659 §3). It sets the zero
// time if the server does not say.
func (s *session) timeQuery(modTime *time.Time) query {
	return query{"MDTM " + s.sent.Name, func(r access.Reply) error {
		*modTime = time.Time{}
		if r.Code == 213 {
			*modTime = parseTime(strings.TrimSpace(r.Text))
		}
		return nil
	}}
}

func (s *session) size() (size int64, err error) {
	return s.sizeOf(s.sent.Name)
}

// sizeOf returns the size of the file of that name; -1 if the server does not say.
func (s *session) sizeOf(name string) (size int64, err error) {
	err = s.ask(s.sizeQuery(name, &size))
	return size, err
}

func (s *session) modTime() (modTime time.Time, err error) {
	err = s.ask(s.timeQuery(&modTime))
	return modTime, err
}

// parseSize reads a size; -1 if it is invalid.
func parseSize(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// timeLayout is the layout of a time in RFC 3659 §2.3, in UTC.
const timeLayout = "20060102150405"

// parseTime reads a time of RFC 3659 §2.3, such as "20261121020208.5", to the
// second. It returns the zero time if it is invalid.
func parseTime(text string) time.Time {
	text, _, _ = strings.Cut(text, ".")
	t, err := time.Parse(timeLayout, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// typeCode returns the type code for a download, in lower case. It is the
// URL's, or a guess by the name (RFC 1738 §3.2.3).
func (o *operation) typeCode() string {
	switch {
	case o.view.Type != "":
		return o.view.Type
	case o.client.Binary:
		return "i"
	}
	switch strings.ToLower(path.Ext(o.view.Name)) {
	case ".txt", ".text", ".htm", ".html":
		return "a"
	}
	return "i"
}

// typeArgument returns the argument of TYPE for a type code. "a" is "A", "an"
// is "A N", "l8" is "L 8" (RFC 1630, "The space is omitted from the URL").
func typeArgument(code string) string {
	code = strings.ToUpper(code)
	if len(code) == 1 {
		return code
	}
	return code[:1] + " " + code[1:]
}
