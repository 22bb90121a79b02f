package browsertest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	keyboard "github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"locus"
	"locus/gateway"
)

// A victim is a server at a private address. Pages of other sites must not reach it.
type victim struct {
	addr    string
	reached atomic.Int64
}

// startVictim starts a server at an address of this machine, such as "127.0.0.3". Its answer is
// text, also for Gopher.
func startVictim(t *testing.T, host string) *victim {
	t.Helper()
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	v := &victim{addr: l.Addr().String()}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			v.reached.Add(1)
			_, _ = bufio.NewReader(c).ReadString('\n')
			fmt.Fprint(c, "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nthe victim\r\n")
			c.Close()
		}
	}()
	return v
}

func (v *victim) isUntouched(t *testing.T, attack string) {
	t.Helper()
	if n := v.reached.Swap(0); n > 0 {
		t.Errorf("%s: %d connections to a private address", attack, n)
	}
}

// startSite starts a web server at an address of this machine. pages has its pages by path. The
// path "/same" redirects to the URL in its query.
func startSite(t *testing.T, host string, pages map[string]string) (addr string, asked func(path string) int64) {
	t.Helper()
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	var pictures atomic.Int64
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/same":
			to, _ := neturl.QueryUnescape(r.URL.RawQuery)
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		case "/ok.svg":
			pictures.Add(1)
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!DOCTYPE html><link rel=icon href='data:,'><title>a site</title>"+pages[r.URL.Path])
		}
	})}
	go server.Serve(l) // Serve returns when the test closes the server
	t.Cleanup(func() { server.Close() })
	return l.Addr().String(), func(string) int64 { return pictures.Load() }
}

// startOpen starts a gateway that may open every address.
func startOpen(t *testing.T) (at string) {
	t.Helper()
	server := httptest.NewServer(&gateway.Gateway{Engine: &locus.Client{Dial: new(net.Dialer).DialContext}})
	t.Cleanup(server.Close)
	return server.URL + "/"
}

const question = "Open this URL?"

// answer opens a URL, and confirms it if the gateway asks.
func (b *browser) answer(at string) (status int64, text string) {
	b.t.Helper()
	status, text = b.follow(chromedp.Navigate(at))
	if status == http.StatusForbidden && strings.Contains(text, question) {
		status, text = b.confirm()
	}
	return status, text
}

// confirm presses the button of the page that asks, as soon as the button works. It presses the button again if the page
// stays, because the button sleeps again when the mouse arrives, and on a busy machine the first click comes after that.
func (b *browser) confirm() (status int64, text string) {
	b.t.Helper()
	b.complaints() // forget the complaint about the status 403
	b.untilAwake()
	const isNext = `document.readyState == "complete" && document.querySelector("h1")?.textContent != "` + question + `"`
	var clicked time.Time
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if next, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](isNext)); err == nil && next { // evaluating fails between two pages
			status = value[int64](b, `performance.getEntriesByType("navigation")[0].responseStatus`)
			return status, value[string](b, `document.body ? document.body.innerText : ""`)
		}
		if time.Since(clicked) > 5*time.Second {
			ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
			_ = chromedp.Do(ctx, chromedp.Click("main form button")) // fails if the next page comes now
			cancel()
			clicked = time.Now()
		}
	}
	b.t.Fatal("within a minute after the clicks on the button no other page came")
	return 0, ""
}

// untilAwake waits until the button of the page that asks works. It asks from outside, because the page
// may not run scripts.
func (b *browser) untilAwake() {
	b.t.Helper()
	b.untilEvery("the button is awake", `getComputedStyle(document.querySelector("main form button")).visibility == "visible"`, 10*time.Millisecond)
}

// reach opens a page. It repeats the attempt, because the page before it may navigate at the same
// time.
func (b *browser) reach(at string) {
	b.t.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; {
		ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
		err := chromedp.Do(ctx, chromedp.Navigate(at))
		cancel()
		if err == nil {
			return
		}
	}
	b.t.Fatalf("the browser cannot reach %s", at)
}

// untilAsked waits for the page that asks. Another page may still be shown when it begins.
func (b *browser) untilAsked() {
	b.t.Helper()
	b.untilEvery("the page asks", `document.querySelector("main form button")`, 5*time.Millisecond)
}

