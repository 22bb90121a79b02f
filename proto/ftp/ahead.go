package ftp

import (
	"fmt"
	"slices"
	"strings"

	"locus/access"
)

// promisable returns the commands that fetch the file of the errand from its
// directory in type I, if all can be sent before the answer to any is known; nil
// if not.
//
// QUIRK: vsftpd says the size in its answer to RETR, so that SIZE can be left out.
func (e *errand) promisable() []string {
	name := e.wire.Name
	if name == "" || e.typeCode() != "i" || e.req.Offset > 0 || e.req.Length > 0 || !e.req.IfChanged.IsZero() ||
		strings.IndexByte(name, 0xff) >= 0 || e.client.Account != "" {
		return nil
	}
	retr := "RETR " + name
	if e.req.Known != nil && !e.req.Known.ModTime.IsZero() {
		return []string{retr}
	}
	return []string{"MDTM " + name, retr}
}

// next returns the commands that fetch what the caller will ask for next, if they
// can go out ahead of that; nil if not.
func (s *session) next() []string {
	req := s.req.Next
	if req == nil || !s.sendsEPSV() || s.mode != "I" {
		return nil
	}
	view, wire, err := s.client.parse(req.URL, file)
	if err != nil { // it will be told when it is asked for
		return nil
	}
	here := s.view
	if view.Scheme != here.Scheme || view.Host != here.Host || view.User != here.User || view.Password != here.Password || !slices.Equal(wire.Dirs, s.dirs) {
		return nil
	}
	e := &errand{client: s.client, ctx: s.ctx, req: req, view: view, wire: wire}
	return e.promisable()
}

// sendsEPSV reports whether the EPSV of the next transfer goes out with the
// command of this one.
//
// QUIRK: vsftpd reads that EPSV when the transfer has ended. Others read commands
// during a transfer, and proftpd then refuses EPSV.
func (s *session) sendsEPSV() bool {
	return s.vsftpd && !s.noEPSV && s.client.Listen == nil && s.transfers > 1
}

// recall reads what is there already of the answers to a file that was asked for
// ahead, before a data connection is made for it. If the server would not wait for
// that, it may be at the port for something else by now: then the file is asked
// for anew.
func (s *session) recall() error {
	if err := s.answers(s.before); err != nil {
		return err
	}
	s.before = nil
	if s.replies.R.Buffered() == 0 {
		return nil
	}
	r, err := s.read()
	if err != nil || r.Code < 400 || s.spoilt {
		return s.distrust()
	}
	s.promised, s.ahead = nil, true
	return s.settle()
}

// keeps reports whether the answer to a RETR that was sent ahead is that the file
// comes which the URL names.
//
// QUIRK: vsftpd names it: "150 Opening BINARY mode data connection for name (4096
// bytes)."
func (s *session) keeps(first access.Reply) bool {
	return first.Code == 150 && strings.Contains(first.Text, " for "+s.wire.Name+" (")
}

// distrust gives up a connection on which something was asked for ahead: whose the
// data connection is that was made for it is not known, and the next one might be
// another's as well. The access is made anew on a new connection.
func (s *session) distrust() error {
	s.spoilt = true
	s.answered = 0 // nothing that counts
	return errPromise
}

// errPromise is seen only by accesses that are over.
var errPromise = fmt.Errorf("%w: what was asked for ahead does not come", access.ErrTemporary)
