package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/gateway"
)

// The ticket of the field opens every URL for a day. Content can read the address of its page, because a link may send
// it to its server as the Referer. So content is never shown at an address with that ticket, and a part of a page does
// not open a URL with it.
func TestAttackBorrowedTicket(t *testing.T) {
	// attack: Content sends the address of its page to its server by a link with `referrerpolicy`, to learn a ticket of
	// the field, and uses the ticket in a picture | content is shown at addresses without that ticket, which counts only
	// when the user navigates
	synctest.Test(t, func(t *testing.T) {
		var opened []string
		get := serveHere(&gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			opened = append(opened, req.URL.String())
			return content("text/html", "<a referrerpolicy=unsafe-url href=http://evil.example/>x</a>")(req)
		})})
		fields := strings.Split(clickedHere, "\n")
		_, front, _ := get(http.MethodGet, "/", fields...)
		ticket := ticketIn(t, front)
		const hasDots = "/-/open?url=http://evil.example/a/../x&ticket="
		if resp, _, _ := get(http.MethodGet, hasDots+ticket, fields...); strings.Contains(resp.Header.Get("Location"), ticket) || len(opened) > 0 {
			t.Errorf("a form that is too young opened %q at its address", opened)
		}
		const dillo = "Accept: text/html\nUser-Agent: Dillo/3.1.0"
		if get(http.MethodGet, hasDots+ticket, strings.Split(dillo, "\n")...); len(opened) > 0 {
			t.Errorf("a form of Dillo that is too young opened %q at its address", opened)
		}
		time.Sleep(time.Second)
		for _, typed := range []string{"http://evil.example/a", "http://evil.example/a/../x", "http://evil.example/100%25", "gopher://evil.example/h/./x"} {
			path := "/-/open?ticket=" + ticket + "&url=" + typed
			opened = nil
			resp, _, _ := get(http.MethodGet, path, fields...)
			to, grant := resp.Header.Get("Location"), strings.Join(resp.Header.Values("Set-Cookie"), ";")
			if resp.StatusCode != http.StatusSeeOther || strings.Contains(to, ticket) || to == "" || len(opened) > 0 {
				t.Errorf("GET %s = %d to %q and opened %q, want a redirect to an address without the ticket", path, resp.StatusCode, to, opened)
				continue
			}
			cookie, _, _ := strings.Cut(grant, ";")
			if resp, _, _ = get(http.MethodGet, to, append(fields, "Cookie: "+cookie)...); resp.StatusCode != http.StatusOK || len(opened) != 1 {
				t.Errorf("GET %s = %d and opened %q, want the URL", to, resp.StatusCode, opened)
			}
		}
		for _, path := range []string{"/-/open?", "/-/raw?", "/-/about?", "/-/list?sort=name&"} {
			opened = nil
			path += "ticket=" + ticket + "&url=gopher://127.0.0.1:7070/0SHUTDOWN"
			resp, _, _ := get(http.MethodGet, path, strings.Split(picture+"Referer: http://localhost/http://evil.example/", "\n")...)
			if resp.StatusCode != http.StatusForbidden || len(opened) > 0 {
				t.Errorf("a picture at %s = %d and opened %q, want 403", path, resp.StatusCode, opened)
			}
		}
	})
}
