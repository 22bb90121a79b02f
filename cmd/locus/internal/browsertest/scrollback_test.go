package browsertest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	keyboard "github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// longSession serves a terminal session. It greets with hello, and then writes a number of numbered
// lines for each line that it reads. It returns its address.
func longSession(t *testing.T, hello string, lines int, skip func(*bufio.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	serve := func(c net.Conn) {
		defer c.Close()
		in := bufio.NewReader(c)
		skip(in)
		io.WriteString(c, hello)
		for n := 0; ; {
			if _, err := in.ReadString('\r'); err != nil {
				return
			}
			for range lines {
				n++
				if _, err := fmt.Fprintf(c, "\x1b[3%dmline\x1b[m %d <b>\r\n", n%8, n); err != nil {
					return
				}
			}
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return l.Addr().String()
}

const (
	history = `document.querySelector("#history")`
	display = `document.querySelector("#terminal")`
	isBack  = `!document.querySelector("#newest").hidden`
)

// has returns a condition: the element with an id contains a text.
func has(id, text string) string {
	return fmt.Sprintf(`document.querySelector(%q).textContent.includes(%q)`, "#"+id, text)
}

// Lines that have left the screen can be read and copied, by key, touch and button, until there are
// too many of them.
func TestBrowserScrollback(t *testing.T) {
	t.Parallel()
	at := startServe(t) + "/"
	b := newBrowser(t)
	nothing := func(*bufio.Reader) {}
	for _, test := range []struct{ name, url string }{
		{"telnet", "telnet://" + longSession(t, "\xff\xfb\x01ready\r\n", 300, nothing) + "/"},
		{"telnet by lines", "telnet://" + longSession(t, "ready\r\n", 300, nothing) + "/"},
		{"rlogin", "rlogin://reader@" + longSession(t, "\x00ready\r\n", 300, func(in *bufio.Reader) {
			for range 4 { // the strings of RFC 1282
				in.ReadString(0)
			}
		}) + "/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b.t = t
			b.look("light", 1280)
			b.answer(at + test.url)
			b.until("the session begins", has("screen", "ready"))
			if value[bool](b, isBack) || value[int](b, history+".childElementCount") != 0 {
				t.Errorf("%s: the page shows earlier lines at the start", test.name)
			}
			b.do(enter())
			b.until("300 lines came", has("screen", "line 300 <b>"))
			b.until("the earlier ones are kept", has("history", "line 1 <b>")+" && "+has("history", "line 200 <b>"))
			if value[int](b, history+`.querySelectorAll("b").length`) != 0 {
				t.Errorf("%s: the server's text became markup", test.name)
			}
			if value[bool](b, isBack) {
				t.Errorf("%s: new lines are not in view", test.name)
			}
			each := value[[]string](b, `[...document.querySelectorAll("#history div, #screen div")].map(e => e.textContent).filter(text => text.startsWith("line"))`)
			for i, line := range each {
				if want := fmt.Sprintf("line %d <b>", i+1); line != want {
					t.Fatalf("line %d is %q, want %q", i+1, line, want)
				}
			}
			b.scrollByKeys()
			b.scrollByTouch()
			b.copyEarlier()
			b.do(run(`document.querySelector("#keys").disabled ? document.querySelector("#text").focus() : document.querySelector("#keys").focus()`), enter())
			b.until("typing leads back to the newest lines", has("screen", "line 600 <b>")+" && !("+isBack+")")
			for _, width := range []int64{390, 1280} {
				b.look("light", width)
				b.until("the newest lines stay in view", "!("+isBack+")")
			}
			b.picture("scrollback-" + strings.ReplaceAll(test.name, " ", "-") + ".jpg")
			b.until("the newest lines stay in view", "!("+isBack+")")
			// Wait for each batch of lines, because the gateway keeps only 2000 lines for a slow
			// page.
			for last := 900; last <= 5400; last += 300 {
				b.do(enter())
				b.until("300 more lines came", has("screen", fmt.Sprintf("line %d <b>", last)))
			}
			if n := value[int](b, history+".childElementCount"); n > 5000 || n < 4900 {
				t.Errorf("%d earlier lines are kept, want 5000", n)
			}
			if value[bool](b, has("history", "line 1 <b>")) {
				t.Errorf("%s: the oldest line is kept", test.name)
			}
		})
	}
}

// A long line is wrapped at the width of the display, on the screen and above it, even after the
// display was turned.
func TestBrowserReflow(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "%04d ", i)
	}
	long := b.String() + "end"
	at := startServe(t) + "/"
	page := newBrowser(t)
	page.look("light", 390)
	page.answer(at + "telnet://" + longSession(t, "\xff\xfb\x01"+long+"\r\n", 100, func(*bufio.Reader) {}) + "/")
	page.until("the session begins", has("screen", "end"))
	const firstRow = `document.querySelector("#screen div").textContent`
	if n := value[int](page, firstRow+".length"); n > 80 {
		t.Errorf("a row of a narrow screen has %d characters", n)
	}
	page.look("light", 1280)
	page.until("a wider row has more text", fmt.Sprintf(`%s.startsWith(%q)`, firstRow, long[:100]))
	page.look("light", 390)
	page.until("the narrow screen has the whole text again", firstRow+".length < 80 && "+has("screen", "0059 end"))
	page.do(enter())
	whole := fmt.Sprintf(`[...document.querySelectorAll("#history div")].find(e => e.textContent === %q)`, long)
	page.until("the line has left as one line", "!!"+whole)
	const fits = display + ".scrollWidth <= " + display + ".clientWidth"
	narrow := value[float64](page, whole+".offsetHeight")
	page.until("it is wrapped", fits)
	page.look("light", 1280)
	page.until("it is wrapped at the other width", fmt.Sprintf("%s && %s.offsetHeight < %v", fits, whole, narrow*3/4)) // its letters are larger, too
}