// A typed, bookmarked or mailed link that redirects to the gateway does not open a private address,
// through any page of the gateway and with any spelling of the address.
func TestBrowserTypedRedirect(t *testing.T) {
	// attack: A link that was typed, mailed or bookmarked (`Sec-Fetch-Site: none`) redirects to the gateway, which
	// would open a private address, a file, mail or a session
	t.Parallel()
	v := startVictim(t, "127.0.0.3")
	_, port, _ := net.SplitHostPort(v.addr)
	at := startOpen(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	}))
	defer elsewhere.Close()
	b := newBrowser(t)
	inside := "gopher://" + v.addr + "/0SHUTDOWN"
	for _, target := range []string{
		inside,
		"gopher://[::ffff:127.0.0.3]:" + port + "/0SHUTDOWN",
		"gopher://[::ffff:7f00:3]:" + port + "/0SHUTDOWN",
		"gopher://%31%32%37.0.0.3:" + port + "/0SHUTDOWN",
		"telnet://" + v.addr + "/",
		"file:///etc/hostname",
		"http://" + v.addr + "/",
		"-/open?url=" + neturl.QueryEscape(inside+"/../x"),
		"-/raw?url=" + neturl.QueryEscape(inside),
		"-/raw?url=file:///etc/hostname",
		"-/download?url=" + neturl.QueryEscape(inside),
		"-/list?sort=name&url=" + neturl.QueryEscape(inside),
		"-/about?url=" + neturl.QueryEscape("http://"+v.addr+"/"),
		"-/archive?format=zip&url=" + neturl.QueryEscape("http://"+v.addr+"/d/"),
		"-/beside?step=next&in=" + neturl.QueryEscape(inside) + "&url=" + neturl.QueryEscape(inside),
		"-/dav/http://" + v.addr + "/d/",
	} {
		ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
		_ = chromedp.Do(ctx, chromedp.Navigate(elsewhere.URL+"/redir?to="+neturl.QueryEscape(at+target))) // fails if the response is a download
		cancel()
		if heading := value[string](b, `document.querySelector("h1")?.textContent ?? ""`); heading != question {
			t.Errorf("a typed link that redirects to %s shows %q, want the question", target, heading)
		}
		v.isUntouched(t, target)
	}
	b.complaints()
}

// The page that asks cannot be confirmed by accident: by the second half of a double-click, by
// holding Enter down, by its text field, or within a frame.
func TestBrowserConfirmSurprise(t *testing.T) {
	// attack: A page is double-clicked, or Enter is held down, so that the page that asks is confirmed by surprise
	t.Parallel()
	v := startVictim(t, "127.0.0.3")
	at := startOpen(t)
	target := at + "gopher://" + v.addr + "/0SHUTDOWN"
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := `<a id="go" href="` + target + `" style="position:fixed;inset:0" onmousedown="location=this.href">double-click here</a>`
		if r.URL.Path == "/frame" {
			page = `<iframe id="frame" src="` + target + `" style="width:900px;height:700px"></iframe>`
		}
		fmt.Fprint(w, "<!DOCTYPE html><link rel=icon href='data:,'><title>elsewhere</title>"+page)
	}))
	defer elsewhere.Close()
	site := strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1)
	b := newBrowser(t)
	b.reach(site)
	b.do(chromedp.Click(chromedp.ID("go")))
	b.untilAsked()
	if field := value[string](b, `document.querySelector("header input[type=text]").value`); field != "" {
		t.Errorf("the field of the page that asks has %q, want it empty, because Enter would open the URL", field)
	}
	const place = `(() => { const r = document.querySelector("main form button").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`
	button := value[[2]float64](b, place)
	for _, pause := range []time.Duration{60, 150, 300, 500} {
		for range 10 {
			b.reach(site)
			began := time.Now()
			b.do(chromedp.MouseClickXY(button[0], button[1]))
			b.untilAsked()
			time.Sleep(pause * time.Millisecond) // the time that a user takes for the second click
			b.do(chromedp.MouseClickXY(button[0], button[1]))
			took := time.Since(began)
			b.do(chromedp.Sleep(time.Second)) // the page that asks is still there a second after it came
			if took < time.Second || v.reached.Load() == 0 {
				break
			}
			v.reached.Store(0) // the machine is so busy that the second click was not part of a double-click
		}
		b.untilAwake()
		v.isUntouched(t, fmt.Sprintf("a double-click of %d ms", pause))
	}
	b.reach(site)
	b.do(chromedp.Focus(chromedp.ID("go")), hold("Enter", 13, "\r", 60))
	b.untilAsked()
	b.do(hold("Enter", 13, "\r", 60))
	v.isUntouched(t, "Enter that is held down")

	b.leave()
	b.complaints()
	b.reach(site + "/frame")
	if shown := strings.Join(b.complaints(), "\n"); !strings.Contains(shown, "frame") && !strings.Contains(shown, "refused") && !strings.Contains(shown, "403") {
		t.Errorf("the page that asks is in a frame: %q", shown)
	}
	v.isUntouched(t, "a frame")

	b.reach(site)
	b.do(chromedp.Click(chromedp.ID("go")))
	b.untilAsked()
	if status, text := b.confirm(); status != http.StatusOK || !strings.Contains(text, "the victim") {
		t.Errorf("a click on the button after a while = %d, %q", status, text)
	}
}

