// Package browsertest opens the gateway of the verbs demo and serve in browsers. It has only tests.
// They are in a package of their own because they start browsers, so that they run beside the tests
// of the command.
package browsertest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	keyboard "github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// serviceOf returns the address of the demo's server for a scheme.
func serviceOf(t *testing.T, help, scheme string) string {
	t.Helper()
	for line := range strings.Lines(help) {
		if addr, ok := strings.CutPrefix(line, scheme+"://"); ok {
			return strings.TrimRight(addr, "/\n")
		}
	}
	t.Fatalf("the demo serves no %s", scheme)
	return ""
}

// A browser is one tab of a headless Chromium, and a list of its complaints.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu    sync.Mutex
	wrong []string
}

// hear records the complaints of the browser: errors of scripts, and requests that a policy
// forbids.
func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			b.wrong = append(b.wrong, fmt.Sprint(e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			b.wrong = append(b.wrong, e.Entry.URL+": "+e.Entry.Text)
		}
	}
}

// complaints returns the complaints of the browser since the last call.
func (b *browser) complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	wrong := b.wrong
	b.wrong = nil
	return wrong
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// follow performs actions that open another page. It waits until this page is loaded, and returns its
// status and text.
func (b *browser) follow(actions ...chromedp.Action[chromedp.Void]) (status int64, text string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	_, _ = chromedp.Run(ctx, chromedp.Evaluate[bool](`window.isLeft = true`)) // fails if this page is being replaced already
	// RunResponse returns a nil response if the load event comes before the response event.
	if _, err := chromedp.RunResponse(ctx, actions...); err != nil {
		b.t.Fatalf("%v, after %v", err, b.complaints())
	}
	b.until("another page is loaded", `!window.isLeft && document.readyState == "complete"`)
	status = value[int64](b, `performance.getEntriesByType("navigation")[0].responseStatus`)
	return status, value[string](b, `document.body ? document.body.innerText : ""`)
}

// value returns the value of an expression of JavaScript in the page. If another page replaces the
// page meanwhile, it is the value in the other page.
func value[T any](b *browser, expression string) T {
	b.t.Helper()
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
		if err == nil {
			return v
		}
		if !isReplaced(err) || time.Since(begin) > time.Minute {
			b.t.Fatalf("%s: %v", expression, err)
		}
	}
}

// isReplaced reports whether Chromium could not evaluate an expression because another page has
// replaced the page.
func isReplaced(err error) bool {
	return slices.ContainsFunc([]string{
		"Cannot find context with specified id",
		"Execution context was destroyed",
		"Inspected target navigated or closed",
	}, func(sentence string) bool { return strings.Contains(err.Error(), sentence) })
}

// run runs JavaScript in the page.
func run(script string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](script)
}

// enter presses the key Enter.
func enter() chromedp.Action[chromedp.Void] { return press("Enter", 13, "\r", 0) }

// press presses a key, as a keyboard does. The event contains the text that the key types, so that
// a page can prevent the typing.
func press(name string, code int64, text string, with int64) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		key := keyboard.DispatchKeyEventParams{Type: "keyDown", Key: name, Code: name, Text: text, WindowsVirtualKeyCode: code, Modifiers: with}
		if _, err := cdp.Call(ctx, t, keyboard.DispatchKeyEvent, key); err != nil {
			return err
		}
		key.Type, key.Text = "keyUp", ""
		_, err := cdp.Call(ctx, t, keyboard.DispatchKeyEvent, key)
		return err
	})
}

// until waits until an expression of JavaScript is true in the page.
func (b *browser) until(what, expression string) {
	b.t.Helper()
	b.untilEvery(what, expression, 20*time.Millisecond)
}

// untilEvery waits until an expression of JavaScript is true in the page. It evaluates the
// expression once in each interval. Evaluating fails while another page replaces the page, so
// untilEvery gives up only after a minute.
func (b *browser) untilEvery(what, expression string, interval time.Duration) {
	b.t.Helper()
	var isTrue bool
	var err error
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(interval) {
		ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second) // the answer may be lost together with the page
		isTrue, err = chromedp.Run(ctx, chromedp.Evaluate[bool](`!!(`+expression+`)`))
		cancel()
		if err == nil && isTrue {
			return
		}
	}
	b.t.Fatalf("%s: still false after a minute, with the error %v; the page has %q", what, err, value[string](b, `document.body.innerText`))
}

