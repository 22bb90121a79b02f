package document

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"locus/extract"
	"locus/extract/document/internal/soup"
	"locus/internal/markup"
)

// The strings of JSON are the strings that encoding/json reads. A string that is a URL is found as one match.
func TestJSONOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 1))
	s := extract.NewScanner(nil, extract.Options{})
	for range 300 {
		values := map[string][]string{}
		for range 1 + random.IntN(4) {
			key := "k" + soup.Of(random, soup.Words(), 2)
			values[key] = append(values[key], "http://h/"+soup.Of(random, soup.Words(), 6), soup.Of(random, soup.Words(), 3))
		}
		var in bytes.Buffer
		w := json.NewEncoder(&in)
		w.SetEscapeHTML(random.IntN(2) == 0)
		w.SetIndent("", strings.Repeat(" ", random.IntN(2)))
		if err := w.Encode(values); err != nil {
			t.Fatal(err)
		}
		var want []string
		for key, list := range values {
			for _, value := range list {
				s.Reset(strings.NewReader(value))
				for m, err := s.Next(); err == nil; m, err = s.Next() {
					want = append(want, key+": "+string(m.Bytes))
				}
			}
		}
		var got []string
		for _, m := range gather(t, JSON, bytes.NewReader(in.Bytes()), Options{}) {
			got = append(got, m.Place+": "+m.Text)
			var text string
			if err := json.Unmarshal([]byte(`"`+in.String()[m.Offset:m.Offset+int64(m.Length)]+`"`), &text); err != nil || text != m.Text {
				t.Errorf("in %s, the match %q is at %q", in.String(), m.Text, text)
			}
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("in %s, the matches are %q, want %q", in.String(), got, want)
		}
	}
}

// The attributes and the text of XML are those that encoding/xml reads, and their offsets are right.
func TestXMLOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 2))
	escaped := func(text string) string {
		var b bytes.Buffer
		if err := xml.EscapeText(&b, []byte(text)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for range 300 {
		var in strings.Builder
		in.WriteString("<r>")
		for range 1 + random.IntN(5) {
			quote := []string{`"`, "'"}[random.IntN(2)]
			in.WriteString("<!-- <x href='no'/> --><a title=" + quote + escaped(soup.Of(random, soup.Words(), 2)) + quote + " href\n= " + quote + "x" + escaped(soup.Of(random, soup.Words(), 5)) + "y" + quote)
			in.WriteString([]string{"/>", "></a>", "><![CDATA[<x href='no'/>]]></a>"}[random.IntN(3)])
		}
		in.WriteString("</r>")
		var want []string
		for z := xml.NewDecoder(strings.NewReader(in.String())); ; {
			token, err := z.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("encoding/xml of %q: %v", in.String(), err)
			}
			if start, ok := token.(xml.StartElement); ok {
				for _, a := range start.Attr {
					if a.Name.Local == "href" {
						want = append(want, a.Value)
					}
				}
			}
		}
		var got []string
		for _, m := range gather(t, XML, strings.NewReader(in.String()), Options{}) {
			got = append(got, m.Text)
			if raw := in.String()[m.Offset : m.Offset+int64(m.Length)]; markup.ValueInXML([]byte(raw)) != m.Text {
				t.Errorf("in %q, the match %q is at %q", in.String(), m.Text, raw)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("in %q, the matches are %q, want %q", in.String(), got, want)
		}
	}
}

// The links in HTML are the links that golang.org/x/net/html finds, even if tags are not closed or not in order.
func TestHTMLOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 3))
	tokens := append([]string{
		"<a href=", "<img src=", "<p title=", "<a\nHREF = ", "'", `"`, ">", "/>", " ", "</a>", "</p>", "<b>", "x", "href=y", " src=z ", "<!-- ", "-->", "<!", "</", "<", "&lt;", "<script>", "</script>", "<textarea>", "</textarea>", "<title>", "</title>", "<style>", "</style>", "\x00", "\r\n", "\v", "\f",
	}, soup.Words()...)
	for range 3000 {
		in := soup.Of(random, tokens, 12)
		var want []string
		for z := html.NewTokenizer(strings.NewReader(in)); z.Next() != html.ErrorToken; {
			t := z.Token()
			if t.Type == html.SelfClosingTagToken {
				z.NextIsNotRawText()
			}
			if t.Type != html.StartTagToken && t.Type != html.SelfClosingTagToken {
				continue
			}
			for _, a := range t.Attr {
				if value := strings.Trim(a.Val, markup.Space); (a.Key == "href" || a.Key == "src") && value != "" {
					want = append(want, t.Data+" "+a.Key+": "+value)
				}
			}
		}
		var got []string
		for _, m := range gather(t, HTML, strings.NewReader(in), Options{}) {
			if m.Place == "" || m.Kind != extract.Reference {
				continue
			}
			got = append(got, m.Place+": "+m.Text)
			raw := in[m.Offset : m.Offset+int64(m.Length)]
			if !strings.ContainsAny(raw, "&\r\x00") && raw != m.Text {
				t.Errorf("in %q, the match %q is at %q", in, m.Text, raw)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("in %q, the matches are %q, want %q", in, got, want)
		}
	}
}

// The parts of messages that mime/multipart writes are found at their offsets, whatever their depth is.
func TestMultipartOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 5))
	names := 0
	var write func(deep int) (header textproto.MIMEHeader, body string, want []string)
	write = func(deep int) (textproto.MIMEHeader, string, []string) {
		var body bytes.Buffer
		header := textproto.MIMEHeader{}
		names++
		if deep == 0 || random.IntN(3) == 0 {
			text := fmt.Sprintf("--x\nhttp://h/%d=%s", names, strings.Repeat("y", random.IntN(120)))
			want := []string{text[len("--x\n"):]}
			switch random.IntN(4) {
			case 0:
				header.Set("Content-Transfer-Encoding", "Quoted-Printable")
				w := quotedprintable.NewWriter(&body)
				io.WriteString(w, text)
				w.Close()
			case 1:
				header.Set("Content-Transfer-Encoding", "base64 (comment)")
				body.WriteString(base64.StdEncoding.EncodeToString([]byte(text)))
			case 2:
				header.Set("Content-Type", "application/octet-stream")
				body.WriteString(text)
				want = nil
			default:
				body.WriteString(text)
			}
			return header, body.String(), want
		}
		w := multipart.NewWriter(&body)
		if err := w.SetBoundary([]string{"x", "xx", "x y", "=_x", "x--", "x:"}[random.IntN(6)] + strconv.Itoa(names)); err != nil {
			t.Fatal(err)
		}
		header.Set("Content-Type", mime.FormatMediaType("multipart/mixed", map[string]string{"boundary": w.Boundary()}))
		body.WriteString("http://no/ of who reads no parts\r\n")
		var want []string
		for range random.IntN(4) {
			part, text, more := write(deep - 1)
			pw, err := w.CreatePart(part)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(pw, text)
			want = append(want, more...)
		}
		if w.Close(); random.IntN(2) == 0 {
			body.WriteString("http://no/ after the parts\r\n")
		}
		return header, body.String(), want
	}
	for range 300 {
		header, body, want := write(random.IntN(5))
		var in strings.Builder
		for name, values := range header {
			in.WriteString(name + ": " + values[0] + "\r\n")
		}
		in.WriteString("\r\n" + body)
		var got []string
		for _, m := range gather(t, Mail, strings.NewReader(in.String()), Options{}) {
			got = append(got, m.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("in %q, the matches are %q, want %q", in.String(), got, want)
		}
	}
}