// scrollByKeys goes to earlier lines and back with the keyboard.
func (b *browser) scrollByKeys() {
	b.t.Helper()
	const shift = 8
	b.do(press("PageUp", 33, "", shift))
	b.until("Shift+PageUp leads to earlier lines", isBack)
	up := value[float64](b, display+".scrollTop")
	b.do(press("PageDown", 34, "", shift), press("PageDown", 34, "", shift))
	b.until("Shift+PageDown leads back", "!("+isBack+")")
	if down := value[float64](b, display+".scrollTop"); down <= up {
		b.t.Errorf("Shift+PageDown scrolls from %v to %v", up, down)
	}
	for range 40 {
		b.do(press("PageUp", 33, "", shift))
	}
	b.until("the first line is in view", display+".scrollTop < 5")
	b.do(chromedp.Click("#newest"))
	b.until("the button leads to the newest lines", "!("+isBack+")")
}

// scrollByTouch goes to earlier lines with a finger.
func (b *browser) scrollByTouch() {
	b.t.Helper()
	b.look("dark", 390)
	b.touch(true)
	defer b.touch(false)
	b.until("the newest lines are in view", "!("+isBack+")")
	type point struct{ X, Y float64 }
	at := value[point](b, `(() => { const box = `+display+`.getBoundingClientRect(); return {X: box.left + box.width / 2, Y: box.top + box.height / 2}; })()`)
	finger := func(kind keyboard.DispatchTouchEventType, points ...*keyboard.TouchPoint) {
		p := keyboard.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*keyboard.TouchPoint{}, points...)}
		if _, err := chromedp.Call(b.ctx, keyboard.DispatchTouchEvent, p); err != nil {
			b.t.Fatal(err)
		}
	}
	finger(keyboard.DispatchTouchEventTypeTouchStart, &keyboard.TouchPoint{X: at.X, Y: at.Y})
	for i := range 16 { // the finger rests before it is lifted, so that the lines do not keep rolling
		finger(keyboard.DispatchTouchEventTypeTouchMove, &keyboard.TouchPoint{X: at.X, Y: at.Y + 20*float64(min(i+1, 8))})
	}
	finger(keyboard.DispatchTouchEventTypeTouchEnd)
	b.until("a finger leads to earlier lines", isBack)
	b.until("the lines come to rest", `(() => {
		const at = `+display+`.scrollTop;
		window.rested = at === window.restedAt ? window.rested + 1 : 0;
		window.restedAt = at;
		return window.rested > 20;
	})()`)
	b.picture("scrollback-touch.jpg")
	b.do(chromedp.Click("#newest"))
	b.look("light", 1280)
	b.until("the newest lines are in view", "!("+isBack+")")
}

// touch turns touch events of the display on or off.
func (b *browser) touch(isOn bool) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: isOn}); err != nil {
		b.t.Fatal(err)
	}
}

// copyEarlier selects all lines from the first one to the screen, and copies them.
func (b *browser) copyEarlier() {
	b.t.Helper()
	b.do(run(`
		window.copied = "";
		navigator.clipboard.writeText = async text => { window.copied = text; };
		getSelection().setBaseAndExtent(` + history + `.firstChild, 0, document.querySelector("#screen").lastChild, 0);
		[...document.querySelectorAll("#buttons button")].find(e => e.textContent === "Copy").click();`))
	b.until("earlier lines are copied with the screen", `["ready", "line 1 <b>", "line 150 <b>", "line 300 <b>"].every(text => window.copied.includes(text))`)
	b.do(run(`getSelection().removeAllRanges()`))
}
