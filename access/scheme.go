package access

import (
	"maps"

	"locus/internal/facts"
)

// A Scheme is an engine together with facts about its URLs, such as whether they lead to
// the network. Every policy decides by these facts, so a scheme that a program adds gets
// the same protection as the schemes of this module.
//
// The zero Scheme does not open URLs. A Scheme with only an Engine opens URLs for the
// program itself: redirects may not lead to it, because it is not Remote, and a request
// that is PublicOnly does not reach it.
type Scheme struct {
	// Engine opens the URLs; nil: they are not opened.
	Engine Engine

	// Port is the default port of the protocol; 0 if the protocol has none. Port policies
	// allow it for URLs of this scheme.
	Port uint16

	// Protocol names the protocol of the servers, such as "nntp" for news and nntps.
	// Schemes of one protocol may use each other's ports; "": no other scheme has the
	// protocol.
	Protocol string

	// Remote is set if an access fetches a resource from the host in the URL, over the
	// network, and only by the Dial that the Engine was given. The dialler then refuses
	// addresses that are not public. Redirects may lead to the scheme.
	Remote bool

	// Dials is set if an access reaches servers only by the Dial that the Engine was
	// given, but does not fetch from the host in the URL, as in a session, or for news,
	// which come from the user's own server. Remote implies it.
	Dials bool

	// Session is set if a URL names an interactive service.
	Session bool

	// Local is set if a URL names a file of this machine.
	Local bool

	// Shared is set if the program lets strangers open the URLs although they are not
	// fetched over the network, such as files of a folder that it publishes.
	Shared bool

	// Inline is set if a URL contains the resource itself, so an access reaches neither
	// the network nor a file.
	Inline bool

	// Personal is set if the servers serve people who have an account there, such as sftp.
	// Redirects do not lead to the scheme, because they could make a program use the
	// accounts of its user.
	Personal bool

	// Address is set if a URL names an address, which an Engine cannot open.
	Address bool

	// Web is set for http and https. Their redirects lead only to each other.
	Web bool

	// Encrypted is set if the whole protocol runs inside TLS or SSH. No redirect takes a login
	// from such a URL to another one.
	Encrypted bool
}

// IsPublic reports whether strangers may use the Engine with a Dial that reaches only public
// addresses, because the Engine reaches other machines only by its Dial. It is also true for an
// Address, because opening an Address does not connect to a server.
func (s Scheme) IsPublic() bool { return s.Remote || s.Dials || s.Address }

// Fetches reports whether an access gets a resource over the network.
func (s Scheme) Fetches() bool { return (s.Remote || s.Dials) && !s.Session }

// Schemes has the schemes of a program by their names in lower case. A scheme that is not
// in the map has the facts that this module knows about it. Several goroutines may read it
// at once.
type Schemes map[string]Scheme

// Of returns the named scheme. The name must be in lower case. It returns the zero Scheme if
// neither s nor this module knows the name.
func (s Schemes) Of(name string) Scheme {
	if own, ok := s[name]; ok {
		return own
	}
	return known(name)
}

// With returns a copy of s with the schemes of added. A scheme that this module knows keeps
// its facts, and added can only add to them, so that a new engine for ftp need not repeat
// the facts about ftp.
func (s Schemes) With(added map[string]Scheme) Schemes {
	all := maps.Clone(s)
	if all == nil {
		all = make(Schemes)
	}
	for name, scheme := range added {
		all[name] = known(name).and(scheme)
	}
	return all
}

// and returns s with the engine of t. A fact is set if it is set in s or t; t has precedence for
// Port and Protocol.
func (s Scheme) and(t Scheme) Scheme {
	s.Engine = t.Engine
	if t.Port != 0 {
		s.Port = t.Port
	}
	if t.Protocol != "" {
		s.Protocol = t.Protocol
	}
	s.Remote = s.Remote || t.Remote
	s.Dials = s.Dials || t.Dials
	s.Session = s.Session || t.Session
	s.Local = s.Local || t.Local
	s.Shared = s.Shared || t.Shared
	s.Inline = s.Inline || t.Inline
	s.Personal = s.Personal || t.Personal
	s.Address = s.Address || t.Address
	s.Web = s.Web || t.Web
	s.Encrypted = s.Encrypted || t.Encrypted
	return s
}

// Schemes returns the engines of t with the facts that this module knows about their
// schemes.
func (t Table) Schemes() Schemes {
	s := make(Schemes, len(t))
	for name, engine := range t {
		s[name] = known(name).and(Scheme{Engine: engine})
	}
	return s
}

// Table returns the engines of s by the names of their schemes. The engine of a removed scheme is
// nil.
func (s Schemes) Table() Table {
	t := make(Table, len(s))
	for name, scheme := range s {
		t[name] = scheme.Engine
	}
	return t
}

// known returns the facts of this module about the named scheme, without an Engine; the zero Scheme
// if the name is unknown.
func known(name string) Scheme {
	f := facts.Of(name)
	return Scheme{
		Port:      f.Port,
		Protocol:  f.Protocol,
		Remote:    f.Has(facts.Fetches),
		Dials:     f.Has(facts.Fetches) || f.Traits&(facts.Object|facts.Upload) != 0 && f.Protocol != "" || f.Has(facts.Session),
		Session:   f.Has(facts.Session),
		Local:     f.Has(facts.EmptyHost),
		Inline:    f.Has(facts.Inline),
		Personal:  f.Has(facts.Personal),
		Address:   f.Has(facts.Address),
		Web:       f.Has(facts.Web),
		Encrypted: f.Has(facts.Encrypted),
	}
}