// The page that asks works without scripts, in a wide and in a narrow window. It shows the whole URL, and its
// button wakes by itself and opens the URL.
func TestBrowserConfirmPlain(t *testing.T) {
	t.Parallel()
	v := startVictim(t, "127.0.0.3")
	at := startOpen(t)
	long := "gopher://" + v.addr + "/0" + strings.Repeat("a-long-selector", 20) + "/SHUTDOWN"
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, at+long, http.StatusFound)
	}))
	defer elsewhere.Close()
	for _, test := range []struct {
		name  string
		plain bool
	}{{"scripts", false}, {"plain", true}} {
		b := newBrowser(t)
		if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: test.plain}); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{1280, 390} {
			b.look("light", width)
			b.reach(elsewhere.URL)
			b.untilAsked()
			if room := value[[2]int](b, `[document.documentElement.scrollWidth, innerWidth]`); room[0] > room[1] {
				t.Errorf("%s, %d pixels: the page is %d pixels wide, and the window %d", test.name, width, room[0], room[1])
			}
			if shown := value[string](b, `document.querySelector("main").innerText`); !strings.Contains(strings.ReplaceAll(shown, "\n", ""), long) {
				t.Errorf("%s, %d pixels: the page shows %q, want %q", test.name, width, shown, long)
			}
			b.picture(fmt.Sprintf("confirm-%s-%d-asleep.jpg", test.name, width))
			v.isUntouched(t, test.name)
			b.untilAwake()
			b.picture(fmt.Sprintf("confirm-%s-%d.jpg", test.name, width))
		}
		if status, text := b.confirm(); status != http.StatusOK || !strings.Contains(text, "the victim") {
			t.Errorf("%s: a click on the button = %d, %q", test.name, status, text)
		}
		v.reached.Store(0)
	}
}

// hold holds a key down for about two seconds, and repeats it n times.
func hold(name string, code int64, text string, n int) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		key := keyboard.DispatchKeyEventParams{Type: "keyDown", Key: name, Code: name, Text: text, WindowsVirtualKeyCode: code}
		for range n {
			if _, err := cdp.Call(ctx, t, keyboard.DispatchKeyEvent, key); err != nil {
				return err
			}
			key.AutoRepeat = new(true)
			time.Sleep(30 * time.Millisecond)
		}
		key.Type, key.Text, key.AutoRepeat = "keyUp", "", nil
		_, err := cdp.Call(ctx, t, keyboard.DispatchKeyEvent, key)
		return err
	})
}

// The images, styles and frames of a page in the gateway cannot reach another server at a private
// address, even by a redirect, nor another port of the page's own host.
func TestBrowserParts(t *testing.T) {
	// attack: A page of one server has a picture, style, frame, object or manifest at a private address of another
	t.Parallel()
	other, port := startVictim(t, "127.0.0.3"), startVictim(t, "127.0.0.2")
	pages := make(map[string]string)
	site, asked := startSite(t, "127.0.0.2", pages)
	var page strings.Builder
	fmt.Fprintf(&page, `<img src="/http://%s/ok.svg" alt="">`, site)
	for i, target := range []string{
		"/http://" + site + "/same?" + neturl.QueryEscape("http://"+other.addr+"/x"),
		"/http://" + other.addr + "/x",
		"/gopher://" + other.addr + "/0SHUTDOWN",
		"/gopher://" + port.addr + "/0SHUTDOWN",
		"/-/raw?url=" + neturl.QueryEscape("gopher://"+port.addr+"/0SHUTDOWN"),
	} {
		fmt.Fprintf(&page, `<img src="%[1]s#%[2]d" alt=""><link rel="stylesheet" href="%[1]s"><link rel="manifest" href="%[1]s"><link rel="icon" href="%[1]s">
			<object data="%[1]s"></object><embed src="%[1]s"><iframe src="%[1]s"></iframe><video src="%[1]s" autoplay></video><audio src="%[1]s" preload="auto"></audio>
			<style>@font-face { font-family: f%[2]d; src: url("%[1]s") } p { font-family: f%[2]d; background: url("%[1]s&b") }</style><p>text`, target, i)
	}
	pages["/parts"] = page.String()
	at := startOpen(t)
	b := newBrowser(t)
	if status, text := b.answer(at + "http://" + site + "/parts"); status != http.StatusOK {
		t.Fatalf("the page = %d, %q", status, text)
	}
	b.until("the parts are loaded or refused", `document.readyState === "complete" && document.fonts.status === "loaded" &&
		[...document.querySelectorAll("video, audio")].every(e => e.networkState === HTMLMediaElement.NETWORK_NO_SOURCE)`)
	if asked("/ok.svg") == 0 {
		t.Error("the picture of the page's own server was not loaded")
	}
	other.isUntouched(t, "a part at another host")
	port.isUntouched(t, "a part at another port")
}

