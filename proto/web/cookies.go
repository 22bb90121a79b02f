package web

import (
	"net/http"
	"net/http/cookiejar"
	neturl "net/url"

	"locus/access"
)

// maxCookies limits the cookies that are kept from one response.
const maxCookies = 64

// addCookies adds the cookies in s to a request (RFC 6265 §5.4). s may be nil.
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

// keepCookies adds the cookies of a response to s (RFC 6265 §5.3), and increments s.Changes if there
// are any. s may be nil. It accepts a Domain in which anybody may register a name, because s has only
// the cookies of the servers that one user has visited.
func keepCookies(s *access.Cookies, resp *http.Response) {
	cookies := resp.Cookies()
	if s == nil || len(cookies) == 0 {
		return
	}
	jar, ok := s.State.(*cookiejar.Jar)
	if !ok {
		jar, _ = cookiejar.New(nil) // never fails
		s.State = jar
	}
	at := siteOf(resp.Request)
	jar.SetCookies(at, cookies[:min(len(cookies), maxCookies)])
	s.Changes++
}

// siteOf returns the URL of r with the host in its Host field, if it has one. The cookies of the
// request belong to that URL.
func siteOf(r *http.Request) *neturl.URL {
	at := *r.URL
	if r.Host != "" {
		at.Host = r.Host
	}
	return &at
}
