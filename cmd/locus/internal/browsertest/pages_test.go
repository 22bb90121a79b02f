package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// audit finds what is wrong with a page for those who do not see it, see it badly,
// have no mouse, or have a small screen (WCAG 2.2).
const audit = `(() => {
	const wrong = [], say = (what, e) => wrong.push(what + ": " + (e.outerHTML || e).slice(0, 120));
	const seen = e => e.checkVisibility({checkVisibilityCSS: true}) && e.getBoundingClientRect().right > 0;
	if (document.documentElement.scrollWidth > innerWidth) {
		say("wider than the window by " + (document.documentElement.scrollWidth - innerWidth),
			[...document.querySelectorAll("body *")].find(e => e.getBoundingClientRect().right > innerWidth + 1) || "");
	}
	if (document.documentElement.lang !== "en") say("no language", document.documentElement);
	if (!document.title) say("no title", "");
	for (const [what, most] of [["main", 1], ["h1", 1], ["header", 1], ["footer", 1]]) {
		if (document.querySelectorAll(what).length !== most) say("not one " + what, document.body);
	}
	if (!document.querySelector("a.skip") || document.querySelector("a") !== document.querySelector("a.skip")) say("the first link does not lead to the content", "");
	let level = 0;
	for (const h of document.querySelectorAll("h1,h2,h3,h4")) {
		if (+h.tagName[1] > level + 1) say("a heading is left out before", h);
		level = +h.tagName[1];
	}
	const named = e => (e.labels && e.labels.length) || e.getAttribute("aria-label") || e.textContent.trim() || e.title || e.alt;
	for (const e of document.querySelectorAll("a, button, input:not([type=hidden]), select, textarea, audio, [role=log]")) if (!named(e) && seen(e)) say("no name", e);
	for (const e of document.querySelectorAll("img")) if (!e.hasAttribute("alt")) say("no alt", e);
	for (const e of document.querySelectorAll("nav, section, form[role=search]")) if (!e.getAttribute("aria-label") && !e.querySelector("h2, label")) say("a landmark without a name", e);
	for (const e of document.querySelectorAll("[tabindex]")) if (e.tabIndex > 0) say("an order of its own", e);
	for (const e of document.querySelectorAll("[id]")) if (document.querySelectorAll("#" + CSS.escape(e.id)).length > 1) say("an id twice", e);
	for (const e of document.querySelectorAll("button, input:not([type=hidden]):not([type=checkbox]), select")) {
		const box = e.getBoundingClientRect();
		if (seen(e) && (box.height < 24 || box.width < 24)) say("small for a finger: " + box.width + "x" + box.height, e);
	}
	const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	const over = colours => {
		canvas.clearRect(0, 0, 1, 1);
		for (const c of colours) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }
		const lin = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
		const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
		return 0.2126 * lin(r) + 0.7152 * lin(g) + 0.0722 * lin(b);
	};
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), checked = new Set();
	for (let n = texts.nextNode(); n; n = texts.nextNode()) {
		const e = n.parentElement;
		if (!n.data.trim() || checked.has(e) || !seen(e) || e.closest("script, noscript, option, [hidden]")) continue;
		checked.add(e);
		const grounds = [];
		for (let at = e; at; at = at.parentElement) grounds.unshift(getComputedStyle(at).backgroundColor);
		const ground = over(grounds), text = over([...grounds, getComputedStyle(e).color]);
		const ratio = (Math.max(ground, text) + 0.05) / (Math.min(ground, text) + 0.05);
		if (ratio < 4.5 && !(e.disabled || e.closest(":disabled"))) say("contrast " + ratio.toFixed(2), e);
	}
	return wrong;
})()`

// Every kind of page can be used by everyone: wide and narrow, light and dark.
func TestBrowserPages(t *testing.T) {
	at, help := startDemo(t)
	b := newBrowser(t, at)
	ftp, gopher, wais, news := serviceOf(t, help, "ftp"), serviceOf(t, help, "gopher"), serviceOf(t, help, "wais"), serviceOf(t, help, "news")
	for _, page := range []struct{ name, path string }{
		{"front", ""},
		{"schemes", "-/schemes"},
		{"handlers", "-/handlers"},
		{"tools", "-/"},
		{"compare", "-/compare?url=https://example.org:8443/a/b%3Fc%23d"},
		{"compare-differ", "-/compare?url=http://ada:secret@good.example%5C@evil.example:80/a/../b%3Fq%23f"},
		{"directory", "ftp://" + ftp + "/"},
		{"pictures", "ftp://" + ftp + "/pictures/"},
		{"names", "ftp://" + ftp + "/awkward/"},
		{"sorted", "-/list?sort=-size&url=ftp://" + ftp + "/texts/"},
		{"about", "-/about?url=ftp://" + ftp + "/texts/rfc1738.txt"},
		{"menu", "gopher://" + gopher + "/"},
		{"found", "gopher://" + gopher + "/7/search%09documents%20score"},
		{"attributes", "gopher://" + gopher + "/0/README.txt%09%09!"},
		{"gopher-pictures", "gopher://" + gopher + "/1/pictures"},
		{"form", "gopher://" + gopher + "/0/guestbook%09%09?"},
		{"database", "wais://" + wais + "/library"},
		{"hits", "wais://" + wais + "/library?documents+with+a+score"},
		{"prospero", "prospero://" + serviceOf(t, help, "prospero") + "/"},
		{"groups", "news://" + news + "/"},
		{"newsgroup", "news:library.texts"},
		{"article", "news:texts.news.txt@library.example"},
		{"letter", "mid:lens@demo.example"},
		{"address", "mailto:library@demo.example?subject=Another%20lens"},
		{"terminal", "telnet://reader@" + serviceOf(t, help, "telnet") + "/"},
		{"terminal-3270", "tn3270://" + serviceOf(t, help, "tn3270") + "/"},
		{"missing", "ftp://" + ftp + "/none/such/file-with-a-name-that-is-rather-long-and-has-no-place-to-break-it.txt"},
		{"invalid", "-/open?url=%3A%3A"},
	} {
		status, _ := b.follow(chromedp.Navigate(at + page.path))
		if page.name != "missing" && page.name != "invalid" && status != 200 {
			t.Errorf("%s = %d", page.name, status)
		}
		if page.name == "terminal" || page.name == "terminal-3270" {
			b.until("the session begins", `!document.querySelector("#terminal").hidden`)
		}
		for _, light := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 360} {
				b.look(light, width)
				for _, wrong := range value[[]string](b, audit) {
					t.Errorf("%s, %s, %d wide: %s", page.name, light, width, wrong)
				}
				b.picture(fmt.Sprintf("page-%s-%s-%d.jpg", page.name, light, width))
			}
		}
	}
}
