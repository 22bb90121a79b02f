package scheme

import (
	"strconv"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Titan is the view of a titan URL, which names a page of a gemini server for an upload.
//
//	titan://host:1965/tea/pots.gmi;mime=text/gemini;size=42;token=sesame
//	                 \___________/      \_________/      \/       \____/
//	                   Segments            Type         Size      Token
//
// The Titan specification has no grammar. Package scheme reads:
//
//	titanurl = "titan://" host [ ":" port ] path-abempty *( ";" param )
//	param    = "mime=" *tchar / "size=" 1*DIGIT / "token=" *tchar
//	tchar    = pchar / "/", without ";"
//
// The first ";" ends the path, so that "%3B" stands for a ";" in a name. Each parameter occurs at most once. A titan URL
// has neither a user nor a query.
type Titan struct {
	Host
	Segments []string // the decoded segments of the path; never empty, because an empty path means "/"
	Type     url.Part // the media type of the content, decoded; absent: text/gemini
	Size     url.Part // the number of bytes of the content, in decimal digits; 0 deletes the page
	Token    url.Part // the secret that lets a user write, decoded
}

const titanRule = "Titan"

// ParseTitan returns the view of a titan URL. It refuses a user and a query.
func ParseTitan(u url.URL) (Titan, error) {
	host, err := plainHost(u, titanRule, "titan")
	if err != nil {
		return Titan{}, err
	}
	text := u.PathAndQuery()
	if i := strings.IndexByte(text, '?'); i >= 0 {
		return Titan{}, pathFail(u, i, titanRule, `no query ("?" in a name is written "%3F")`)
	}
	path, params, hasParams := strings.Cut(text, ";")
	if path == "" {
		path = "/"
	}
	if path[0] != '/' {
		return Titan{}, pathFail(u, 0, titanRule, `a "/" before the path`)
	}
	v := Titan{Host: host, Segments: segments(path[1:])}
	if !hasParams {
		return v, nil
	}
	at := len(text) - len(params)
	for param := range strings.SplitSeq(params, ";") {
		if !v.parseParam(param) {
			return Titan{}, pathFail(u, at, titanRule, `"mime=", "size=" with a number, or "token=", each once (";" in a name is written "%3B")`)
		}
		at += len(param) + len(";")
	}
	return v, nil
}

// parseParam sets the field of a parameter. It returns false if the parameter is unknown or wrong, or if the field is
// already set.
func (v *Titan) parseParam(param string) bool {
	name, value, hasValue := strings.Cut(param, "=")
	field, isKnown := v.params()[name]
	if !hasValue || !isKnown || field.Present || name == "size" && !isSize(value) {
		return false
	}
	*field = decoded(value, true)
	return true
}

// params returns the fields of v by the names of their parameters.
func (v *Titan) params() map[string]*url.Part {
	return map[string]*url.Part{"mime": &v.Type, "size": &v.Size, "token": &v.Token}
}

// isSize reports whether text is a number of bytes.
func isSize(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && n >= 0 && ascii.IsDigit(text[0])
}

// inParam are the bytes that may stay in the value of a parameter. Servers expect the "/" of a media type as it is.
var inParam = inPath.With("/")

// URL returns the URL whose view is v.
func (v Titan) URL() url.URL {
	var b builder
	b.scheme("titan", "")
	b.authority(v.Host, url.Part{}, url.Part{})
	b.segments(v.Segments...)
	if v.Segments == nil {
		b.WriteByte('/')
	}
	for _, name := range []string{"mime", "size", "token"} {
		if value := *v.params()[name]; value.Present {
			b.WriteString(";" + name + "=")
			b.escape(value.Text, inParam)
		}
	}
	return b.url()
}

// Page returns the view of the gemini URL that reads the page of v.
func (v Titan) Page() Gemini { return Gemini{Host: v.Host, Segments: v.Segments} }

// fields returns the fields of the view for [JSON] and [Set]. Removing the segments leaves one empty segment, which is
// the root of the server.
func (v Titan) fields() fields {
	return fields{[]field{
		listField("segments", "/", &v.Segments).with(func() {
			if v.Segments == nil {
				v.Segments = []string{""} // the root
			}
		}),
		partField("mime", &v.Type),
		partField("size", &v.Size),
		partField("token", &v.Token),
	}, func() View { return v }}
}
