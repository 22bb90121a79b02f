package access

// A Rememberer can open some resources without asking their servers, as a cache
// can.
type Rememberer interface {
	// Remembers reports whether opening req now would ask no server. It asks none
	// itself.
	Remembers(req *Request) bool
}

// Remembers reports whether o would open req without asking a server, as far as o
// can tell.
func Remembers(o Opener, req *Request) bool {
	r, ok := o.(Rememberer)
	return ok && r.Remembers(req)
}

// Remembers asks the Opener.
func (f Follow) Remembers(req *Request) bool { return Remembers(f.opener(), req) }
