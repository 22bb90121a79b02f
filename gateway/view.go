package gateway

import (
	"bufio"
	"cmp"
	"errors"
	"mime"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"locus/access"
	"locus/internal/charset"
	"locus/internal/trail"
)

// maxText is how many bytes of a text its page shows.
const maxText = 512 << 10

// A viewPage is the page around a text, a picture, a sound or a video.
type viewPage struct {
	page
	Kind    string        // "text", "image", "audio", "video"
	Content templ.SafeURL // the path of the bytes
	Text    []span
	Cut     bool   // the page does not show all
	Problem string // why the text is incomplete
	Facts   []fact
	Raw     templ.SafeURL
}

// viewKind returns which page shows content of a media type; "" if the browser gets the
// bytes. HTML is shown by itself, with a policy of its own.
func viewKind(mediaType string) string {
	base := baseType(mediaType)
	kind, sub, _ := strings.Cut(base, "/")
	switch {
	case base == "text/html":
		return ""
	case isMARC(base):
		return "records"
	case kind == "text", kind == "image", kind == "audio", kind == "video":
		return kind
	case sub == "json", sub == "xml", sub == "marcxml+xml", sub == "javascript", strings.HasSuffix(sub, "+json"):
		return "text"
	}
	return ""
}

// wantsPage reports whether the user goes to the URL with a browser, and so gets a page
// around the content. Programs, and pages that embed the content, get its bytes.
func (x *exchange) wantsPage() bool {
	h := x.r.Header
	switch {
	case x.isProxied() || x.bytesOnly || x.r.Method != http.MethodGet:
		return false
	case h.Get("Range") != "" || h.Get("Authorization") != "": // see mayAskPassword: a password is sent for the URL itself alone
		return false
	case h.Get("Sec-Fetch-Mode") != "":
		return isNavigation(h)
	}
	return acceptsPage(h)
}

// findMedia asks the server about a picture, a sound or a video that the user goes to: the
// page around it needs only its attributes, and the browser fetches its bytes. ok is false
// if it may be something else, or if the server cannot be asked.
func (x *exchange) findMedia() (found *access.Resource, ok bool) {
	if !x.wantsPage() || !isMedia(mime.TypeByExtension(path.Ext(x.url.Path()))) {
		return nil, false
	}
	found, err := x.do(x.request(access.Stat))
	if err != nil { // then opening it fails, too, or works
		return nil, false
	}
	found.Type = cleanType(found.Type)
	if found.Kind != access.Object && found.Kind != access.Unknown || found.List != nil || !isMedia(found.Type) {
		return nil, false
	}
	x.url = found.URL
	return found, true
}

// isMedia reports whether a page embeds content of a media type: only the browser reads it.
func isMedia(mediaType string) bool {
	kind := viewKind(mediaType)
	return kind != "" && kind != "text"
}

// view answers with the page around content that begins in in. in may be nil if the content
// is no text.
func (x *exchange) view(kind string, resource *access.Resource, in *bufio.Reader) error {
	p := viewPage{page: x.page(x.titleOf()), Kind: kind, Content: x.link(x.url)}
	p.Raw = x.rawURL()
	p.Tools = append(x.besideLinks(), link{Title: "View source", Href: p.Raw}, link{Title: "Download", Href: x.downloadLink()})
	if resource.Size >= 0 {
		p.Facts = append(p.Facts, fact{Name: "Size", Value: humanSize(resource.Size)})
	}
	p.Facts = append(p.Facts, fact{Name: "Type", Value: cleanLine(resource.Type)})
	if !resource.ModTime.IsZero() {
		p.Facts = append(p.Facts, fact{Name: "Changed", Value: whenChanged(resource.Entry)})
	}
	if kind == "text" {
		text, isCut, err := x.decodeText(resource.Type, x.reserving(in), maxText)
		if errors.Is(err, errFull) {
			return err
		}
		if err != nil {
			p.Problem = translatePanic(err).Error()
			x.log(err)
		}
		p.Text, p.Cut = x.text(text), isCut
	}
	if resource.Body != nil {
		resource.Body.Close() // the client may read slowly
	}
	h := x.w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Add("Vary", "Sec-Fetch-Mode, Sec-Fetch-Dest, Range, Authorization")
	x.write(http.StatusOK, p.html())
	return nil
}

// downloadLink returns the link that stores the resource in a file.
func (x *exchange) downloadLink() templ.SafeURL {
	return x.own("download?url=" + escaped(x.url))
}

// toUTF8 returns text as UTF-8: by the charset of its media type, as UTF-8 if it is valid,
// otherwise by the charset fallback. "" is windows-1252, which every byte is valid in and
// which has Latin-1.
func toUTF8(mediaType, fallback string, raw []byte) string {
	if _, params, err := mime.ParseMediaType(mediaType); err == nil && !strings.EqualFold(params["charset"], "utf-8") {
		if text, ok := decode(params["charset"], raw); ok {
			return text
		}
	}
	if utf8.Valid(raw) {
		return string(raw)
	}
	if text, ok := decode(cmp.Or(fallback, "windows-1252"), raw); ok {
		return text
	}
	return string(raw)
}

// decode returns text in a charset as UTF-8. ok is false if the charset is unknown.
func decode(name string, text []byte) (decoded string, ok bool) {
	e, ok := charset.Web(name)
	if !ok {
		return "", false
	}
	b, err := e.NewDecoder().Bytes(text)
	return string(b), err == nil
}

// raw answers with the bytes of a resource for which get has a page.
func (x *exchange) raw() error {
	x.bytesOnly = true
	return x.bytes()
}

// download answers with the bytes of a resource, which the browser stores in a file.
func (x *exchange) download() error {
	x.bytesOnly, x.stores = true, true
	return x.bytes()
}

// bytes answers with the bytes of the resource in the query, also of a listing or a
// message.
func (x *exchange) bytes() error {
	if err := x.readURL(); err != nil {
		return err
	}
	if isSession(x.url) {
		return errNoPage
	}
	if x.r.Method == http.MethodHead {
		return x.head()
	}
	resource, part, err := x.openPart()
	if err != nil {
		return err
	}
	defer resource.Body.Close()
	x.url = resource.URL
	if isMessage(resource.Type) {
		resource.Type = "text/plain"
	}
	return x.stream(resource, part)
}

// isUnmodified reports whether the browser has the bytes of resource already, by the
// conditions of its request.
func isUnmodified(req *access.Request, resource *access.Resource) bool {
	v := req.IfChanged
	if v.ETag != "" {
		return resource.ETag != "" && strings.Contains(v.ETag, resource.ETag)
	}
	return v.HasTime(resource.ModTime)
}

// besideLinks returns links to what stands before and after x.url in its folder.
func (x *exchange) besideLinks() []link {
	parent, ok := trail.Parent(x.url)
	if !ok {
		return nil
	}
	return x.besideIn(parent.String(), "")
}
