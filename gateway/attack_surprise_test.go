package gateway_test

import (
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/gateway"
)

var (
	linkPattern   = regexp.MustCompile(`<a [^>]*href="(/[^"]*)"`)
	fieldPattern  = regexp.MustCompile(`<input id="url"[^>]* value="([^"]*)"`)
	ticketPattern = regexp.MustCompile(`name="ticket" value="([^"]*)"`)
)

// A page of another site may show any page of the gateway, and make the user click or press Enter there at once. Neither
// the links nor the field of such a page open a private address.
func TestAttackSurprise(t *testing.T) {
	// attack: A page of another site leads to a page of the gateway that does not ask, such as an error or a guess, and
	// makes the user click or press Enter there at once | no link of such a page is trusted, and its field is empty; the
	// field of every page counts after a second
	const inside = "gopher://127.0.0.1:7070/0SHUTDOWN"
	synctest.Test(t, func(t *testing.T) {
		for _, path := range []string{
			"/gopher//127.0.0.1:7070/0SHUTDOWN", "/gopher:127.0.0.1:7070/0SHUTDOWN", "/127.0.0.1:7070/x", "/localhost", "/%6Cocalhost:7070",
			"/-/open?url=gopher//127.0.0.1:7070/0SHUTDOWN", "/-/open?url=gopher://127.0.0.1:7070:1/", "/-/open?url=http://127.0.0.1:7070:1/",
			"/-/search?words=x&url=" + inside, "/-/search?words=x&url=telnet://127.0.0.1:7070/", "/-/session?url=telnet://127.0.0.1:7070/", "/-/session?url=" + inside,
			"/-/compare?url=" + inside, "/-/compare?=" + inside, "/-/archived?url=" + inside, "/-/?url=" + inside, "/-/help?url=" + inside, "/-/handlers?url=" + inside, "/-/schemes?url=" + inside,
			"/-/places?url=" + inside, "/-/newsserver?url=news:a.b&server=127.0.0.1:7070", "/-/archive?format=zip&url=" + inside, "/-/archive?format=no&url=" + inside,
			"/-/list?rows=no&url=" + inside, "/-/about?url=" + inside, "/-/beside?in=" + inside + "&url=" + inside, "/-/nothing?url=" + inside, "/-/dav/" + inside,
			"/gopher://h.example/1",
		} {
			var opened []string
			g := &gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				if host, _ := req.URL.Host(); !req.PublicOnly && host != "h.example" {
					opened = append(opened, req.URL.String())
				}
				return content("text/plain", "text")(req)
			})}
			shown := record(g, http.MethodGet, path, scriptedOff, "").Body.String()
			if path == "/gopher://h.example/1" {
				shown = record(g, http.MethodGet, path, clickedOff, "").Body.String()
			}
			field := html.UnescapeString(firstOf(fieldPattern, shown))
			if strings.Contains(field, "127.0.0.1:7070/") || strings.Contains(field, "localhost") {
				t.Errorf("%s: the field of the page has %q", path, field)
			}
			clicked := clickedHere + "\nReferer: http://localhost" + path
			for _, link := range linkPattern.FindAllStringSubmatch(shown, -1) {
				record(g, http.MethodGet, html.UnescapeString(link[1]), clicked, "")
				if len(opened) > 0 {
					t.Errorf("%s: a click on the link to %s opens %q", path, link[1], opened)
				}
				opened = nil
			}
			ticket := firstOf(ticketPattern, shown)
			for _, wait := range []time.Duration{0, 500 * time.Millisecond, time.Second} {
				time.Sleep(wait)
				for _, fields := range []string{clicked, inClear} {
					w := record(g, http.MethodGet, "/-/open?url="+inside+"&ticket="+ticket, fields, "")
					if isGranted := strings.Contains(w.Header().Get("Set-Cookie"), "locus-grant"); isGranted != (wait == time.Second) && ticket != "" {
						t.Errorf("%s: %v after the last try, the URL in the field is granted to %q: %v", path, wait, fields, isGranted)
					}
				}
			}
		}
	})
}

