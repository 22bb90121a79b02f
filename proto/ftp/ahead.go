package ftp

import (
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

// kept reports whether the answer to a RETR that was sent ahead is about the file
// that the URL names.
//
// QUIRK: vsftpd names it: "150 Opening BINARY mode data connection for name (4096
// bytes)."
func (s *session) kept(first access.Reply) bool {
	return first.Code != 150 || strings.Contains(first.Text, " for "+s.wire.Name+" (")
}
