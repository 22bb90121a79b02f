package ftp

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"locus/access"
	"locus/url"
)

// add adds to the end of the file that an ftp URL names, or makes it (APPE).
// If it names a directory (its name is empty) a file of a new name is made there
// (STOU), whose URL is returned if the server tells it. After an error a part of
// body may have been added.
func (c Client) add(ctx context.Context, req *access.Request) (url.URL, error) {
	var added url.URL
	err := change(ctx, c, req, fileOrDirectory, func(s *session) (err error) {
		added, err = s.add()
		return err
	})
	return added, err
}

// store replaces the file that the session's URL names. The octets go to another name
// in the same directory, NAME.part- and eight digits, which is renamed when the
// server has said that they are complete and, if it knows SIZE, as many. Until
// then the file is what it was; after an error the other one is deleted, or a
// hint says that it may be there. Client.Direct writes into the file instead.
//
// It is type I unless the URL has a type code; in type A lines that end in LF
// alone are sent with CR LF. Request.IfMatch and IfAbsent compare what MDTM and
// SIZE say before anything is sent: somebody else can still come in between.
// Request.ModTime is sent with MFMT, or as vsftpd has it, and forgotten where
// there is neither. With Request.Offset the rest of a file that has just that
// size is sent with REST and STOR; that file is written into.
func (s *session) store() error {
	body, err := s.prepare()
	if err != nil {
		return err
	}
	if err := s.mayChange(); err != nil {
		return err
	}
	switch {
	case s.req.Offset > 0:
		return s.resume(body)
	case s.client.Direct:
		return s.overwrite(body)
	}
	return s.replace(body)
}

// prepare goes to the directory, sets the type, and returns the Body of the
// request as it is sent.
func (s *session) prepare() (io.Reader, error) {
	if err := s.walk(); err != nil {
		return nil, err
	}
	code := s.storedType()
	body := s.req.Content()
	if code[0] == 'a' {
		body = &netLines{r: bufio.NewReader(body)}
	}
	return body, s.mustType(typeArgument(code))
}

// storedType returns the type code of what is sent: the octets as they are,
// unless the URL says otherwise. A guess would change them.
func (s *session) storedType() string {
	if s.view.Type == "" {
		return "i"
	}
	return s.view.Type
}

// mayChange fails unless the file is the version that the request is about.
func (s *session) mayChange() error {
	if s.req.IfAbsent {
		r, err := s.do("MDTM " + s.wire.Name)
		if err == nil && r.Code == 213 {
			err = fs.ErrExist
		}
		if err != nil {
			return err
		}
	}
	if s.req.IfMatch.IsZero() {
		return nil
	}
	modTime, err := s.modTime()
	if err == nil && !isVersion(&access.Resource{Entry: access.Entry{ModTime: modTime}}, s.req.IfMatch) {
		return access.ErrChanged
	}
	return err
}

// replace sends a file to another name and renames it.
func (s *session) replace(body io.Reader) error {
	name := s.wire.Name + ".part-" + randomDigits()
	if err := s.mayRename(name); err != nil {
		return err
	}
	up, err := s.give("STOR "+name, 0, body)
	if err == nil {
		err = s.checkName(name)
	}
	if err == nil {
		err = s.ask(append(s.checks(name, up.sent), query{"RNFR " + name, func(r access.Reply) error { return s.expect(r, 3) }})...)
	}
	if err == nil {
		err = advise(s.must(2, "RNTO "+s.wire.Name), access.WriteInPlace{})
	}
	if err != nil && up.begun {
		return s.discard(name, err)
	}
	return err
}