// A page of another site may also show a page that refuses its request. This page may be behind a window of the other
// site, which closes in the middle of a double-click, so the button of the field may be pressed by surprise at any time.
func TestAttackRefusalsBehind(t *testing.T) {
	// attack: A page of another site makes the gateway refuse a form or one request too many, in a window behind another,
	// which closes between the clicks of a double-click on it | the field of the refusal is empty, so that its button does
	// not open the URL
	const path = "/-/open?url=gopher://127.0.0.1:7070/0SHUTDOWN"
	var g *gateway.Gateway
	var whileBusy *httptest.ResponseRecorder
	g = &gateway.Gateway{MaxRequests: 1, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		whileBusy = record(g, http.MethodGet, path, clickedOff, "")
		return content("text/plain", "text")(req)
	})}
	record(g, http.MethodGet, "/gopher://h.example/1", clickedOff, "")
	for name, refusal := range map[string]*httptest.ResponseRecorder{
		"a form":               record(g, http.MethodPost, path, scriptedOff+"\nOrigin: http://evil.example", ""),
		"another method":       record(g, http.MethodPut, path, clickedHere, ""),
		"one request too many": whileBusy,
		"an invalid URL":       record(g, http.MethodGet, "/-/open?url=gopher://127.0.0.1:7070:1/", clickedOff, ""),
	} {
		body := refusal.Body.String()
		if field := firstOf(fieldPattern, body); refusal.Code < 400 || !strings.Contains(body, `<input id="url"`) || field != "" {
			t.Errorf("the page that refuses %s (%d) has %q in its field", name, refusal.Code, field)
		}
	}
}

// If the user has typed a text that is not a URL, the page about the mistake keeps the text in its field.
func TestTypedMistake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gateway.Gateway{}
		ticket := firstOf(ticketPattern, record(g, http.MethodGet, "/", clickedHere, "").Body.String())
		time.Sleep(time.Second)
		for text, want := range map[string]string{"gopher://h:7070:1/": "gopher://h:7070:1/", "two words": "two words", "ftp//h/": "ftp://h/"} {
			w := record(g, http.MethodGet, "/-/open?url="+neturl.QueryEscape(text)+"&ticket="+ticket, clickedHere, "")
			if field := firstOf(fieldPattern, w.Body.String()); w.Code != http.StatusBadRequest || field != want {
				t.Errorf("the page about %q (%d) has %q in its field, want %q", text, w.Code, field, want)
			}
		}
	})
}

// firstOf returns the first group of the first match of a pattern in text, or "".
func firstOf(pattern *regexp.Regexp, text string) string {
	match := pattern.FindStringSubmatch(text)
	if match == nil {
		return ""
	}
	return match[1]
}

// A graphical browser that sends no Fetch Metadata has double-clicks, whatever its name, so a form counts after a second.
func TestConfirmedByDoubleClick(t *testing.T) {
	const u = "gopher://127.0.0.1:7070/0SHUTDOWN"
	synctest.Test(t, func(t *testing.T) {
		for agent, isAtOnce := range map[string]bool{
			"Lynx/2.9.0": true, "w3m/0.5.3": true,
			"Mozilla/5.0": false, "Dillo/3.1.0": false, "NetSurf/3.10 (Linux)": false, "Opera/9.80 (X11; Linux x86_64)": false,
		} {
			g := &gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				return content("text/plain", "text")(req)
			})}
			fields := "Accept: text/html\nUser-Agent: " + agent
			action := between(record(g, http.MethodGet, "/"+u, fields, "").Body.String(), `action="/-/confirmed?`, `"`)
			ticket := firstOf(ticketPattern, record(g, http.MethodGet, "/", fields, "").Body.String())
			for _, wait := range []time.Duration{0, time.Second} {
				time.Sleep(wait)
				w := record(g, http.MethodPost, "/-/confirmed?"+action, fields, "")
				if isOpened := w.Code == http.StatusOK; isOpened != (isAtOnce || wait > 0) {
					t.Errorf("%s confirms after %v = %d", agent, wait, w.Code)
				}
				w = record(g, http.MethodGet, "/-/open?url="+u+"&ticket="+ticket, fields, "")
				if isOpened := w.Code == http.StatusSeeOther; isOpened != (isAtOnce || wait > 0) {
					t.Errorf("%s sends the field after %v = %d", agent, wait, w.Code)
				}
			}
		}
	})
}
