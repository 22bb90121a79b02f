package browsertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"locus"
	"locus/internal/peers"
	"locus/transfer"
	"locus/url"
)

// picture returns a picture of one color.
func picture(c color.Color) string {
	img := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		img.Set(i%8, i/8, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // writing to memory cannot fail
	}
	return b.String()
}

// sound returns a second of silence.
func sound() string {
	data := make([]byte, 8000)
	h := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(36+len(data)))
	h = append(h, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data"...)
	return string(append(binary.LittleEndian.AppendUint32(h, uint32(len(data))), data...))
}

// offlineSite uses each way in which a page can load a resource. OTHER stands for a second name of
// the same server, and DIGEST for the digest of the style sheet.
func offlineSite() map[string]string {
	red, blue := picture(color.RGBA{255, 0, 0, 255}), picture(color.RGBA{0, 0, 255, 255})
	return map[string]string{
		"index.html": `<!DOCTYPE html><html><head><title>Offline</title>
<link rel="stylesheet" href="/css/style.css?v=3" integrity="sha256-DIGEST" data-note="kept">
<link rel="stylesheet" href="OTHER/other/font.css?family=A&amp;v=2" crossorigin>
<link rel="icon" href="/favicon.ico"><link rel="manifest" href="site.webmanifest">
<link rel="preload" as="image" href="img/a.png"><link rel="preconnect" href="OTHER"><link rel="dns-prefetch" href="OTHER">
<style>@import url("css/inline.css"); .s { background: url(img/a.png?x=1&y=2) }</style>
<script src="js/app.js?b=1&amp;c=2"></script><script defer src="OTHER/other/lib.js" integrity="" crossorigin="anonymous"></script></head>
<body background="img/a.png"><h1>Hello Ünïcode &amp; more</h1><p class="s" id="styled" style="border-image: url(&quot;img/b.png&quot;)">styled</p>
<img src="img/a.png"><img src="img/b.png?size=1&amp;x=2" srcset="img/a.png?w=1&amp;z 1x, img/b.png 2x"><img src=OTHER/other/o.png>
<picture><source srcset="img/b.png 1x, img/a.png 2x"><img src="img/a.png"></picture>
<video poster="img/b.png" preload="none"><track src="t.vtt"></video><audio src="a.wav" preload="auto"></audio>
<svg width="10" height="10"><image href="img/a.png" width="8" height="8" /></svg><object data="img/s.svg" type="image/svg+xml"></object>
<iframe src="/frame?id=1"></iframe><iframe srcdoc="<link rel=stylesheet href='css/inline.css'><p>inner <img src=&quot;img/a.png&quot;></p>"></iframe>
<input type="image" src="img/b.png" alt="i"><noscript><img src="img/a.png"></noscript>
<p id="script">no script</p><ul><li><a id="sub" href="sub/">sub</a><li><a href="cyrillic">c</a><li><a href="page?id=2&amp;n=1#there">p</a><li><a href="moved">m</a><li><a href="wide">w</a><li><a href="http://elsewhere.invalid/x">e</a></ul>
<form action="find"><input name="q"></form></body></html>`,
		"css/style.css":  `@import "more.css" screen; @font-face { font-family: F; src: url('../font/f.woff2') } h1 { color: rgb(1, 2, 3); background: url(../img/b.png) }`,
		"css/more.css":   `body { font-size: 17px; list-style-image: image-set("../img/a.png" 1x, url(../img/b.png) 2x) }`,
		"css/inline.css": `p { margin-left: 23px }`,
		"other/font.css": `p { color: rgb(4, 5, 6); background: url(o.png?bg) }`,
		"other/o.png":    blue,
		"other/lib.js":   `document.getElementById("script").textContent = "script of another host"`,
		"js/app.js":      `window.app = true`,
		"img/a.png":      red, "img/b.png": blue, "favicon.ico": red, "font/f.woff2": "no font", "a.wav": sound(), "t.vtt": "WEBVTT\n",
		"img/s.svg":        `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><style><![CDATA[ rect { fill: rgb(9, 8, 7) } ]]></style><image href="/img/b.png?svg" width="4" height="4"/><rect width="9" height="9"/></svg>`,
		"site.webmanifest": `{"name":"x"}`,
		"frame":            `<!DOCTYPE html><base href="/img/"><p>framed <img src="b.png"></p>`,
		"sub/index.html":   `<!DOCTYPE html><link rel=stylesheet href=../css/style.css?v=3><h1>Sub</h1><a id="up" href="../">up</a><img src="//HOST/img/a.png">`,
		"cyrillic":         "<!DOCTYPE html><title>x</title><p>\xcf\xf0\xe8\xe2\xe5\xf2</p><img src=img/a.png>",
		"wide":             wide(`<!DOCTYPE html><title>x</title><p>Ünïcode 😀</p><img src="img/a.png?wide">`),
		"page":             `<!DOCTYPE html><p id="there">page two</p><a href="./">back</a>`,
	}
}

