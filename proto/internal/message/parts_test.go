package message

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"locus/access"
)

// NewPart reads these header fields of a part (RFC 2045, RFC 2183).
func TestNewPart(t *testing.T) {
	ascii := map[string]string{"charset": "us-ascii"}
	for _, test := range []struct {
		fields string
		want   Part
	}{
		{"", Part{MediaType: "text/plain; charset=us-ascii", Base: "text/plain", Params: ascii}},
		{"Content-Type:  \n", Part{MediaType: "text/plain; charset=us-ascii", Base: "text/plain", Params: ascii}},
		{"Content-Type: TEXT/Html; Charset=UTF-8\n", Part{MediaType: "text/html; charset=UTF-8", Base: "text/html", Params: map[string]string{"charset": "UTF-8"}}},
		{"Content-Type: text/html; charset\n", Part{MediaType: "text/html", Base: "text/html"}},
		{"Content-Type: text/html; a=b; a=c\n", Part{MediaType: "application/octet-stream", Base: "application/octet-stream"}},
		{"Content-Type: text\n", Part{MediaType: "application/octet-stream", Base: "application/octet-stream"}},
		{"Content-Type: text; charset\n", Part{MediaType: "application/octet-stream", Base: "application/octet-stream"}},
		{"Content-Type: text/\n", Part{MediaType: "application/octet-stream", Base: "application/octet-stream"}},
		{"Content-Type: ;;;\n", Part{MediaType: "application/octet-stream", Base: "application/octet-stream"}},
		{"Content-Type: image/gif; *0=x\n", Part{MediaType: "image/gif", Base: "image/gif", Params: map[string]string{"": "x"}}}, // it cannot be formatted
		{"Content-Type: image/gif; name=\"a b.gif\"\n", Part{MediaType: `image/gif; name="a b.gif"`, Base: "image/gif", Params: map[string]string{"name": "a b.gif"}, Name: "a b.gif"}},
		{
			"Content-Type: image/gif; name=a\nContent-Disposition: Attachment; filename==?utf-8?q?=C3=A9?=\n",
			Part{MediaType: "image/gif; name=a", Base: "image/gif", Params: map[string]string{"name": "a"}, Name: "a", IsAttachment: false},
		},
		{
			"Content-Type: image/gif; name=a\nContent-Disposition: Attachment; filename=\"=?utf-8?q?=C3=A9?=\"\n",
			Part{MediaType: "image/gif; name=a", Base: "image/gif", Params: map[string]string{"name": "a"}, Name: "é", IsAttachment: true},
		},
		{
			"Content-Disposition: attachment; filename*=utf-8''%e2%82%ac\n",
			Part{MediaType: "text/plain; charset=us-ascii", Base: "text/plain", Params: ascii, Name: "€", IsAttachment: true},
		},
		{"Content-Disposition: inline; filename=x\n", Part{MediaType: "text/plain; charset=us-ascii", Base: "text/plain", Params: ascii, Name: "x"}},
		{"Content-Disposition: attachments\n", Part{MediaType: "text/plain; charset=us-ascii", Base: "text/plain", Params: ascii}},
		{"Content-Transfer-Encoding:  BASE64 \nContent-ID: x <c@x>\n", Part{ID: "c@x", encoding: "base64", MediaType: "text/plain; charset=us-ascii", Base: "text/plain", Params: ascii}},
	} {
		if got := NewPart(Header(test.fields+"\n").Get, nil); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q is the part %+v, want %+v", test.fields, got, test.want)
		}
	}
}

func TestBoundary(t *testing.T) {
	long := strings.Repeat("b", maxBoundary)
	for _, test := range []struct{ value, want string }{
		{"multipart/mixed; boundary=b", "b"},
		{"Multipart/X; boundary=\"a b\"", "a b"},
		{"multipart/mixed", ""},
		{"multipart/mixed; boundary=\"\"", ""},
		{"text/plain; boundary=b", ""},
		{"message/multipart; boundary=b", ""},
		{"multipart/mixed; boundary=" + long, long},
		{"multipart/mixed; boundary=" + long + "b", ""},
	} {
		if got := NewPart(Header("Content-Type: "+test.value+"\n").Get, nil).boundary(); got != test.want {
			t.Errorf("the boundary of %.60q is %.60q, want %.60q", test.value, got, test.want)
		}
	}
}

