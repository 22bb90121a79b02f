package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// A 3270 screen is as wide as the display, and a telnet screen fits it: neither scrolls
// sideways, also after the display was turned.
func TestBrowserTerminalFits(t *testing.T) {
	at, help := startDemo(t)
	b := newBrowser(t, at)
	const overflow = `(() => { const t = document.querySelector("#terminal"); return t.scrollWidth - t.clientWidth; })()`
	const filled = `(() => { const t = document.querySelector("#terminal"); return document.querySelector("#screen").offsetWidth / t.clientWidth; })()`
	for _, tt := range []struct{ scheme, url string }{{"tn3270", "tn3270://"}, {"telnet", "telnet://reader@"}} {
		b.look("light", 390)
		b.follow(chromedp.Navigate(at + tt.url + serviceOf(t, help, tt.scheme) + "/"))
		b.until("the session begins", `!document.querySelector("#terminal").hidden && document.querySelector("#screen").innerText.trim() !== ""`)
		for _, width := range []int64{390, 844, 1280, 390} {
			b.look("light", width)
			b.until(fmt.Sprintf("%s fits %d pixels", tt.scheme, width), overflow+" <= 0")
			if tt.scheme == "tn3270" && width < 1280 {
				b.until(fmt.Sprintf("the screen is as wide as %d pixels", width), filled+" > 0.9")
			}
			b.picture(fmt.Sprintf("fits-%s-%d.jpg", tt.scheme, width))
		}
	}
	// The keys of a 3270 have arrows, and every session can be copied.
	b.follow(chromedp.Navigate(at + "tn3270://" + serviceOf(t, help, "tn3270") + "/"))
	b.until("there are keys", `["Enter", "Clear", "PF1", "PF24", "↑", "→", "Copy"].every(name => [...document.querySelectorAll("#buttons button")].some(b => b.textContent === name))`)
}

// A telnet server learns the size of the display with the first message: the page sends
// none while the size stays the same.
func TestBrowserTerminalStartsWithSize(t *testing.T) {
	at, help := startDemo(t)
	b := newBrowser(t, at)
	b.look("light", 390)
	b.do(chromedp.Navigate("about:blank"))
	b.follow(chromedp.Navigate(at))
	b.do(run(`window.opened = []; const Socket = WebSocket; window.WebSocket = class extends Socket { constructor(u) { super(u); window.opened.push(String(u)); } }`))
	b.do(run(`fetch("/telnet://reader@` + serviceOf(t, help, "telnet") + `/").then(r => r.text()).then(text => {
		const page = new DOMParser().parseFromString(text, "text/html");
		document.head.append(...page.head.querySelectorAll("link"));
		document.querySelector("main").replaceWith(page.querySelector("main"));
		const link = document.createElement("link"); link.rel = "stylesheet"; link.href = "/-/terminal.css";
		link.onload = () => { const s = document.createElement("script"); s.src = "/-/terminal.js"; document.body.append(s); };
		document.head.append(link);
	})`))
	b.until("the page connects with a size", `window.opened.length === 1 && /columns=[2-6][0-9]&rows=[0-9]+$/.test(window.opened[0])`)
}
