package server

import (
	"net"
	"slices"
	"time"

	"locus/access"
	"locus/internal/facts"
)

// A Kind is the group of people that a gateway serves: see [Policy].
type Kind string

const (
	// Own is for the user of this machine.
	Own Kind = ""
	// Public is for everybody. It opens public addresses only.
	Public Kind = "public"
	// Any is for people who may open everything that this machine can reach.
	Any Kind = "any"
)

// A Policy describes the URLs that clients of a gateway may open. The zero Policy lets the user of this
// machine open everything. A Policy only answers questions, so the Engine of the gateway must obey it: Kind Public
// needs a locus.Client whose field Public is set.
type Policy struct {
	Kind    Kind
	Schemes []string // schemes that may be opened, in lower case; empty means all

	// Files and Mail let other people open the user's own files (file) and mail (mid, cid), usually
	// within one folder. They have no effect on Own, which opens both anyway.
	Files, Mail bool

	// Proxied means that clients reach the gateway through a reverse proxy. Then a connection from loopback may
	// carry a stranger's request.
	Proxied bool

	// Added has the facts about schemes that the engine of the gateway opens besides
	// the schemes of this module. Other people may open such a scheme if
	// access.Scheme.IsPublic reports true for it.
	Added access.Schemes
}

// Opens reports whether URLs with scheme, in lower case, may be opened. A gateway that serves other people opens files
// only if Files says so, and mail only if Mail says so. A gateway for everybody opens schemes whose servers need an
// account, such as sftp, only if Schemes names them.
func (p Policy) Opens(scheme string) bool {
	if len(p.Schemes) > 0 && !slices.Contains(p.Schemes, scheme) {
		return false
	}
	if p.Kind == Public && facts.Of(scheme).Has(facts.Personal) && !slices.Contains(p.Schemes, scheme) {
		return false
	}
	if p.Kind == Own || p.Added.Of(scheme).IsPublic() {
		return true
	}
	switch s := facts.Of(scheme); {
	case s.Has(facts.LocalPath):
		return p.Files
	case s.Has(facts.Message):
		return p.Mail
	}
	return false
}

// MayListen reports whether a gateway may listen at the address at. A gateway of kind Own opens everything for
// everyone who can reach it, so it may listen on loopback only, and never behind a proxy. Gateways of other kinds may
// listen everywhere.
func (p Policy) MayListen(at net.Addr) bool { return p.Kind != Own || !p.Proxied && IsLoopback(at) }

// usualTimeout is enough for 1 GiB at 5 Mbit/s.
const usualTimeout = 30 * time.Minute

// Timeout returns the time limit of a request. chosen is the limit that a person has set, or 0. The result is chosen,
// except that 0 becomes half an hour if the gateway serves other people. A result of 0 means that a request may take
// as long as the client waits.
func (p Policy) Timeout(chosen time.Duration) time.Duration {
	if p.Kind != Own && chosen == 0 {
		return usualTimeout
	}
	return chosen
}
