package ftp

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"locus/access"
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

// walk changes to each directory of the URL in turn (RFC 1738 §3.2.2).
func (s *session) walk() error {
	for _, dir := range s.view.Dirs {
		err := s.must(2, "CWD "+dir)
		if err != nil && dir == "" {
			return advise(err, `an empty part of the path sends CWD without a directory; for the root directory write "/%2F"`)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// file opens the file that the URL names in the directory walked to.
func (s *session) file() (*access.Resource, error) {
	code := typeCode(s.view)
	if err := s.must(2, "TYPE "+typeArgument(code)); err != nil {
		return nil, err
	}
	r := &access.Resource{URL: s.req.URL, Size: -1}
	var err error
	if code == "i" {
		r.Offset = s.req.Offset
		if r.Size, err = s.size(); err != nil {
			return nil, err
		}
	}
	if r.ModTime, err = s.modTime(); err != nil {
		return nil, err
	}
	if err := wanted(s.req, r); err != nil {
		return nil, err
	}
	st, err := s.transfer("RETR "+s.view.Name, r.Offset)
	if errors.Is(err, notFile{}) || errors.Is(err, fs.ErrNotExist) && r.Size < 0 {
		return nil, advise(err, `if it is a directory, end the URL with "/"`)
	}
	if err != nil {
		return nil, err
	}
	if r.Size >= 0 {
		st.want = r.Size - r.Offset
	}
	r.Body = st
	return r, nil
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

// size asks for the size of the file in the type that is set (RFC 3659 §4). It
// returns -1 if the server does not say.
func (s *session) size() (int64, error) {
	r, err := s.do("SIZE " + s.view.Name)
	if err != nil || r.Code != 213 {
		return -1, err
	}
	return octets(strings.TrimSpace(r.Text)), nil
}

// modTime asks when the file was last changed (RFC 3659 §3). It returns the
// zero time if the server does not say.
func (s *session) modTime() (time.Time, error) {
	r, err := s.do("MDTM " + s.view.Name)
	if err != nil || r.Code != 213 {
		return time.Time{}, err
	}
	return timeVal(strings.TrimSpace(r.Text)), nil
}

// octets reads a size; -1 if it is none.
func octets(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// timeVal reads a time of RFC 3659 §2.3, "20261121020208.5", to the second. It
// returns the zero time if it is none.
func timeVal(text string) time.Time {
	text, _, _ = strings.Cut(text, ".")
	t, err := time.Parse("20060102150405", text)
	if err != nil {
		return time.Time{}
	}
	return t
}
