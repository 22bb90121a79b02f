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

// While a session runs, the page is one line with the title and its port, the screen, and the keys: a
// 3270 shows all its rows and keys in common windows. After the session the page has its header again.
func TestBrowserTerminalWindow(t *testing.T) {
	t.Parallel()
	at, help := startDemo(t)
	b := newBrowser(t)
	const bottom = `Math.max(...[...document.querySelectorAll("#buttons button, #screen > div")].map(e => e.getBoundingClientRect().bottom)) <= innerHeight`
	const top = `document.querySelector("header").getBoundingClientRect().height <= 40 && document.querySelector("#terminal").getBoundingClientRect().top < 80`
	const inside = `(() => { const t = document.querySelector("#terminal"); return t.scrollWidth <= t.clientWidth && t.scrollHeight <= t.clientHeight; })()`
	for _, test := range []struct{ scheme, url string }{{"tn3270", "tn3270://"}, {"telnet", "telnet://reader@"}} {
		server := serviceOf(t, help, test.scheme)
		b.do(chromedp.EmulateViewport(1280, 720))
		b.follow(chromedp.Navigate(at + test.url + server + "/"))
		b.until("the session begins", `!document.querySelector("#terminal").hidden && document.querySelector("#screen").innerText.trim() !== ""`)
		for _, size := range [][2]int64{{1280, 720}, {1366, 650}, {1280, 800}, {390, 844}} { // width and height
			b.do(chromedp.EmulateViewport(size[0], size[1]))
			for what, condition := range map[string]string{"the rows and the keys are in": bottom, "the header is one line in": top, "nothing scrolls in": inside} {
				b.until(fmt.Sprintf("%s: %s %dx%d", test.scheme, what, size[0], size[1]), condition)
			}
		}
		if title := value[string](b, `document.querySelector("header h1").textContent`); title != test.scheme+"://"+server {
			t.Errorf("the title of a session is %q, want the server with its port", title)
		}
	}
	b.do(run(`document.querySelector("#keys").focus()`))
	b.until("it asks who comes in", `document.querySelector("#screen").innerText.includes("login:")`)
	b.do(chromedp.KeyEvent("u"))
	b.until("the key is for the session", `document.querySelector("#screen").innerText.includes("login: u")`)
	b.do(enter())
	b.until("it asks for a password", `document.querySelector("#screen").innerText.includes("password:")`)
	b.do(chromedp.KeyEvent("x"), enter())
	b.until("it shows texts", `document.querySelector("#screen").innerText.includes("README.txt")`)
	b.do(chromedp.KeyEvent("q"))
	b.until("the session ends", `!document.querySelector("#end").hidden`)
	b.until("the page has its header again", `document.querySelector("header form").checkVisibility() && document.querySelector("main > h1") !== null`)
	if wrong := b.complaints(); wrong != nil {
		t.Errorf("the browser complains: %q", wrong)
	}
}
