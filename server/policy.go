package server

import (
	"net"
	"slices"
	"time"

	"locus/access"
	"locus/internal/facts"
)

// A Kind is for whom a gateway is: see [Policy].
type Kind string

const (
	// Own is for who uses this machine.
	Own Kind = ""
	// Public is for everybody: it opens what is at public addresses.
	Public Kind = "public"
	// Any is for people who may open what this machine can reach.
	Any Kind = "any"
)

// A Policy says what the clients of a gateway may open. The zero Policy lets the user of this
// machine open everything. It is the Engine of the gateway that obeys a Policy: Kind Public wants a
// locus.Client whose field Public is set.
type Policy struct {
	Kind    Kind
	Schemes []string // which may be opened, in lower case; none: all

	// Files and Mail let other people open the user's own files (file) and mail (mid, cid), such
	// as one folder of them. They change nothing of Own.
	Files, Mail bool

	// Added has the facts about the schemes that the engine of the gateway opens besides
	// the schemes of this module; nil: none. Other people may open those that are
	// access.Scheme.IsPublic.
	Added access.Schemes
}

// Opens reports whether the URLs of a scheme may be opened.
func (p Policy) Opens(scheme string) bool {
	if len(p.Schemes) > 0 && !slices.Contains(p.Schemes, scheme) {
		return false
	}
	if p.Kind == Own || p.Added.Of(scheme).IsPublic() {
		return true
	}
	switch s := facts.Of(scheme); {
	case s.Has(facts.LocalPath):
		return p.Files
	case s.Has(facts.Object | facts.AtIsData): // a message is named by its id, not by a host
		return p.Mail
	}
	return false
}

// MayListen reports whether a gateway may be at an address: that of Own only where nobody else can
// reach it.
func (p Policy) MayListen(at net.Addr) bool { return p.Kind != Own || IsLoopback(at) }

// usualTimeout is enough for 1 GiB at 5 Mbit/s.
const usualTimeout = 30 * time.Minute

// Timeout returns how long a request may take: chosen, if that is not 0, or half an hour for other
// people; 0: as long as the client waits.
func (p Policy) Timeout(chosen time.Duration) time.Duration {
	if p.Kind != Own && chosen == 0 {
		return usualTimeout
	}
	return chosen
}
