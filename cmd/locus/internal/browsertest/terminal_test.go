package browsertest

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// A 3270 screen is as wide as the display, and a telnet screen fits into it. Neither scrolls
// sideways, even after the display was turned.
func TestBrowserTerminalFits(t *testing.T) {
	t.Parallel()
	at, help := startDemo(t)
	b := newBrowser(t)
	const overflow = `(() => { const t = document.querySelector("#terminal"); return t.scrollWidth - t.clientWidth; })()`
	const filled = `(() => { const t = document.querySelector("#terminal"); return document.querySelector("#screen").offsetWidth / t.clientWidth; })()`
	for _, test := range []struct{ scheme, url string }{{"tn3270", "tn3270://"}, {"telnet", "telnet://reader@"}} {
		b.look("light", 390)
		b.follow(chromedp.Navigate(at + test.url + serviceOf(t, help, test.scheme) + "/"))
		b.until("the session begins", `!document.querySelector("#terminal").hidden && document.querySelector("#screen").innerText.trim() !== ""`)
		for _, width := range []int64{390, 844, 1280, 390} {
			b.look("light", width)
			b.until(fmt.Sprintf("%s fits %d pixels", test.scheme, width), overflow+" <= 0")
			if test.scheme == "tn3270" && width < 1280 {
				b.until(fmt.Sprintf("the screen is as wide as %d pixels", width), filled+" > 0.9")
			}
			b.picture(fmt.Sprintf("fits-%s-%d.jpg", test.scheme, width))
		}
	}
	// The keys of a 3270 include the arrows, and every session can be copied.
	b.follow(chromedp.Navigate(at + "tn3270://" + serviceOf(t, help, "tn3270") + "/"))
	b.until("there are keys", `["Enter", "Clear", "PF1", "PF24", "↑", "→", "Copy"].every(name => [...document.querySelectorAll("#buttons button")].some(b => b.textContent === name))`)
}

// A telnet server learns the size of the display at the beginning of the connection.
func TestBrowserTerminalStartsWithSize(t *testing.T) {
	t.Parallel()
	at, help := startDemo(t)
	b := newBrowser(t)
	opened := make(chan string, 10)
	err := chromedp.Listen(b.ctx, func(event any) {
		if e, ok := event.(*network.EventWebSocketCreated); ok {
			opened <- e.URL
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	b.look("light", 390)
	b.follow(chromedp.Navigate(at + "telnet://reader@" + serviceOf(t, help, "telnet") + "/"))
	select {
	case u := <-opened:
		if !regexp.MustCompile(`&columns=[2-6][0-9]&rows=[0-9]+$`).MatchString(u) {
			t.Errorf("the page connects to %s", u)
		}
	case <-time.After(time.Minute):
		t.Error("the page has not connected within the time limit")
	}
}
