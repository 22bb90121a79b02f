package page

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"locus/url"
)

// A Failure has the data of the page that explains why a request failed.
type Failure struct {
	Title  string // a sentence that says what went wrong
	Status string // "404 Not Found"
	Text   string // the text of the error
	Hint   string // a sentence of advice; may be empty
	Ways   []Way  // links to URLs that may work instead

	NeedsNewsServer bool // the page asks for the news server of the session
	IsOfServer      bool // the pages above fail, too
	IsAlone         bool // the page has its style inside, no field and no links, because the gateway refuses its other pages, too
}

// A Way is a link to a URL, or to one of the gateway's own pages.
type Way struct {
	Title string
	URL   url.URL
	Own   string // the name of the gateway's own page; "" if the link leads to URL
}

// Failed returns the page that explains the failure f and offers f.Ways as links.
func Failed(l Links, f Failure) templ.Component {
	p := failedPage{frame: l.frame(f.Title), Failure: f}
	if f.IsOfServer {
		p.Trail = nil
	}
	p.Recent, p.Up, p.Target = "", l.up(p.Trail), l.URL.String()
	if l.Proxied || f.IsAlone {
		p.Style = style
	}
	if f.IsAlone {
		p.Alone, p.Up, p.Replay = true, "", false
		return p.html()
	}
	for _, w := range f.Ways {
		href := l.to(w.URL)
		if w.Own != "" {
			href = l.Own(w.Own)
		}
		if href != "" {
			p.Links = append(p.Links, link{Title: w.Title, Href: href})
		}
	}
	return p.html()
}

// A failedPage says what failed.
type failedPage struct {
	frame
	Failure
	Links  []link
	Target string // the URL itself, for a form
}

// AsSentence returns a text with a capital letter at its start and a period at its end. A question gets no period.
func AsSentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	sentence := string(unicode.ToUpper(first)) + text[size:]
	if strings.HasSuffix(sentence, "?") {
		return sentence
	}
	return sentence + "."
}

// Confirm returns the page that asks whether to open l.URL. why is a sentence that gives the reason for the question.
// ticket goes with the answer, and proves that it comes from this page. The page's button sleeps for a second, so
// that the second half of a double click on another page does not press it. Its field is empty, so that Enter in the
// field does not open the URL.
func Confirm(l Links, why, ticket string) templ.Component {
	p := confirmPage{l.frame("Open this URL?"), l.URL.Redacted(), why, l.Own("confirmed?ticket=" + ticket + "&url=" + Escaped(l.URL))}
	p.Recent, p.Search, p.Trail, p.Up, p.About, p.Shown = "", "", nil, "", "", ""
	p.Plain = true
	return p.html()
}

// A confirmPage asks whether a URL should be opened.
type confirmPage struct {
	frame
	Target string // the URL, without its password
	Why    string
	Action templ.SafeURL // where the button sends the confirmation
}