// shoot saves pictures of the page in the folder $LOCUS_SCREENSHOTS, if it is set: light and dark,
// wide and narrow.
func (b *browser) shoot(name string) {
	if os.Getenv("LOCUS_SCREENSHOTS") == "" {
		return
	}
	for _, light := range []string{"light", "dark"} {
		for _, width := range []int64{1200, 390} {
			b.look(light, width)
			b.picture(fmt.Sprintf("%s-%s-%d.jpg", name, light, width))
		}
	}
	b.look("light", 1200)
}

// look shows the page in light or dark colours, in a window of a width.
func (b *browser) look(light string, width int64) {
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: light}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(width, 800))
}

// picture saves a picture of the page in the folder $LOCUS_SCREENSHOTS, if it is set.
func (b *browser) picture(name string) {
	dir := os.Getenv("LOCUS_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(90))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), picture, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// Chromium opens the front page of the demo, and opens a URL of every scheme by clicking.
func TestBrowserWalk(t *testing.T) {
	t.Parallel()
	at, help := startDemo(t)
	b := newBrowserWithHandlers(t, at)
	const links = `[...document.querySelectorAll(".places a")]`
	b.follow(chromedp.Navigate(at))
	b.shoot("front")
	titles := value[[]string](b, links+`.map(a => a.textContent)`)
	if len(titles) < 20 {
		t.Fatalf("the front page has %d places: %q", len(titles), titles)
	}
	schemes := map[string]bool{}
	for i, title := range titles {
		b.follow(chromedp.Navigate(at))
		target := value[string](b, fmt.Sprintf(`%s[%d].href`, links, i))
		scheme, _, _ := strings.Cut(strings.TrimPrefix(target, at), ":")
		schemes[scheme] = true
		status, text := b.follow(run(fmt.Sprintf(`%s[%d].click()`, links, i)))
		if status != 200 || text == "" && scheme != "cid" {
			t.Errorf("%s, %s: status %d, %.100q", title, target, status, text)
		}
		if wrong := b.complaints(); wrong != nil {
			t.Errorf("%s, %s: the browser complains: %q", title, target, wrong)
		}
		b.shoot(fmt.Sprintf("%02d-%s", i, scheme))
	}
	for _, scheme := range []string{
		"http", "ftp", "gopher", "wais", "prospero", "news", "nntp", "mailto", "mid", "cid", "telnet", "rlogin", "tn3270", "file", "urn",
	} {
		if !schemes[scheme] {
			t.Errorf("the front page leads to no %s URL", scheme)
		}
	}
	b.typed(at, help)
	b.search(at, help)
	b.form(at, help)
	b.session(at, help)
	b.handlers(at, help)
	b.recent(at, help)
	if wrong := b.complaints(); wrong != nil {
		t.Errorf("at the end of the walk, the browser complains: %q", wrong)
	}
}

// recent finds the recently opened places on the front page, without the passwords of their URLs,
// and then clears them.
func (b *browser) recent(at, help string) {
	b.t.Helper()
	service := serviceOf(b.t, help, "ftp")
	b.follow(chromedp.Navigate(at + "ftp://demo:demo@" + service + "/"))
	b.follow(chromedp.Navigate(at))
	const section = `document.querySelector("#recent")`
	b.until("recent places", section+`.querySelectorAll("li").length > 1`)
	text := value[string](b, section+`.innerText`)
	if !strings.Contains(text, "ftp://demo@"+service+"/") || strings.Contains(text, "demo:") || value[bool](b, section+`.hidden`) {
		b.t.Errorf("the front page shows the recent places %q, want the demo's ftp server without its password", text)
	}
	b.shoot("recent")
	b.do(chromedp.Click("#recent button"))
	b.follow(chromedp.Navigate(at))
	if !value[bool](b, section+`.hidden && !`+section+`.querySelector("li")`) {
		b.t.Errorf("after the recent places were cleared, the section shows %q", value[string](b, section+`.innerText`))
	}
}

// typed types a URL into the field.
func (b *browser) typed(at, help string) {
	b.t.Helper()
	b.follow(chromedp.Navigate(at))
	u := "ftp://" + serviceOf(b.t, help, "ftp") + "/texts/"
	b.do(chromedp.SetValue(chromedp.ID("url"), u))
	status, text := b.follow(chromedp.SendKeys(chromedp.ID("url"), "\r"))
	if status != 200 || !strings.Contains(text, "rfc1738.txt") {
		b.t.Errorf("typed %s: %d, %q", u, status, text)
	}
}

// search searches a WAIS database, and opens the first result.
func (b *browser) search(at, help string) {
	b.t.Helper()
	b.follow(chromedp.Navigate(at + "wais://" + serviceOf(b.t, help, "wais") + "/library"))
	b.do(chromedp.SetValue(chromedp.ID("words"), "documents with a score"))
	status, text := b.follow(chromedp.SendKeys(chromedp.ID("words"), "\r"))
	if status != 200 || !strings.Contains(text, "WAIS: ask in words, get documents") {
		b.t.Errorf("a WAIS search: %d, %q", status, text)
	}
	status, text = b.follow(run(`[...document.querySelectorAll("main a")].find(a => a.textContent.startsWith("WAIS")).click()`))
	if status != 200 || !strings.Contains(text, "WAIS") {
		b.t.Errorf("the first result of the search = %d, %q", status, text)
	}
}

// form fills in an ASK form.
func (b *browser) form(at, help string) {
	b.t.Helper()
	b.follow(chromedp.Navigate(at + "gopher://" + serviceOf(b.t, help, "gopher") + "/0/guestbook%09%09?"))
	b.do(run(`for (const field of document.querySelectorAll("form.ask input, form.ask textarea")) {
		if (field.type === "checkbox" || field.placeholder || field.type === "file") continue; // a name would save the result
		field.value = field.tagName === "TEXTAREA" ? "Greetings from\na browser" : "Ada";
	}`))
	status, text := b.follow(run(`document.querySelector("form.ask button").click()`))
	if status != 200 || !strings.Contains(text, "Ada") || !strings.Contains(text, "Greetings from") {
		b.t.Errorf("an ASK form: %d, %q", status, text)
	}
}

// session uses a terminal session.
func (b *browser) session(at, help string) {
	b.t.Helper()
	const shown = `document.querySelector("#screen").innerText.includes(%q)`
	b.follow(chromedp.Navigate(at + "telnet://" + serviceOf(b.t, help, "telnet") + "/"))
	b.until("the session begins", fmt.Sprintf(shown, "login:"))
	b.do(chromedp.Focus(chromedp.ID("keys")), chromedp.KeyEvent("reader"), enter())
	b.until("it asks for a password", fmt.Sprintf(shown, "password:"))
	b.do(chromedp.KeyEvent("anything"), enter())
	b.until("it shows the library", fmt.Sprintf(shown, "The little library"))
	b.until("it shows texts", fmt.Sprintf(shown, "README.txt"))
	b.shoot("session")
	b.do(chromedp.KeyEvent("q"))
	b.until("it ends", `!document.querySelector("#end").hidden`)
}

// handlers makes the gateway the handler of schemes, and clicks links with these schemes on a page
// of another server.
func (b *browser) handlers(at, help string) {
	b.t.Helper()
	b.follow(chromedp.Navigate(at + "-/handlers"))
	b.shoot("handlers")
	b.do(run(`document.querySelectorAll("#handlers button").forEach(button => button.click())`))
	if status := value[string](b, `document.querySelector("#status").textContent`); !strings.Contains(status, "was asked") {
		b.t.Errorf("the page of handlers says %q", status)
	}
	ftp := "ftp://" + serviceOf(b.t, help, "ftp") + "/texts/"
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `<!DOCTYPE html><link rel="icon" href="data:,"><a id=ftp href="%s">ftp</a> <a id=news href="news:library.texts">news</a>`, ftp)
	}))
	defer elsewhere.Close()
	for id, want := range map[string]string{"ftp": "rfc1738.txt", "news": "library.texts"} {
		b.follow(chromedp.Navigate(elsewhere.URL))
		status, text := b.follow(chromedp.Click(chromedp.ID(id)))
		if status != 403 || !strings.Contains(text, "Open this URL?") { // the server of the URL is on this machine
			b.t.Errorf("a link to %s elsewhere: %d, %q, want the question", id, status, text)
		}
		status, text = b.confirm()
		if status != 200 || !strings.Contains(text, want) {
			b.t.Errorf("a link to %s elsewhere: %d, %q", id, status, text)
		}
	}
	status, text := b.follow(chromedp.Navigate(ftp)) // as if typed into the browser's address bar
	if status != 200 || !strings.Contains(text, "rfc1738.txt") {
		b.t.Errorf("%s for the browser itself: %d, %q", ftp, status, text)
	}
}

