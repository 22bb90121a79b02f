package dav

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/internal/render"
	"locus/url"
)

// MaxPropfind is how many bytes the body of a PROPFIND may have, and maxProperties how
// many properties it may ask for.
const (
	MaxPropfind   = 64 << 10
	maxProperties = 256
)

// space is the XML namespace of WebDAV.
const space = "DAV:"

// names are the names of the properties that Write knows.
var names = []string{"resourcetype", "displayname", "getcontentlength", "getcontenttype", "getlastmodified"}

// ReadPropfind returns the names of the properties that the body of a PROPFIND asks for (RFC 4918
// §14.20). It returns nil if the body is empty, or asks for all properties or for their names. It
// returns an error if the body is not a PROPFIND or asks for too many properties.
func ReadPropfind(body io.Reader) ([]xml.Name, error) {
	var find struct {
		XMLName xml.Name  `xml:"DAV: propfind"`
		All     *struct{} `xml:"DAV: allprop"`
		Names   *struct{} `xml:"DAV: propname"`
		Prop    *struct {
			Any []struct{ XMLName xml.Name } `xml:",any"`
		} `xml:"DAV: prop"`
	}
	text, err := io.ReadAll(body)
	if err == nil && len(text) == 0 {
		return nil, nil
	}
	if err == nil {
		err = xml.Unmarshal(text, &find)
	}
	switch {
	case err != nil || find.Prop == nil && find.All == nil && find.Names == nil:
		return nil, errBody
	case find.Prop == nil:
		return nil, nil
	case len(find.Prop.Any) > maxProperties:
		return nil, errBody
	}
	asked := []xml.Name{}
	for _, p := range find.Prop.Any {
		asked = append(asked, p.XMLName)
	}
	return asked, nil
}

// memberName returns the last segment of the URL of e, escaped for a path and without a "/" at its
// end. ok is false for an entry that is not directly in the folder, and for a name that file systems
// forbid.
func memberName(folder url.URL, e access.Entry) (name string, ok bool) {
	if e.URL.IsZero() || e.Kind == access.Info || e.Kind == access.Search {
		return "", false
	}
	rest, ok := entry.PathBelow(folder, e.URL)
	if !ok {
		return "", false
	}
	name = strings.TrimSuffix(rest, "/")
	plain, err := url.Unescape(name)
	isOdd := func(r rune) bool { return r == '/' || unicode.IsControl(r) }
	if err != nil || name == "" || strings.ContainsAny(name, "/?#") || strings.ContainsFunc(plain, isOdd) {
		return "", false
	}
	return escapeName(name), true
}

// escapeName escapes the bytes that the path of a URL must not have. It leaves "%" and so the escapes
// in name unchanged.
func escapeName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Write writes the answer to a PROPFIND: the properties asked, or all if asked is nil, of each entry
// that all yields. If all fails, the last bytes may stay in a buffer, so that the caller can still
// answer with an error if out has got no bytes yet.
func Write(out io.Writer, asked []xml.Name, all Responses) error {
	w := &writer{Writer: bufio.NewWriterSize(out, 16<<10), asked: asked}
	w.WriteString(xml.Header + `<D:multistatus xmlns:D="DAV:">`)
	if err := all(w.response); err != nil {
		return err
	}
	w.WriteString("</D:multistatus>\n")
	return w.Flush()
}

// A writer writes the answer to PROPFIND.
type writer struct {
	*bufio.Writer
	asked []xml.Name // nil: all
}

// response writes the properties of e, whose path is path. It also names the properties that the
// client asked for and that e lacks.
func (w *writer) response(path string, e access.Entry) error {
	w.WriteString("<D:response><D:href>")
	w.text(path)
	w.WriteString("</D:href><D:propstat><D:prop>")
	var missing []xml.Name
	if w.asked == nil {
		for _, name := range names {
			w.property(name, e)
		}
	}
	for _, name := range w.asked {
		if name.Space != space || !w.property(name.Local, e) {
			missing = append(missing, name)
		}
	}
	w.WriteString("</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>")
	if len(missing) > 0 {
		w.WriteString("<D:propstat><D:prop>")
		for _, name := range missing {
			w.WriteString("<" + name.Local + ` xmlns="`)
			w.text(name.Space)
			w.WriteString(`"/>`)
		}
		w.WriteString("</D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>")
	}
	_, err := w.WriteString("</D:response>\n")
	return err
}

// property writes the named property of e. It returns false, and does not write, if e lacks the
// property.
func (w *writer) property(name string, e access.Entry) bool {
	value, isKnown := propertyOf(name, e)
	if !isKnown {
		return false
	}
	w.WriteString("<D:" + name + ">")
	if name == "resourcetype" {
		w.WriteString(value)
	} else {
		w.text(value)
	}
	w.WriteString("</D:" + name + ">")
	return true
}

// propertyOf returns the value of the named property of e. The value of resourcetype is XML, and the
// other values are text. isKnown is false if e lacks the property.
func propertyOf(name string, e access.Entry) (value string, isKnown bool) {
	isFolder := e.Kind == access.Directory
	switch {
	case !slices.Contains(names, name):
		return "", false
	case name == "resourcetype" && isFolder:
		return "<D:collection/>", true
	case name == "resourcetype":
		return "", true
	case name == "displayname":
		if e.Title == "" {
			return entry.Name(e.URL), true
		}
		return render.Clean(e.Title), true
	case name == "getlastmodified":
		return e.ModTime.UTC().Format(http.TimeFormat), !e.ModTime.IsZero()
	case isFolder:
		return "", false
	case name == "getcontentlength":
		return strconv.FormatInt(e.Size, 10), e.Size >= 0
	}
	mediaType, _, err := mime.ParseMediaType(e.Type)
	return mediaType, err == nil
}

// text writes a text as XML. Characters that XML forbids become U+FFFD.
func (w *writer) text(s string) {
	_ = xml.EscapeText(w.Writer, []byte(s)) // bufio keeps the error for Flush
}
