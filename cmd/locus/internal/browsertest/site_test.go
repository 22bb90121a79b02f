package browsertest

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"locus"
	"locus/gateway"
)

// sites are pages of another site that try to make Chromium open TARGET.
var sites = map[string]string{
	"rules":    `<script type="speculationrules">{"prefetch":[{"urls":["TARGET"],"eagerness":"immediate"}]}</script>`,
	"render":   `<script type="speculationrules">{"prerender":[{"urls":["TARGET"],"eagerness":"immediate"}]}</script>`,
	"location": `<script>onload = () => setTimeout(() => location = "TARGET")</script>`,
	"window":   `<script>onload = () => setTimeout(() => open("TARGET", "_self"))</script>`,
	"refresh":  `<meta http-equiv="refresh" content="0;url=TARGET">`,
	"form":     `<form action="TARGET"><input name="a" value="b"></form><script>onload = () => setTimeout(() => document.forms[0].submit())</script>`,
	"prefetch": `<link rel="prefetch" href="TARGET">`,
	"document": `<link rel="prefetch" as="document" href="TARGET">`,
	"picture":  `<img src="TARGET" alt="">`,
	"frame":    `<iframe src="TARGET"></iframe>`,
}

// Pages of other sites cannot make the gateway of this machine open a local server, in any of the
// ways that Chromium offers. After a click on the gateway's own page, the gateway opens the server.
func TestBrowserSites(t *testing.T) {
	// attack: A page of another site uses speculation rules, prerendering, a frame, a script, `window.open`, meta
	// refresh or a form
	t.Parallel()
	var reached atomic.Int64
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			reached.Add(1)
			_, _ = bufio.NewReader(c).ReadString('\n') // unread bytes would break the connection
			fmt.Fprint(c, "the server here\r\n.\r\n")  // a whole text, so that the gateway asks only once
			c.Close()
		}
	}()
	asked := make(chan *http.Request, 100)
	g := &gateway.Gateway{Engine: &locus.Client{Dial: new(net.Dialer).DialContext}}
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.RequestURI, "/gopher:") {
			asked <- r
		}
		g.ServeHTTP(w, r)
	}))
	defer at.Close()
	target := func(attack string) string { return "gopher://" + l.Addr().String() + "/0" + attack }
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		attack := strings.TrimPrefix(r.URL.Path, "/")
		page := strings.ReplaceAll(cmp.Or(sites[attack], `<a id="go" href="TARGET">go</a>`), "TARGET", at.URL+"/"+target(attack))
		fmt.Fprint(w, "<!DOCTYPE html><link rel=icon href='data:,'><title>elsewhere</title>"+page)
	}))
	defer elsewhere.Close()
	b := newBrowser(t)
	for attack := range sites {
		site := strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1) // a different site than the gateway's
		if attack == "render" {
			site = elsewhere.URL // Chromium prerenders only pages of the same site
		}
		b.attack(site, attack, asked)
	}
	if n := reached.Load(); n > 0 {
		t.Errorf("before the click: %d connections to the local server, want 0", n)
	}

	b.leave()
	_ = b.complaints() // forget the complaints about the status 403
	b.do(chromedp.Navigate(strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1) + "/link"))
	status, text := b.follow(chromedp.Click(chromedp.ID("go")))
	if status != http.StatusForbidden || !strings.Contains(text, target("link")) {
		t.Fatalf("a link on another site = %d, %q, want the question", status, text)
	}
	b.shoot("confirm")
	for _, width := range []int64{1280, 390} {
		for _, light := range []string{"light", "dark"} {
			b.look(light, width)
			if wrong := value[[]string](b, audit); len(wrong) > 0 {
				t.Errorf("the page of the question, %s at %d: %q", light, width, wrong)
			}
		}
	}
	if status, text = b.confirm(); status != http.StatusOK || !strings.Contains(text, "the server here") {
		t.Errorf("a click on the gateway's page = %d, %q, want the local server", status, text)
	}
	if at := value[string](b, "location.pathname"); at != "/"+target("link") {
		t.Errorf("the browser is at %s", at)
	}
	if n := reached.Load(); n != 1 {
		t.Errorf("after the click: %d connections to the local server, want 1", n)
	}
	if status, text = b.follow(chromedp.Navigate(at.URL + "/" + target("typed"))); status != http.StatusForbidden || !strings.Contains(text, question) {
		t.Errorf("a typed URL = %d, %q, want the question", status, text)
	}
	if status, text = b.confirm(); status != http.StatusOK || !strings.Contains(text, "the server here") {
		t.Errorf("a typed URL, confirmed = %d, %q, want the local server", status, text)
	}
}

// attack opens a page of another site until the browser has sent the request that the page makes.
// It retries, because on a busy machine Chromium sometimes aborts the navigation or drops a
// prefetch.
func (b *browser) attack(site, attack string, asked <-chan *http.Request) {
	b.t.Helper()
	for range 4 {
		b.leave()
		ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
		_ = chromedp.Do(ctx, chromedp.Navigate(site+"/"+attack)) // fails if the page navigates away before it has loaded
		cancel()
		if sent(attack, asked) {
			return
		}
	}
	b.t.Errorf("%s: Chromium sent no request", attack)
}

// sent waits up to 15 seconds for the request of an attack, and reports whether it came.
func sent(attack string, asked <-chan *http.Request) bool {
	timeout := time.After(15 * time.Second)
	for {
		select {
		case r := <-asked:
			if strings.Contains(r.RequestURI, "/0"+attack) {
				return true
			}
		case <-timeout:
			return false
		}
	}
}

// leave opens an empty page. It repeats the attempt, because the page before it may navigate at the
// same time.
func (b *browser) leave() {
	b.t.Helper()
	for {
		ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
		err := chromedp.Do(ctx, chromedp.Navigate("about:blank"))
		cancel()
		if err == nil {
			return
		}
		if b.ctx.Err() != nil {
			b.t.Fatal(b.ctx.Err())
		}
	}
}