// The filter keeps every byte of base64, and no other byte.
func TestBase64Bytes(t *testing.T) {
	var all []byte
	for b := range 256 {
		all = append(all, byte(b))
	}
	const want = "+/0123456789=ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for _, r := range []io.Reader{strings.NewReader(string(all)), iotest.OneByteReader(strings.NewReader(string(all))), iotest.DataErrReader(strings.NewReader(string(all)))} {
		if got, err := io.ReadAll(&base64Filter{r}); string(got) != want || err != nil {
			t.Errorf("of all bytes of a %T, %q are kept, %v, want %q", r, got, err, want)
		}
	}
	// Read does not return 0 bytes because of dropped bytes.
	r := &base64Filter{iotest.OneByteReader(strings.NewReader("\r\n.a\n"))}
	p := make([]byte, 4)
	if n, err := r.Read(p); n != 1 || err != nil || p[0] != 'a' {
		t.Errorf("Read = %d, %v, want the byte that is kept", n, err)
	}
	if n, err := r.Read(nil); n != 0 || err != nil {
		t.Errorf("Read(nil) = %d, %v", n, err)
	}
	if n, err := r.Read(p); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("Read = %d, %v, want io.EOF", n, err)
	}
}

// nestedMessage returns a message of nested multiparts with one part in them.
func nestedMessage(depth int) string {
	var b strings.Builder
	for i := range depth {
		fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	b.WriteString("Content-ID: <c>\n\nx\n")
	for i := range depth {
		fmt.Fprintf(&b, "--b%d--\n", depth-1-i)
	}
	return b.String()
}

// Messages that exceed a limit, or end early, are errors.
func TestPartsLimits(t *testing.T) {
	mixed := func(n int) string {
		return "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\n", n-1) + "--b\nContent-ID: <c>\n\nx\n--b--\n"
	}
	broken := errors.New("broken")
	for _, test := range []struct {
		name, text string
		end        error // of the reader; nil means io.EOF
		want       error
		says       string
	}{
		{"one in another as deep as may be", nestedMessage(maxDepth), nil, nil, ""},
		{"one deeper", nestedMessage(maxDepth + 1), nil, access.ErrTooLong, "multiparts 25 deep"},
		{"as many as may be", mixed(maxParts), nil, nil, ""},
		{"one more", mixed(maxParts + 1), nil, access.ErrTooLong, "more than 10000 parts"},
		{"none", "Content-Type: multipart/mixed; boundary=b\n\n--b--\r\n", nil, io.EOF, ""},
		{"no boundary at all", "Content-Type: multipart/mixed; boundary=b\n\ntext\n", nil, io.ErrUnexpectedEOF, "last boundary"},
		{"another part", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-ID: <d>\n\n--b--\n", nil, io.EOF, ""},
		{"a message that is no multipart", "Content-ID: <d>\n\n--b\nContent-ID: <c>\n\n", nil, io.EOF, ""},
		{"a multipart of that id", "Content-ID: <c>\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n", nil, io.EOF, ""},
		{"another multipart of that id", "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-ID: <c>\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n--a--\n", nil, io.EOF, ""},
		{"a file that breaks", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n", broken, broken, ""},
		{"a file that breaks within another multipart", strings.TrimSuffix(nestedMessage(2), "Content-ID: <c>\n\nx\n--b1--\n--b0--\n"), broken, broken, ""},
		{"a part without a header", "Content-Type: multipart/mixed; boundary=b\n\n--b\nno field\n\nx\n--b--\n", nil, nil, "malformed MIME header"},
	} {
		rest := strings.NewReader(test.text)
		h, r := splitHeader(t, rest)
		if test.end != nil {
			r = io.MultiReader(r, iotest.ErrReader(test.end))
		}
		p, err := NewParts(h, r).Find("c")
		if fails := test.want != nil || test.says != ""; err != nil != fails || test.want != nil && !errors.Is(err, test.want) || fails && !strings.Contains(err.Error(), test.says) || !fails && p.ID != "c" {
			t.Errorf("%s: Find = %q, %v, want %v with %q", test.name, p.ID, err, test.want, test.says)
		}
	}
}

// splitHeader reads a header, and returns a reader for the rest.
func splitHeader(t *testing.T, r *strings.Reader) (Header, io.Reader) {
	t.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(text), "\n\n")
	return Header(head + "\n\n"), strings.NewReader(body)
}
