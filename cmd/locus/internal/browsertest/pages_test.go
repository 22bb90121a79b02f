package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
)

// audit lists the problems of a page for users who are blind, have poor sight, use no mouse, or
// have a small screen (WCAG 2.2).
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
	const luminances = new Map(); // by colour, because many texts share a colour
	const over = colours => {
		const key = colours.join();
		if (!luminances.has(key)) luminances.set(key, mix(colours));
		return luminances.get(key);
	};
	const mix = colours => {
		canvas.clearRect(0, 0, 1, 1);
		for (const c of colours) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }
		const lin = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
		const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
		return 0.2126 * lin(r) + 0.7152 * lin(g) + 0.0722 * lin(b);
	};
	const backgrounds = new Map(); // the backgrounds of an element and of its ancestors
	const grounds = e => {
		if (!backgrounds.has(e)) backgrounds.set(e, [...(e.parentElement ? grounds(e.parentElement) : []), getComputedStyle(e).backgroundColor]);
		return backgrounds.get(e);
	};
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), checked = new Set();
	for (let n = texts.nextNode(); n; n = texts.nextNode()) {
		const e = n.parentElement;
		if (!n.data.trim() || checked.has(e) || !seen(e) || e.closest("script, noscript, option, [hidden]")) continue;
		checked.add(e);
		const ground = over(grounds(e)), text = over([...grounds(e), getComputedStyle(e).color]);
		const ratio = (Math.max(ground, text) + 0.05) / (Math.min(ground, text) + 0.05);
		if (ratio < 4.5 && !(e.disabled || e.closest(":disabled"))) say("contrast " + ratio.toFixed(2), e);
	}
	return wrong;
})()`

// A pageKind is a kind of page of the gateway, with the path of an example in the demo.
type pageKind struct {
	name, path string
	isError    bool // its status is not 200
}

// pageKinds returns a page of each kind in the demo.
func pageKinds(t *testing.T, help string) []pageKind {
	t.Helper()
	ftp, gopher, wais, news := serviceOf(t, help, "ftp"), serviceOf(t, help, "gopher"), serviceOf(t, help, "wais"), serviceOf(t, help, "news")
	library := serviceOf(t, help, "z39.50s")
	return []pageKind{
		{"front", "", false},
		{"schemes", "-/schemes", false},
		{"handlers", "-/handlers", false},
		{"help", "-/help", false},
		{"tools", "-/", false},
		{"compare", "-/compare?url=https://example.org:8443/a/b%3Fc%23d", false},
		{"compare-differ", "-/compare?url=http://ada:secret@good.example%5C@evil.example:80/a/../b%3Fq%23f", false},
		{"directory", "ftp://" + ftp + "/", false},
		{"pictures", "ftp://" + ftp + "/pictures/", false},
		{"grid", "-/list?view=grid&url=ftp://" + ftp + "/pictures/", false},
		{"names", "ftp://" + ftp + "/awkward/", false},
		{"sorted", "-/list?sort=-size&url=ftp://" + ftp + "/texts/", false},
		{"filtered", "-/list?filter=rfc&url=ftp://" + ftp + "/texts/", false},
		{"filtered-out", "-/list?filter=nothing-is-called-so&url=ftp://" + ftp + "/texts/", false},
		{"about", "-/about?url=ftp://" + ftp + "/texts/rfc1738.txt", false},
		{"text", "ftp://" + ftp + "/texts/rfc1738.txt", false},
		{"picture", "ftp://" + ftp + "/pictures/lens.png", false},
		{"menu", "gopher://" + gopher + "/", false},
		{"found", "gopher://" + gopher + "/7/search%09documents%20score", false},
		{"attributes", "gopher://" + gopher + "/0/README.txt%09%09!", false},
		{"gopher-pictures", "gopher://" + gopher + "/1/pictures", false},
		{"form", "gopher://" + gopher + "/0/guestbook%09%09?", false},
		{"database", "wais://" + wais + "/library", false},
		{"hits", "wais://" + wais + "/library?documents+with+a+score", false},
		{"library", "z39.50s://" + library + "/", false},
		{"library-hits", "z39.50s://" + library + "/library;query=documents%20score", false},
		{"library-terms", "z39.50s://" + library + "/library;scan=@attr%201=4%20g", false},
		{"library-record", "z39.50r://" + library + "/library?lib0007", false},
		{"nfs", "nfs://" + serviceOf(t, help, "nfs") + "/texts/", false},
		{"prospero", "prospero://" + serviceOf(t, help, "prospero") + "/", false},
		{"groups", "news://" + news + "/", false},
		{"newsgroup", "news:library.texts", false},
		{"article", "news:texts.news.txt@library.example", false},
		{"thread", "-/beside?step=thread&in=news:library.texts&id=texts.news.txt%40library.example&url=news:texts.news.txt@library.example", false},
		{"letter", "mid:lens@demo.example", false},
		{"address", "mailto:library@demo.example?subject=Another%20lens", false},
		{"terminal", "telnet://reader@" + serviceOf(t, help, "telnet") + "/", false},
		{"terminal-3270", "tn3270://" + serviceOf(t, help, "tn3270") + "/", false},
		{"missing", "ftp://" + ftp + "/none/such/file-with-a-name-that-is-rather-long-and-has-no-place-to-break-it.txt", true},
		{"login", "ftp://demo:wrong@" + ftp + "/", true},
		{"no-host", "ftp://no-such-host.invalid/", true},
		{"no-server", "gopher://127.0.0.1:1/", true},
		{"invalid", "-/open?url=%3A%3A", true},
		{"guess", "-/open?url=old+maps", true},
	}
}

// eachPage calls f for each look of each kind of page.
func (b *browser) eachPage(at, help string, f func(name string)) {
	b.t.Helper()
	for _, page := range pageKinds(b.t, help) {
		status, _ := b.follow(chromedp.Navigate(at + page.path))
		if (status != 200) != page.isError {
			b.t.Errorf("%s = %d", page.name, status)
		}
		if page.name == "terminal" || page.name == "terminal-3270" {
			b.until("the session begins", `!document.querySelector("#terminal").hidden`)
		}
		b.eachLook(page.name, f)
	}
	// A page of another site links to a session.
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<script>location = %q</script>", at+"telnet://"+serviceOf(b.t, help, "telnet")+"/")
	}))
	defer other.Close()
	b.follow(chromedp.Navigate(other.URL))
	b.until("the gateway asks for a click", `document.querySelector(".target") !== null`)
	b.eachLook("confirm", f)
}

// eachLook calls f with a name for each look of the page: wide and narrow, light and dark.
func (b *browser) eachLook(page string, f func(name string)) {
	b.t.Helper()
	for _, light := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390, 360} {
			b.look(light, width)
			f(fmt.Sprintf("%s-%s-%d", page, light, width))
		}
	}
}

// Everyone can use every kind of page: wide and narrow, light and dark.
func TestBrowserPages(t *testing.T) {
	t.Parallel()
	at, help := startDemo(t)
	b := newBrowser(t)
	b.eachPage(at, help, func(name string) {
		for _, wrong := range value[[]string](b, audit) {
			t.Errorf("%s: %s", name, wrong)
		}
		b.picture("page-" + name + ".jpg")
	})
}