// wide returns a text in UTF-16, with a byte order mark.
func wide(text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = binary.BigEndian.AppendUint16(b, unit)
	}
	return string(b)
}

// startOfflineSite serves offlineSite until the test ends.
func startOfflineSite(t *testing.T) *peers.Server {
	t.Helper()
	web := t.TempDir()
	server := peers.NginxWith(t, web,
		"add_header Access-Control-Allow-Origin *;",
		"location ~ ^/(frame|page|wide)$ { default_type text/html; }",
		"location = /cyrillic { default_type text/html; charset windows-1251; }",
		"location = /moved { return 302 /sub/; }")
	other := fmt.Sprintf("localhost:%d", server.Port)
	site := offlineSite()
	digest := sha256.Sum256([]byte(site["css/style.css"]))
	for name, text := range site {
		text = strings.NewReplacer("DIGEST", base64.StdEncoding.EncodeToString(digest[:]), "OTHER", "http://"+other, "HOST", server.Addr).Replace(text)
		name = filepath.Join(web, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return server
}

// A requestLog has the requests of a browser, and the requests that failed.
type requestLog struct {
	mu           sync.Mutex
	sent, failed []string
	urls         map[network.RequestID]string
}

func (l *requestLog) hear(event any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		l.urls[e.RequestID] = e.Request.URL
		l.sent = append(l.sent, e.Request.URL)
	case *network.EventLoadingFailed:
		l.failed = append(l.failed, l.urls[e.RequestID]+": "+e.ErrorText)
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 {
			l.failed = append(l.failed, fmt.Sprint(e.Response.URL, ": ", e.Response.Status))
		}
	}
}

// logRequests returns a log of the browser's requests from now on.
func (b *browser) logRequests() *requestLog {
	b.t.Helper()
	log := &requestLog{urls: map[network.RequestID]string{}}
	if err := chromedp.Listen(b.ctx, log.hear); err != nil {
		b.t.Fatal(err)
	}
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		b.t.Fatal(err)
	}
	return log
}

// take returns the requests and removes them from the log.
func (l *requestLog) take() (sent, failed []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sent, failed = l.sent, l.failed
	l.sent, l.failed = nil, nil
	return sent, failed
}

// shown is a script that describes DOCUMENT without anything that depends on the document's
// address.
const shown = `(() => {
	const of = d => [d.body.innerText, d.characterSet, [...d.images].filter(i => i.complete && i.naturalWidth > 0).length, d.images.length,
		d.styleSheets.length, getComputedStyle(d.querySelector("p,h1")).marginLeft, getComputedStyle(d.querySelector("h1,p")).color, getComputedStyle(d.body).fontSize,
		!!d.defaultView.app, d.querySelector("audio") ? d.querySelector("audio").duration : 0];
	return JSON.stringify(of(DOCUMENT));
})()`