func randomDigits() string {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// mayRename asks whether files may be renamed, before one is sent for nothing:
// servers that take files and let nobody rename them refuse the name of a file
// that is not there in another way than others do.
func (s *session) mayRename(name string) error {
	if s.renames {
		return nil
	}
	r, err := s.do("RNFR " + name)
	if err != nil {
		return err
	}
	refused := s.refused(r)
	if errors.Is(refused, fs.ErrPermission) || errors.Is(refused, errors.ErrUnsupported) || r.Code == 421 {
		return advise(refused, access.WriteInPlace{})
	}
	s.renames = true
	return nil
}

// checks are what is asked when all of a file is there: that it is, and what the
// request and the client want of it.
func (s *session) checks(name string, size int64) []query {
	var list []query
	if s.mode == "I" {
		list = append(list, query{"SIZE " + name, func(r access.Reply) error {
			if got := octets(strings.TrimSpace(r.Text)); r.Code == 213 && got != size {
				return fmt.Errorf("%w: the server has %d octets of %d", errBroken, got, size)
			}
			return nil
		}})
	}
	if command := s.setTime(name); command != "" {
		list = append(list, query{command, func(access.Reply) error { return nil }})
	}
	if s.client.Mode != "" {
		list = append(list, query{"SITE CHMOD " + s.client.Mode + " " + name, func(r access.Reply) error { return s.expect(r, 2) }})
	}
	return list
}

// setTime returns the command that sets the time of a file; "" if the request
// has none or the server cannot do it.
//
// QUIRK: vsftpd takes MDTM with a time for what others call MFMT.
func (s *session) setTime(name string) string {
	if s.req.ModTime.IsZero() {
		return ""
	}
	verb := "MFMT"
	if s.vsftpd {
		verb = "MDTM"
	} else if has, err := s.has(verb); err != nil || !has {
		return ""
	}
	return verb + " " + s.req.ModTime.UTC().Format(timeForm) + " " + name
}

// overwrite sends a file to its own name. What a failure has left is deleted.
func (s *session) overwrite(body io.Reader) error {
	up, err := s.give("STOR "+s.wire.Name, 0, body)
	if err == nil {
		err = s.checkName(s.wire.Name)
	}
	if err == nil {
		err = s.ask(s.checks(s.wire.Name, up.sent)...)
	}
	if err != nil && up.begun {
		return s.discard(s.wire.Name, err)
	}
	return err
}

// resume sends the rest of a file.
func (s *session) resume(body io.Reader) error {
	if s.mode != "I" {
		return access.Reason("an upload is resumed in type I alone", errors.ErrUnsupported)
	}
	size, err := s.size()
	switch {
	case err != nil:
		return err
	case size >= 0 && size < s.req.Offset:
		return access.ErrRange
	case size > s.req.Offset:
		return access.ErrChanged
	}
	if err := s.checkName(s.wire.Name); err != nil {
		return err
	}
	up, err := s.give("STOR "+s.wire.Name, s.req.Offset, body)
	if err != nil {
		return err
	}
	return s.ask(s.checks(s.wire.Name, s.req.Offset+up.sent)...)
}

// add adds to the file that the session's URL names, or a file to the directory.
func (s *session) add() (url.URL, error) {
	body, err := s.prepare()
	if err != nil {
		return url.URL{}, err
	}
	if err := s.mayChange(); err != nil {
		return url.URL{}, err
	}
	if s.wire.Name == "" {
		return s.unique(body)
	}
	before := int64(-1)
	if s.mode == "I" {
		if before, err = s.size(); err != nil {
			return url.URL{}, err
		}
	}
	if before >= 0 {
		if err := s.checkName(s.wire.Name); err != nil {
			return url.URL{}, err
		}
	}
	up, err := s.give("APPE "+s.wire.Name, 0, body)
	if err == nil && before >= 0 {
		return url.URL{}, s.ask(s.checks(s.wire.Name, before+up.sent)...)
	}
	if err == nil {
		err = s.checkName(s.wire.Name)
	}
	if errors.Is(err, errOtherName) && s.mode == "I" { // SIZE had nothing of that name
		err = s.discard(s.wire.Name, err)
	}
	return url.URL{}, err
}

// unique sends a file for which the server finds a name.
func (s *session) unique(body io.Reader) (url.URL, error) {
	up, err := s.give("STOU", 0, body)
	name := uniqueName(up)
	if err == nil && name != "" {
		err = s.ask(s.checks(name, up.sent)...)
	}
	if err != nil && name != "" {
		return url.URL{}, s.discard(name, err)
	}
	if err != nil || name == "" {
		return url.URL{}, err
	}
	here := s.here()
	here.Name = s.client.decode(name)
	return here.URL(), nil
}

// uniqueName returns the name that a server has found: "150 FILE: name"
// (RFC 1123 §4.1.2.9). It is "" if the server does not tell.
//
// QUIRK: others tell it when the transfer is complete: "226 Transfer complete
// (unique file name:name)".
func uniqueName(up upload) string {
	for _, r := range []access.Reply{up.first, up.last} {
		if _, name, ok := strings.Cut(r.Text, "FILE: "); ok {
			return plainName(name)
		}
		if _, rest, ok := strings.Cut(r.Text, "unique file name:"); ok {
			name, _, _ := strings.Cut(rest, ")")
			return plainName(strings.TrimSpace(name))
		}
	}
	return ""
}

// plainName returns a name in the directory itself; "" if it is somewhere else.
func plainName(name string) string {
	name = strings.TrimRight(name, "\r\n")
	if strings.ContainsAny(name, "/\n\x00") {
		return ""
	}
	return name
}

// netLines reads r with CR LF for each LF that has no CR before it
// (RFC 959 §3.1.1.1).
type netLines struct {
	r    *bufio.Reader
	last byte
	lf   bool  // an LF is still to be given
	err  error // of r, given when all bytes before it are
}

func (l *netLines) Read(p []byte) (n int, err error) {
	for n < len(p) && l.err == nil {
		c := byte('\n')
		if l.lf {
			l.lf = false
		} else if c, l.err = l.r.ReadByte(); l.err != nil { // which gives an error only once
			break
		} else if c == '\n' && l.last != '\r' {
			c, l.lf = '\r', true
		}
		p[n], l.last = c, c
		n++
	}
	if n > 0 {
		return n, nil
	}
	return 0, l.err
}
