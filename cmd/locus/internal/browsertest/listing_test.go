package browsertest

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Everyone can use the pages of files, pictures, threads, searches and errors: wide and narrow,
// light and dark.
func TestBrowserViews(t *testing.T) {
	t.Parallel()
	at, help := startDemo(t)
	b := newBrowser(t)
	ftp := serviceOf(t, help, "ftp")
	const article = "news:texts.news.txt@library.example"
	for _, test := range []struct{ name, path, want string }{
		{"text", "ftp://" + ftp + "/texts/rfc1738.txt", "RFC 1738"},
		{"picture", "ftp://" + ftp + "/pictures/lens.png", "Download"},
		{"grid", "-/list?view=grid&url=ftp://" + ftp + "/pictures/", "lens.png"},
		{"filtered", "-/list?filter=readme&url=ftp://" + ftp + "/", "README.de.txt"},
		{"thread", "-/beside?step=thread&in=news:library.texts&id=texts.news.txt@library.example&url=" + article, "Thread:"},
		{"guess", "-/open?url=lenses", "Search gopher"},
		{"no-slash", "ftp://" + ftp + "/texts", "rfc1738.txt"},
		{"nowhere", "ftp://ftp.nosuch.invalid/", "ftp.nosuch.invalid was not found."},
	} {
		if _, text := b.follow(chromedp.Navigate(at + test.path)); !strings.Contains(text, test.want) {
			t.Errorf("the page %s does not contain %q: %.500q", test.name, test.want, text)
		}
		for _, light := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 390} {
				b.look(light, width)
				for _, wrong := range value[[]string](b, audit) {
					t.Errorf("%s, %s, %d wide: %s", test.name, light, width, wrong)
				}
				b.picture(fmt.Sprintf("view-%s-%s-%d.jpg", test.name, light, width))
			}
		}
	}
	b.look("light", 1280)
	b.follow(chromedp.Navigate(at + "ftp://" + ftp + "/pictures/lens.png"))
	b.until("the picture is there", `document.querySelector("main img").naturalWidth > 0`)
	b.follow(chromedp.Navigate(at + "ftp://" + ftp + "/texts/rfc1738.txt"))
	if _, text := b.follow(chromedp.Click(`a[rel="next"]`)); !strings.Contains(text, "↑ Up") || strings.Contains(text, "RFC 1738: locators") {
		t.Errorf("the next text is %.300q", text)
	}
}

// The key "/" moves the focus to the filter, which hides rows while the user types. "?" shows the
// keys. The front page shows a new bookmark.
func TestBrowserFilter(t *testing.T) {
	t.Parallel()
	at, help := startDemo(t)
	b := newBrowser(t)
	b.follow(chromedp.Navigate(at + "ftp://" + serviceOf(t, help, "ftp") + "/"))
	const shown = `[...document.querySelectorAll("#entries tbody tr")].filter(r => !r.hidden).length`
	all := value[int](b, shown)
	b.do(press("/", 191, "/", 0))
	if focus := value[string](b, `document.activeElement.id`); focus != "filter" || value[string](b, `document.activeElement.value`) != "" {
		t.Errorf(`"/" leads to %q`, focus)
	}
	b.do(chromedp.KeyEvent("txt readme"))
	b.until("fewer rows", shown+` === 3`)
	if text := value[string](b, `document.querySelector("#summary").textContent`); !strings.HasPrefix(text, "3 of ") || all <= 3 {
		t.Errorf("of %d rows the summary is %q", all, text)
	}
	b.do(enter())
	if focus := value[string](b, `document.activeElement.textContent`); focus != "README.de.txt" {
		t.Errorf("Enter leads to %q", focus)
	}
	b.do(press("?", 191, "?", 8))
	b.until("the keys show", `document.querySelector("#help").open`)
	b.do(chromedp.Click("#help button"), chromedp.Click("button.bookmark"))
	if label := value[string](b, `document.querySelector("button.bookmark").textContent`); !strings.Contains(label, "Bookmarked") {
		t.Errorf("the button says %q", label)
	}
	b.follow(chromedp.Navigate(at))
	if text := value[string](b, `document.querySelector("#bookmarks").innerText`); !strings.Contains(text, "ftp://") {
		t.Errorf("bookmarks are %q", text)
	}
	if options := value[int](b, `document.querySelectorAll("#places option").length`); options != 1 {
		t.Errorf("the field suggests %d places, want 1", options)
	}
	if wrong := b.complaints(); wrong != nil {
		t.Errorf("the browser complains: %q", wrong)
	}
}