// A link in a page of another host asks first, as the same link outside of the gateway does, even
// if the link hides its referrer.
func TestBrowserContentLinks(t *testing.T) {
	// attack: A link in a page of one server leads to a private address of another, by the URL, the field or a
	// redirect, and hides its Referer
	t.Parallel()
	v := startVictim(t, "127.0.0.3")
	pages := make(map[string]string)
	site, _ := startSite(t, "127.0.0.2", pages)
	inside := "http://" + v.addr + "/x"
	pages["/links"] = `<meta name="referrer" content="unsafe-url">
		<a id="plain" href="/` + inside + `">a</a>
		<a id="origin" referrerpolicy="origin" href="/` + inside + `">b</a>
		<a id="hidden" rel="noreferrer" href="/` + inside + `">c</a>
		<a id="field" href="/-/open?url=` + neturl.QueryEscape(inside) + `">d</a>
		<a id="raw" href="/-/raw?url=` + neturl.QueryEscape(inside) + `">e</a>
		<a id="redirect" href="/http://` + site + `/same?` + neturl.QueryEscape(inside) + `">f</a>
		<a id="session" href="/telnet://` + v.addr + `/">g</a>
		<a id="window" target="_self" href="/-/about?url=` + neturl.QueryEscape(inside) + `">h</a>
		<a id="next" href="/http://` + site + `/next">next</a>`
	pages["/next"] = "<p>the next page"
	at := startOpen(t)
	b := newBrowser(t)
	for _, id := range []string{"plain", "origin", "hidden", "field", "raw", "redirect", "session", "window"} {
		b.answer(at + "http://" + site + "/links")
		if status, text := b.follow(chromedp.Click(chromedp.ID(id))); status != http.StatusForbidden || !strings.Contains(text, question) {
			t.Errorf("the link %s in content = %d, %.200q, want the question", id, status, text)
		}
		v.isUntouched(t, "the link "+id)
		b.complaints()
	}
	b.answer(at + "http://" + site + "/links")
	if status, text := b.follow(chromedp.Click(chromedp.ID("next"))); status != http.StatusOK || !strings.Contains(text, "the next page") {
		t.Errorf("a link to the same server = %d, %q, want the page without a question", status, text)
	}
	b.answer(at + "http://" + site + "/links")
	b.follow(chromedp.Click(chromedp.ID("plain")))
	if status, text := b.confirm(); status != http.StatusOK || !strings.Contains(text, "the victim") {
		t.Errorf("after the question = %d, %q", status, text)
	}
}

// The URL that a user types into the field of the gateway opens without a question.
func TestBrowserField(t *testing.T) {
	t.Parallel()
	v := startVictim(t, "127.0.0.3")
	at := startOpen(t)
	b := newBrowser(t)
	b.follow(chromedp.Navigate(at))
	b.do(chromedp.Focus(chromedp.ID("url")), chromedp.KeyEvent("gopher://"+v.addr+"/0text"))
	b.untilFormCounts()
	if status, text := b.follow(enter()); status != http.StatusOK || !strings.Contains(text, "the victim") {
		t.Errorf("a URL in the field = %d, %q", status, text)
	}
	if path := value[string](b, "location.pathname+location.search"); path != "/gopher://"+v.addr+"/0text" {
		t.Errorf("after a URL was typed into the field, the browser is at %s", path)
	}
}
