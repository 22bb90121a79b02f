package web

import (
	"net/http"
	"net/http/cookiejar"
	neturl "net/url"

	"locus/access"
)

// maxCookies is how many cookies of one reply are kept.
const maxCookies = 64

// addCookies adds the cookies of a session to a request (RFC 6265 §5.4).
func addCookies(s *access.Cookies, out *http.Request) {
	if s == nil {
		return
	}
	if jar, ok := s.State.(*cookiejar.Jar); ok {
		for _, c := range jar.Cookies(siteOf(out)) {
			out.AddCookie(c)
		}
	}
}

// keepCookies keeps the cookies of a reply in a session (RFC 6265 §5.3). It accepts a
// Domain in which anybody may register a name: the session has only what its own servers
// have sent.
func keepCookies(s *access.Cookies, resp *http.Response) {
	cookies := resp.Cookies()
	if s == nil || len(cookies) == 0 {
		return
	}
	jar, ok := s.State.(*cookiejar.Jar)
	if !ok {
		jar, _ = cookiejar.New(nil) // it never fails
		s.State = jar
	}
	at := siteOf(resp.Request)
	jar.SetCookies(at, cookies[:min(len(cookies), maxCookies)])
	s.Changes++
}

// siteOf returns the URL to which the cookies of a request belong.
func siteOf(r *http.Request) *neturl.URL {
	at := *r.URL
	if r.Host != "" {
		at.Host = r.Host
	}
	return &at
}