// Names, texts and pictures of a server cannot run scripts in the gateway's pages.
func TestBrowserContainsViews(t *testing.T) {
	// attack: A name, README, text or picture contains scripts, also as SVG
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const evil = `"><img src=x onerror="document.title='run'"><script>document.title='run'</script>`
	host, port, _ := net.SplitHostPort(l.Addr().String())
	answers := map[string]string{
		"":          "0" + evil + "\t/evil.txt\t" + host + "\t" + port + "\r\nI" + evil + "\t/evil.svg\t" + host + "\t" + port + "\r\n7" + evil + "\t/find\t" + host + "\t" + port + "\r\n.\r\n",
		"/evil.txt": evil + "\r\n.\r\n",
		"/evil.svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='run'"><script>document.title='run';parent.document.title='run'</script><rect width="9" height="9"/></svg>`,
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			selector, _ := bufio.NewReader(c).ReadString('\n')
			fmt.Fprint(c, answers[strings.TrimRight(selector, "\r\n")])
			c.Close()
		}
	}()
	at, _ := startDemo(t)
	b := newBrowser(t)
	gopher := "gopher://" + l.Addr().String()
	for _, path := range []string{gopher + "/", gopher + "/0/evil.txt", gopher + "/I/evil.svg", "-/list?filter=%22%3E%3Cscript%3Edocument.title='run'%3C/script%3E&url=" + gopher + "/", "-/open?url=%3Cscript%3Edocument.title='run'"} {
		b.follow(chromedp.Navigate(at + path))
		b.until("the page is loaded", `document.readyState === "complete"`)
		if title := value[string](b, `document.title`); title == "run" {
			t.Errorf("%s: a script has run", path)
		}
		if value[bool](b, `!!document.querySelector("main script, main [onerror], main [onload], main svg")`) {
			t.Errorf("%s: markup of the server is in the page", path)
		}
	}
}

// The keys j and k move through the entries, Enter opens one, u leads up and b keeps a bookmark. They can
// be turned off. The order of a directory is remembered, and a filtered sum counts only the rows shown.
func TestBrowserListingKeys(t *testing.T) {
	t.Parallel()
	at, help := startDemo(t)
	b := newBrowser(t)
	ftp := at + "ftp://" + serviceOf(t, help, "ftp") + "/"
	b.follow(chromedp.Navigate(ftp))
	key := func(name string) { b.do(press(name, int64(name[0]-'a'+'A'), name, 0)) }
	const focused = `document.activeElement.textContent`
	for _, step := range []struct{ key, want string }{{"j", "awkward"}, {"j", "big"}, {"k", "awkward"}, {"k", "awkward"}} {
		if key(step.key); value[string](b, focused) != step.want {
			t.Errorf("after the key %s the focus is at %q, want %q", step.key, value[string](b, focused), step.want)
		}
	}
	if _, text := b.follow(enter()); !strings.Contains(text, "semi;colon.txt") {
		t.Errorf("Enter opens %.300q", text)
	}
	key("b")
	b.until("there is a bookmark", `document.querySelector("button.bookmark").getAttribute("aria-pressed") === "true"`)
	if _, text := b.follow(press("u", 85, "u", 0)); !strings.Contains(text, "README.txt") {
		t.Errorf("u leads to %.300q", text)
	}
	b.do(press("?", 191, "?", 8))
	b.until("the keys show", `document.querySelector("#help").open && ["j", "k", "u", "b"].every(k => [...document.querySelectorAll("#help kbd")].some(e => e.textContent === k))`)
	b.do(chromedp.Click("#help input"), chromedp.Click("#help button"))
	key("j")
	if at := value[string](b, `document.activeElement.tagName`); at == "A" {
		t.Error("the keys work although they are turned off")
	}
	b.do(chromedp.Click("footer button.plain"), chromedp.Click("#help input"), chromedp.Click("#help button"))
	if key("j"); value[string](b, focused) != "awkward" {
		t.Error("the keys do not work again")
	}

	b.follow(chromedp.Click("th.size a"))
	const first = `document.querySelector("#entries tbody tr.object a").textContent`
	if got := value[string](b, first); got != "README.txt" {
		t.Errorf("the largest file is %q, want README.txt", got)
	}
	b.follow(chromedp.Navigate(ftp + "texts/"))
	if sorted := value[string](b, `document.querySelector("th[aria-sort]")?.className + " " + document.querySelector("th[aria-sort]")?.getAttribute("aria-sort")`); sorted != "size descending" {
		t.Errorf("another directory is sorted by %q, want size descending", sorted)
	}
	b.follow(chromedp.Click(`a[href^="/-/list?url="]`))
	b.follow(chromedp.Navigate(ftp))
	if value[bool](b, `!!document.querySelector("th[aria-sort]")`) {
		t.Error("the order is remembered although the user wants the order of the server")
	}

	for _, words := range []string{"readme", "big", "e", "txt", "nothing-is-called-so"} {
		b.follow(chromedp.Navigate(ftp))
		b.do(run(`const f = document.querySelector("#filter"); f.value = "` + words + `"; f.dispatchEvent(new Event("input"))`))
		_, here, _ := strings.Cut(value[string](b, `document.querySelector("#summary").textContent`), "items")
		here = strings.TrimPrefix(here, ": ")
		b.follow(chromedp.Navigate(at + "-/list?filter=" + words + "&url=ftp://" + serviceOf(t, help, "ftp") + "/"))
		there, _, _ := strings.Cut(value[string](b, `document.querySelector("#summary").textContent`), " with “")
		if i := strings.Index(there, " items: "); i >= 0 {
			there = there[i+len(" items: "):]
		}
		if here != there && !(here == "" && there == "0 items") {
			t.Errorf("the script sums the entries with %q up as %q, the gateway as %q", words, here, there)
		}
	}
	if wrong := b.complaints(); wrong != nil {
		t.Errorf("the browser complains: %q", wrong)
	}
}
