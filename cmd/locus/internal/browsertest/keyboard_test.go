package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// tab presses the key Tab, and returns the element that has the focus after it. It fails if the
// user cannot see the focus.
func (b *browser) tab() string {
	b.t.Helper()
	b.do(press("Tab", 9, "", 0))
	const focused = `(() => {
		const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
		if (e === document.body) return "nothing";
		const name = (e.id ? "#" + e.id + " " : "") + e.tagName.toLowerCase() + " " + (e.labels && e.labels[0] ? e.labels[0].textContent : e.textContent).trim();
		const seen = parseFloat(style.outlineWidth) >= 2 && style.outlineStyle !== "none" && box.right > 0 && box.bottom > 0 && box.top < innerHeight;
		return seen ? name : "UNSEEN " + name;
	})()`
	at := value[string](b, focused)
	if strings.HasPrefix(at, "UNSEEN ") {
		b.t.Errorf("the focus at %s is not visible", at)
	}
	return at
}

// tabTo presses Tab until the element with a name has the focus.
func (b *browser) tabTo(name string) {
	b.t.Helper()
	var passed []string
	for range 80 {
		at := b.tab()
		if at == name {
			return
		}
		passed = append(passed, at)
	}
	b.t.Fatalf("Tab does not reach %q, only %q", name, passed)
}

// A user with only a keyboard can reach everything, and can leave everything again.
func TestBrowserKeyboard(t *testing.T) {
	t.Parallel()
	const ctrl, shift = 2, 8
	at, help := startDemo(t)
	b := newBrowser(t)
	letters := func(text string) chromedp.Action[chromedp.Void] { return chromedp.KeyEvent(text) }
	arrives := func(what, want string) {
		t.Helper()
		status, text := b.follow(enter())
		if status != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d, %.300q", what, status, text)
		}
	}

	b.follow(chromedp.Navigate(at))
	if focus := value[string](b, `document.activeElement.id`); focus != "url" {
		t.Errorf("on the front page %q has the focus, want the field", focus)
	}
	b.follow(chromedp.Navigate(at + "-/schemes"))
	if first := b.tab(); first != "a Skip to content" {
		t.Errorf("the first Tab leads to %q, want the link that skips to the content", first)
	}
	b.do(enter())
	if next := b.tab(); next != "a Front page" {
		t.Errorf("the second Tab leads to %q, want the link to the front page", next)
	}
	b.follow(chromedp.Navigate(at))
	b.tabTo("a A directory")
	arrives("a link", "README.txt")
	b.tabTo("a Size")
	arrives("a column", "README.txt")
	if sorted := value[string](b, `document.querySelector("th.size").getAttribute("aria-sort")`); sorted != "descending" {
		t.Errorf("after Enter on its heading, the column is %q, want descending", sorted)
	}

	gopher := "gopher://" + serviceOf(t, help, "gopher")
	b.tabTo("#url input URL")
	b.do(run(`document.activeElement.select()`), letters(gopher+"/"))
	arrives("a URL", "The guest book")
	b.tabTo("input Search the texts")
	b.do(letters("documents score"))
	arrives("a search", "WAIS: ask in words")
	if title := value[string](b, `document.title`); title != "search: documents score" {
		t.Errorf("the page of the search is called %q", title)
	}

	b.follow(chromedp.Navigate(at + gopher + "/0/guestbook%09%09?"))
	b.tabTo("#q1 input Your name?")
	b.do(run(`document.activeElement.select()`), letters("Grace"))
	b.tabTo("#q3 textarea Your words?")
	b.do(letters("Hello"))
	b.tab()
	b.do(press(" ", 32, " ", 0))
	b.tab()
	b.do(press("ArrowDown", 40, "", 0))
	b.tabTo("button Send")
	arrives("a form", "Grace")

	b.follow(chromedp.Navigate(at + "telnet://" + serviceOf(t, help, "telnet") + "/"))
	const shown = `document.querySelector("#screen").innerText.includes(%q)`
	b.until("the session begins", fmt.Sprintf(shown, "login:"))
	b.do(letters("reader"), enter())
	b.until("it asks for a password", fmt.Sprintf(shown, "password:"))
	b.do(letters("x"), enter())
	b.until("it shows texts", fmt.Sprintf(shown, "README.txt"))
	b.do(press("Tab", 9, "", 0))
	if focus := value[string](b, `document.activeElement.id`); focus != "keys" {
		t.Errorf("Tab in a session moves the focus to %q, want it to go to the session", focus)
	}
	if !value[bool](b, `document.querySelector("#leave").checkVisibility()`) {
		t.Error("the page does not show how to leave the terminal")
	}
	b.do(press("Enter", 13, "", ctrl|shift))
	if focus := value[string](b, `document.activeElement.textContent`); focus != "Ctrl" {
		t.Errorf("leaving the terminal moves the focus to %q, want Ctrl", focus)
	}
	b.tabTo("a Front page")
	arrives("the way home", "Open any URL: type it above")
	if wrong := b.complaints(); wrong != nil {
		t.Errorf("the browser complains: %q", wrong)
	}
}
