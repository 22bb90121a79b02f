package ftp

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/mediatype"
)

// open opens what the session's URL names.
func (s *session) open() (*access.Resource, error) {
	if err := s.walk(); err != nil {
		return nil, err
	}
	switch {
	case s.view.Type == "d":
		return s.nameList()
	case s.view.Name == "":
		return s.directory()
	}
	return s.file()
}

// file opens the file that the URL names in the directory walked to.
func (s *session) file() (*access.Resource, error) {
	code := s.typeCode()
	r := &access.Resource{Entry: access.Entry{URL: s.req.URL, Type: mediatype.ByName(s.view.Name), Size: -1}}
	if code == "i" {
		r.Offset = s.req.Offset
	}
	if err := s.describe(r, code); err != nil {
		return nil, err
	}
	if err := wanted(s.req, r); err != nil {
		return nil, err
	}
	st, err := s.fetch("RETR "+s.wire.Name, r.Offset)
	if errors.Is(err, notFile{}) || errors.Is(err, fs.ErrNotExist) && r.Size < 0 {
		return nil, advise(err, access.Advice(`if it is a directory, end the URL with "/"`))
	}
	if err != nil {
		return nil, err
	}
	if r.Size < 0 && code == "i" && s.vsftpd {
		r.Size = announced(st.first.Text)
	}
	if r.Size >= 0 {
		st.want = r.Size - r.Offset
		st.known = s.req.Known != nil && s.req.Known.Size == r.Size
	}
	r.Body = st
	return r, nil
}

// describe sets the type and asks for the size and the time, unless they are
// known, and where to connect for data if that can be asked in the same breath.
// If that is known, and the file is wanted whatever its size and time are, they
// are asked for with the command that fetches it.
//
// QUIRK: vsftpd says the size in its answer to that, so that SIZE can be left out.
func (s *session) describe(r *access.Resource, code string) error {
	argument := typeArgument(code)
	if len(argument) > 1 || argument == "E" { // few servers know it: nothing goes with it
		if err := s.mustType(argument); err != nil {
			return err
		}
	}
	portKnown := s.epsvPending || s.port != 0
	atOnce := portKnown && s.mode == argument && s.req.Offset == 0 && s.req.IfChanged.IsZero()
	var list []query
	if s.mode != argument {
		list = append(list, s.setType(argument))
	}
	known := s.req.Known
	if known == nil {
		known = &access.Entry{Size: -1}
	}
	if code == "i" {
		r.Size = known.Size
		if r.Size < 0 && !(atOnce && s.vsftpd) {
			list = append(list, s.askSize(&r.Size))
		}
	}
	if r.ModTime = known.ModTime; r.ModTime.IsZero() {
		list = append(list, s.askTime(&r.ModTime))
	}
	if atOnce {
		s.before = list
		return nil
	}
	if s.queues && s.client.Listen == nil && !s.noEPSV && !portKnown {
		list = append(list, query{"EPSV", func(r access.Reply) error { s.take(r); return nil }})
	}
	return s.ask(list...)
}

// announced reads the size in vsftpd's "Opening BINARY mode data connection for
// name (4096 bytes)."; -1 if there is none.
func announced(text string) int64 {
	i := strings.LastIndexByte(text, '(')
	digits, ok := strings.CutSuffix(text[i+1:], " bytes).")
	if i < 0 || !ok {
		return -1
	}
	return octets(digits)
}

// wanted returns why r, as far as it is known, is not what req asks for.
func wanted(req *access.Request, r *access.Resource) error {
	if isVersion(r, req.IfChanged) {
		return access.ErrNotModified
	}
	if req.Offset > 0 && !req.IfMatch.IsZero() && !isVersion(r, req.IfMatch) {
		return access.ErrChanged
	}
	if r.Offset > 0 && r.Size >= 0 && r.Offset >= r.Size {
		return access.ErrRange
	}
	return nil
}

func isVersion(r *access.Resource, v access.Validator) bool {
	return !v.ModTime.IsZero() && v.ModTime.Equal(r.ModTime)
}

// askSize asks for the size of the file in the type that is set (RFC 3659 §4).
// It is -1 if the server does not say.
func (s *session) askSize(size *int64) query {
	return query{"SIZE " + s.wire.Name, func(r access.Reply) error {
		*size = -1
		if r.Code == 213 {
			*size = octets(strings.TrimSpace(r.Text))
		}
		return s.live(r)
	}}
}

// askTime asks when the file was last changed (RFC 3659 §3). It is zero if the
// server does not say.
func (s *session) askTime(modTime *time.Time) query {
	return query{"MDTM " + s.wire.Name, func(r access.Reply) error {
		*modTime = time.Time{}
		if r.Code == 213 {
			*modTime = timeVal(strings.TrimSpace(r.Text))
		}
		return s.live(r)
	}}
}

func (s *session) size() (size int64, err error) {
	err = s.ask(s.askSize(&size))
	return size, err
}

func (s *session) modTime() (modTime time.Time, err error) {
	err = s.ask(s.askTime(&modTime))
	return modTime, err
}

// octets reads a size; -1 if it is none.
func octets(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// timeForm is a time of RFC 3659 §2.3, in UTC.
const timeForm = "20060102150405"

// timeVal reads a time of RFC 3659 §2.3, "20261121020208.5", to the second. It
// returns the zero time if it is none.
func timeVal(text string) time.Time {
	text, _, _ = strings.Cut(text, ".")
	t, err := time.Parse(timeForm, text)
	if err != nil {
		return time.Time{}
	}
	return t
}