// hostile is the script of a page that tries to read other pages of the gateway.
const hostile = `fetch("/").then(r => r.text()).catch(e => "failed").then(t => {
	document.title = "run"; new Image().src = "CANARY" + t.length; location = "CANARY" + "location"; });`

// Documents of a Gopher server do not run scripts in the gateway's origin, even if the browser
// takes them for HTML or SVG.
func TestBrowserContains(t *testing.T) {
	// attack: HTML or SVG of a server reads the gateway's pages
	t.Parallel()
	asked := make(chan string, 100)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	canary := "/gopher://" + l.Addr().String() + "/0/canary"
	script := strings.ReplaceAll(hostile, "CANARY", canary)
	html := "<!DOCTYPE html><link rel=icon href='data:,'><title>still</title><body onload='" + strings.ReplaceAll(script, "\n", " ") + "'><p>a page</p><script>" + script + "</script>" +
		"<iframe srcdoc='<script>parent.location=\"" + canary + "\"</script>'></iframe><meta http-equiv=refresh content='0;url=" + canary + "'>" +
		"<form action='" + canary + "'><input name=x></form><script>document.forms[0].submit()</script><object data='" + canary + "'></object>"
	svg := `<svg xmlns="http://www.w3.org/2000/svg" onload='` + script + `'><title>still</title><script>` + script + `</script><text y="20">a picture</text></svg>`
	answers := map[string]string{"/evil.html": html, "/evil.svg": svg, "/evil.txt": html, "/evil": html, "/evil.xhtml": strings.Replace(html, "<body", `<html xmlns="http://www.w3.org/1999/xhtml"><body`, 1)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			selector, _ := bufio.NewReader(c).ReadString('\n')
			selector = strings.TrimRight(selector, "\r\n")
			asked <- selector
			fmt.Fprint(c, answers[selector])
			c.Close()
		}
	}()
	at, _ := startDemo(t)
	b := newBrowser(t)

	// On another server the same page succeeds, which shows that the test can fail.
	ran := make(chan bool, 1)
	free := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/gopher:") {
			select {
			case ran <- true:
			default: // one value is enough
			}
			return
		}
		fmt.Fprint(w, "<!DOCTYPE html><link rel=icon href='data:,'><title>still</title><script>"+script+"</script>")
	}))
	defer free.Close()
	_ = chromedp.Do(b.ctx, chromedp.Navigate(free.URL)) // the page navigates away before it has loaded
	select {
	case <-ran:
	case <-b.ctx.Done():
		t.Fatal(b.ctx.Err())
	}
	for chromedp.Do(b.ctx, chromedp.Navigate("about:blank")) != nil { // the page may still be navigating away
		if b.ctx.Err() != nil {
			t.Fatal(b.ctx.Err())
		}
	}
	b.complaints()

	for _, item := range []string{"h/evil.html", "I/evil.svg", "0/evil.txt", "0/evil.html", "9/evil.svg", "h/evil.xhtml", "0/evil"} {
		for len(asked) > 0 {
			<-asked
		}
		ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
		err := chromedp.Do(ctx, chromedp.Navigate(at+"gopher://"+l.Addr().String()+"/"+item))
		cancel()
		if err != nil && !strings.Contains(err.Error(), "ERR_ABORTED") { // a download
			t.Errorf("%s: %v", item, err)
			continue
		}
		// A script of the item would have run before this page has loaded.
		title, _ := chromedp.Run(b.ctx, chromedp.Title()) // fails if the item is not a page
		b.follow(chromedp.Navigate(at + "-/schemes"))
		for more := true; more; {
			select {
			case selector := <-asked:
				if strings.HasPrefix(selector, "/canary") {
					t.Errorf("%s: the server was asked for %s", item, selector)
				}
			default:
				more = false
			}
		}
		if title == "run" {
			t.Errorf("%s: a script has run", item)
		}
	}
}
