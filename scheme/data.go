package scheme

import (
	"encoding/base64"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Data is the view of a data URL, which contains the resource itself.
//
//	data:text/plain;charset=utf-8;base64,aGVsbG8=
//	     \______________________/ \____/ \______/
//	               Type           Base64  Content
//
// RFC 2397 §3:
//
//	dataurl   = "data:" [ mediatype ] [ ";base64" ] "," data
//	mediatype = [ type "/" subtype ] *( ";" parameter )
//
// ParseData reads base64 as browsers do (Infra Standard, forgiving-base64 decode): it ignores white space, and the
// padding may be missing.
type Data struct {
	Type    string // the media type with its parameters, decoded; "" means text/plain;charset=US-ASCII
	Base64  bool   // the URL has the content in base64
	Content string // the decoded bytes
}

const dataRule = "RFC 2397 §3"

// base64Mark is the end of a media type whose content is in base64.
const base64Mark = ";base64"

// ParseData returns the view of a data URL.
func ParseData(u url.URL) (Data, error) {
	if err := refuseAuthority(u, false, dataRule, "a media type or a comma", "data"); err != nil {
		return Data{}, err
	}
	path := u.PathAndQuery()
	head, body, ok := strings.Cut(path, ",")
	if !ok {
		return Data{}, pathFail(u, len(path), dataRule, "a comma before the data")
	}
	var v Data
	mediaType := strings.TrimRight(head, " ")
	if n := len(mediaType) - len(base64Mark); n >= 0 && strings.EqualFold(mediaType[n:], base64Mark) {
		mediaType, v.Base64 = mediaType[:n], true
	}
	v.Type, v.Content = ascii.Unescape(mediaType), ascii.Unescape(body)
	if !v.Base64 {
		return v, nil
	}
	content, n := decodeBase64(v.Content)
	if n >= 0 {
		return Data{}, pathFail(u, len(head)+len(",")+encodedOffset(body, n), dataRule, "data in base64")
	}
	v.Content = content
	return v, nil
}

// decodeBase64 decodes base64 as browsers do: it ignores white space, and the padding may be missing. bad is the offset
// of the first wrong byte in text, or -1 if text is valid. content is "" if bad is not -1.
func decodeBase64(text string) (content string, bad int) {
	digits := make([]byte, 0, len(text))
	padding, padAt := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case strings.IndexByte("\t\n\f\r ", c) >= 0:
		case c == '=':
			if padding == 0 {
				padAt = i
			}
			padding++
		case padding > 0:
			return "", padAt // padding within the data
		case !isBase64.Has(c):
			return "", i
		default:
			digits = append(digits, c)
		}
	}
	if padding > 0 && (padding > 2 || (len(digits)+padding)%4 != 0) {
		return "", padAt
	}
	decoded, err := base64.RawStdEncoding.DecodeString(string(digits))
	if err != nil {
		return "", len(text) // a single digit is left
	}
	return string(decoded), -1
}

var isBase64 = url.Set{}.With(alpha + digits + "+/")

// inMediaType has the bytes of a media type that are not escaped. A "," would end the type.
var inMediaType = url.Set{}.With(alpha + digits + "-._~!$&'()*+;=:@/")

// inData has the bytes of content that are not escaped.
var inData = url.Set{}.With(pchar + "/?")

// URL returns the URL whose view is v.
func (v Data) URL() url.URL {
	var b builder
	b.scheme("data", "")
	mediaType := url.Escape(v.Type, inMediaType)
	if n := len(mediaType) - len(base64Mark); !v.Base64 && n >= 0 && strings.EqualFold(mediaType[n:], base64Mark) {
		mediaType = mediaType[:n] + "%3B" + mediaType[n+1:] // it is a parameter, not the mark
	}
	if rest, ok := strings.CutPrefix(mediaType, "//"); ok {
		mediaType = "%2F/" + rest // "//" would announce a host
	}
	b.WriteString(mediaType)
	if v.Base64 {
		b.WriteString(base64Mark + "," + base64.StdEncoding.EncodeToString([]byte(v.Content)))
		return b.url()
	}
	b.WriteByte(',')
	b.escape(v.Content, inData)
	return b.url()
}

// fields returns the fields of the view for [JSON] and [Set]. The field base64 cannot be set.
func (v Data) fields() fields {
	return fields{[]field{
		{"type", func() any { return present(v.Type) }, func(value *string) error {
			v.Type = optionalPart(value).Text
			return nil
		}},
		{"base64", func() any { return v.Base64 }, nil},
		textField("content", &v.Content),
	}, func() View { return v }}
}
