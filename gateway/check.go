package gateway

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"locus/access"
)

var (
	errNoPage   = &refusal{http.StatusNotFound, "the gateway has no such page of its own", "the front page is at /"}
	errNoScheme = &refusal{http.StatusBadRequest, "the path is no whole URL", "a URL starts with its scheme: /ftp://ftp.example.org/"}
	errFolded   = &refusal{http.StatusBadRequest, "there is one slash where two should begin a host", "if what stands before the gateway folds //, type the URL into the field above"}
	errMethod   = &refusal{http.StatusMethodNotAllowed, "the method is none of GET, HEAD and POST", ""}
	errHost     = &refusal{http.StatusMisdirectedRequest, "the gateway is not known by that name", "reach it by its address"}
	errCross    = &refusal{http.StatusForbidden, "a page elsewhere may link to the gateway, not load from it", ""}
	errProgram  = &refusal{http.StatusForbidden, "what others serve is not run here", ""}
	errTooLarge = &refusal{http.StatusBadGateway, "the resource is larger than this gateway passes on", ""}
	errPost     = &refusal{http.StatusForbidden, "a form of a page elsewhere is not passed on", ""}
)

// A refusal is an error of the gateway itself.
type refusal struct {
	status     int
	text, hint string
}

func (e *refusal) Error() string          { return e.text }
func (e *refusal) Suggest() access.Remedy { return access.Advice(e.hint) }

// crossOrigin refuses what changes something and comes from a page elsewhere.
var crossOrigin = http.NewCrossOriginProtection()

// check refuses what a page elsewhere makes the user's browser ask for behind
// its user's back, who may reach more than that page's server can.
func (v *visit) check() error {
	if v.proxied() {
		return nil // no page can make a browser ask like that
	}
	r := v.r
	if !v.Knows(r.Host) {
		return errHost
	}
	if err := crossOrigin.Check(r); err != nil {
		return errPost
	}
	if isProgram(r.Header.Get("Sec-Fetch-Dest")) && !strings.HasPrefix(r.RequestURI, own) {
		return errProgram
	}
	if site := r.Header.Get("Sec-Fetch-Site"); (site == "cross-site" || site == "same-site") && !isVisit(r.Header) {
		return errCross
	}
	return nil
}

// isVisit reports whether a browser asks because its user goes there: not for a
// part of another page, be it a frame.
func isVisit(h http.Header) bool {
	dest := h.Get("Sec-Fetch-Dest")
	return h.Get("Sec-Fetch-Mode") == "navigate" && (dest == "" || dest == "document")
}

// isProgram reports whether a browser would run what it asks for with this
// destination. Its policy keeps it from asking for what others serve; should that
// fail, this is the second lock.
func isProgram(dest string) bool {
	switch dest {
	case "script", "worker", "sharedworker", "serviceworker", "audioworklet", "paintworklet", "xslt":
		return true
	}
	return false
}

// Knows reports whether who asks for host, the Host field of a request, means the
// gateway: by an address, as localhost, by one of Names, or by no name at all, as
// programs of HTTP/1.0 do and no browser does. A server beside the gateway asks it
// too.
func (g *Gateway) Knows(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true
	}
	return name == "" || name == "localhost" || slices.ContainsFunc(g.Names, func(n string) bool { return strings.EqualFold(n, name) })
}

// asRefusal returns the refusal that err is, if it is one.
func asRefusal(err error) (*refusal, bool) { return errors.AsType[*refusal](err) }