// A mirrored site with its page requisites opens from the folder as it opens from its server. All
// requests succeed and stay in the folder.
func TestBrowserOffline(t *testing.T) {
	t.Parallel()
	server := startOfflineSite(t)
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	client := &locus.Client{Dial: new(net.Dialer).DialContext, AllowPorts: []uint16{server.Port}}
	defer client.Close()
	for run, want := range []int{27, 0} {
		var events []string
		report, err := transfer.Mirror(t.Context(), client, url.MustParse("http://"+server.Addr+"/"), root, transfer.MirrorOptions{TreeOptions: transfer.TreeOptions{Event: func(e transfer.Event) {
			if e.Kind == transfer.Failed || e.Kind == transfer.Missing || e.Kind == transfer.Done && run > 0 {
				events = append(events, fmt.Sprint(e.Kind, " ", e.URL, " ", e.Name, " ", e.Err))
			}
		}}, Parts: true, Convert: true, OtherHosts: []string{"localhost"}})
		if err != nil || report.Failed > 0 || report.Missing > 0 || report.Files != want || run > 0 && report.Converted > 0 {
			t.Fatalf("run %d: %+v, %v, want %d files; %q", run, report, err, want, events)
		}
	}

	b := newBrowser(t)
	log := b.logRequests()
	b.look("light", 1280)
	for page, file := range map[string]string{"": "index.html", "sub/": "sub/index.html", "cyrillic": "cyrillic.html", "wide": "wide.html", "page?id=2&n=1": "page%@id=2&n=1.html"} {
		live := b.shown("http://" + server.Addr + "/" + page)
		b.picture("live-" + filepath.Base(file) + ".jpg")
		_, _ = log.take()
		local := b.shown((&fileURL{filepath.Join(dir, file)}).String())
		b.picture("local-" + filepath.Base(file) + ".jpg")
		sent, failed := log.take()
		live = strings.Replace(live, "UTF-16BE", "UTF-8", 1) // the copy is in UTF-8
		if live != local {
			t.Errorf("%s shows\n %s, live\n %s", file, local, live)
		}
		if page == "" && (!strings.Contains(local, `"rgb(1, 2, 3)","17px",true,1]`) || !strings.Contains(local, "script of another host")) {
			t.Errorf("%s shows %s", file, local)
		}
		if len(failed) > 0 {
			t.Errorf("%s: requests that fail: %q", file, failed)
		}
		if outside := slices.DeleteFunc(slices.Clone(sent), func(u string) bool {
			return strings.HasPrefix(u, "file://"+dir) || strings.HasPrefix(u, "about:") || strings.HasPrefix(u, "data:")
		}); len(outside) > 0 || len(sent) == 0 {
			t.Errorf("%s: %d requests, of which these leave the folder: %q", file, len(sent), outside)
		}
		if wrong := b.complaints(); wrong != nil {
			t.Errorf("%s: the browser complains: %q", file, wrong)
		}
	}
	b.do(chromedp.Navigate((&fileURL{filepath.Join(dir, "index.html")}).String()))
	b.follow(chromedp.Click("#sub"))
	if at := value[string](b, "location.pathname"); at != filepath.Join(dir, "sub/index.html") {
		t.Errorf("a click on the link leads to %s", at)
	}
}

// A fileURL is the URL of a local file.
type fileURL struct{ name string }

func (f *fileURL) String() string {
	return "file://" + strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23").Replace(f.name)
}

// shown opens a page and, when everything is loaded, returns its description.
func (b *browser) shown(at string) string {
	b.t.Helper()
	b.do(chromedp.Navigate(at))
	return b.settled("document")
}

// settled waits until a document is loaded, and returns its description.
func (b *browser) settled(document string) string {
	b.t.Helper()
	b.until("the page is loaded", document+`.readyState == "complete"`)
	b.until("its sound is loaded", `[...`+document+`.querySelectorAll("audio")].every(a => a.readyState > 0 || a.error)`)
	script := strings.ReplaceAll(shown, "DOCUMENT", document)
	value[bool](b, `(window.sameTimes = 0, window.shownBefore = undefined, true)`)
	b.untilEvery("it shows the same for a second", fmt.Sprintf(`(() => {
		const now = %s;
		window.sameTimes = now === window.shownBefore ? window.sameTimes + 1 : 0;
		window.shownBefore = now;
		return window.sameTimes >= 10;
	})()`, script), 100*time.Millisecond)
	return value[string](b, script)
}
