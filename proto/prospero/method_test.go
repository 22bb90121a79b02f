package prospero

import (
	"strings"
	"testing"

	"locus/access"
	"locus/scheme"
)

// A link or an access method is converted to a URL.
//
// req: 1738-3.11-2
func TestMethods(t *testing.T) {
	for _, test := range []struct {
		host, hsoname string // of the link
		method        string
		want          string // "" if there is none
	}{
		{"ftp.example.org", "/pub/README", "AFTP '' '' '' '' ASCII", "ftp://ftp.example.org/pub/README;type=a"},
		{"ftp.example.org", "/pub/README", "AFTP '' '' '' '' TEXT", "ftp://ftp.example.org/pub/README;type=a"},
		{"ftp.example.org", "", "AFTP INTERNET-D '' ASCII '/pub/dist.tar.Z' BINARY", "ftp://ftp.example.org/pub/dist.tar.Z;type=i"},
		{"ftp.example.org", "", "AFTP INTERNET-D '' ASCII pub BINARY", "ftp://ftp.example.org/pub;type=i"},
		{"ftp.example.org", "/", "AFTP '' '' '' '' DIRECTORY", "ftp://ftp.example.org/;type=d"},
		{"ftp.example.org", "/a b/c;d", "AFTP '' '' '' ''", "ftp://ftp.example.org/a%20b/c%3Bd"},
		{"h", "", "AFTP INTERNET-D LOCALHOST ASCII '/x' BINARY", "ftp://asked.example/x;type=i"},
		{"h", "", "AFTP INTERNET-D LOCALHOST(2121) ASCII '/x' BINARY", "ftp://asked.example:2121/x;type=i"},
		{"h", "", "AFTP INTERNET-D localhost ASCII '/x' BINARY", "ftp://asked.example/x;type=i"},
		{"LOCALHOST.", "/x", "AFTP '' '' '' '' BINARY", "ftp://asked.example/x;type=i"},
		{"h", "/x\nDELE y", "AFTP '' '' '' '' BINARY", ""},
		{"ftp.example.org(2121)", "", "FTP INTERNET-D '' ASCII '/home/user/file.txt' TEXT", "ftp://ftp.example.org:2121/%2Fhome/user/file.txt;type=a"},
		{"ftp.example.org(21)", "", "FTP INTERNET-D '' ASCII file.txt TEXT", "ftp://ftp.example.org/file.txt;type=a"},
		{"gopher.example.org(150)", "1/menus/sub menu", "GOPHER '' '' '' ''", "gopher://gopher.example.org:150/11/menus/sub%20menu"},
		{"127.0.0.1(7070)", "0/about.txt", "GOPHER '' '' '' '' TEXT", "gopher://127.0.0.1:7070/00/about.txt"},
		{"g.example", "1/menu", "GOPHER '' '' '' '' TEXT", "gopher://g.example/01/menu"},
		{"g.example", "9/x", "GOPHER '' '' '' '' BINARY", "gopher://g.example/99/x"},
		{"g.example", "I/x", "GOPHER '' '' '' '' BINARY", "gopher://g.example/II/x"},
		{"g.example", "x", "GOPHER '' '' '' '' BINARY", "gopher://g.example/9x"},
		{"g.example", "/about", "GOPHER '' '' '' '' 0", "gopher://g.example/0/about"},
		{"g.example", "", "GOPHER '' '' '' ''", "gopher://g.example/1"},
		{"g.example", "0/x\ty", "GOPHER '' '' '' ''", ""},
		{"g.example", "\x01x", "GOPHER '' '' '' ''", ""},
		{"w.example", "", "WAIS INTERNET-D '' ASCII 'WAIS-GW/wais.example.org(210)/GETFILE/TEXT/directory-of-servers/1234'", "wais://wais.example.org/directory-of-servers/TEXT/1234"},
		{"w.example", "", "WAIS INTERNET-D '' ASCII 'WAIS-GW/wais.example.org(8000)/TEXT/db/a%20b'", "wais://wais.example.org:8000/db/TEXT/a%20b"},
		{"w.example", "WAIS/OBJECT/x", "WAIS '' '' '' ''", ""},
		{"w.example", "WAIS-GW/h h/TEXT/db/x", "WAIS '' '' '' ''", ""},
		{"w.example", "WAIS-GW/h/TEXT/db", "WAIS '' '' '' ''", ""},
		{"t.example(2323)", "", "TELNET '' '' '' '' 'Login as guest'", "telnet://t.example:2323"},
		{"t.example(23)", "", "TN3270 '' '' '' ''", "tn3270://t.example"},
		{"www.example(80)", "", "HTTP INTERNET-D '' ASCII '/a b?c'", "http://www.example/a%20b?c"},
		{"www.example", "", "HTTP INTERNET-D '' ASCII 'no slash'", ""},
		{"h", "/etc/passwd", "LOCAL '' '' '' ''", ""},
		{"h", "/x", "NFS '' '' '' '' /export", ""},
		{"h", "/x", "AFS '' '(NULL POINTER)' '' ''", ""},
		{"h", "/x", "AFTP '' '' ''", ""}, // a token is missing
		{"h h", "/x", "AFTP '' '' '' ''", ""},
		{"h/x", "/x", "AFTP '' '' '' ''", ""},
		{"h(0)", "/x", "AFTP '' '' '' ''", ""},
		{"h(70000)", "/x", "AFTP '' '' '' ''", ""},
		{"h(7", "/x", "AFTP '' '' '' ''", ""},
		{"(NULL POINTER)", "/x", "AFTP '' '' '' ''", ""},
	} {
		link := "LINK L EXTERNAL x INTERNET-D " + quote(test.host) + " ASCII " + quote(test.hsoname) + " 0\n" +
			"ATTRIBUTE CACHED FIELD ACCESS-METHOD " + test.method + "\n"
		r, err := parseReply([]byte(link))
		if err != nil || len(r.links) != 1 {
			t.Fatalf("parseReply(%q) = %+v, %v", link, r, err)
		}
		e := listedLink{r.links[0], scheme.Host{Name: "asked.example", Port: 7}}.entry()
		if got := e.URL.String(); got != test.want {
			t.Errorf("%s of %s %q is %q, want %q", test.method, test.host, test.hsoname, got, test.want)
		}
		if view, err := scheme.Parse(e.URL); test.want != "" && (err != nil || view.URL() != e.URL) {
			t.Errorf("%s is read as %v, %v", e.URL, view, err)
		}
	}
}

func TestLinks(t *testing.T) {
	for _, test := range []struct {
		link, want string
		kind       access.Kind
	}{
		{"L FILE x INTERNET-D h ASCII '/x' 0", "prospero://h//x", access.Object},
		{"L DIRECTORY x INTERNET-D h(1526) ASCII x/y 0", "prospero://h:1526/x/y", access.Directory},
		{"L DIRECTORY+FILE x INTERNET-D h(1525) ASCII x 0", "prospero://h/x", access.Directory},
		{"L OBJECT x INTERNET-D H.Example ASCII x 0", "prospero://H.Example/x", access.Unknown},
		{"L FILE x INTERNET-D LOCALHOST ASCII x 0", "prospero://asked.example:7/x", access.Object},
		{"L FILE x INTERNET-D LOCALHOST(8) ASCII x 0", "prospero://asked.example:8/x", access.Object},
		{"L FILE x INTERNET-D h ASCII 'a;b%c#d' 3", "prospero://h/a%3Bb%25c%23d;OBJECT-VERSION=3", access.Object},
		{"L FILE x INTERNET-D h OTHER x 0", "prospero://h/x;HSONAME-TYPE=OTHER", access.Object},
		{"L FILE x INTERNET-D h ASCII 'a\x00b' 0", "", access.Unknown},
		{"L FILE x X-500 h ASCII x 0", "", access.Unknown},
		{"L SYMBOLIC x VIRTUAL-SYSTEM h ASCII x 0", "", access.Unknown},
		{"L NULL NULL NULL NULL NULL NULL 0", "", access.Unknown},
		{"L EXTERNAL x INTERNET-D h ASCII x 0", "", access.Unknown},
		{"L EXTERNAL x INTERNET-D h ASCII x 0\nATTRIBUTE LINK FIELD ACCESS-METHOD PROSPERO-CONTENTS '' '' '' ''", "prospero://h/x", access.Object},
		{"L EXTERNAL x INTERNET-D h ASCII x 0\nATTRIBUTE LINK FIELD ACCESS-METHOD LOCAL '' '' '' ''\nATTRIBUTE LINK FIELD ACCESS-METHOD GOPHER '' '' '' '' 7", "gopher://h/7x", access.Search},
		{"L EXTERNAL x INTERNET-D h ASCII x 0\nATTRIBUTE LINK FIELD ACCESS-METHOD GOPHER '' '' '' '' 1", "gopher://h/1x", access.Directory},
		{"L FILE x INTERNET-D h ASCII x 0\nID REMOTE 9", "prospero://h/x;ID=REMOTE%209", access.Object},
	} {
		r, err := parseReply([]byte("LINK " + test.link + "\n"))
		if err != nil || len(r.links) != 1 {
			t.Errorf("parseReply(%q) = %+v, %v", test.link, r, err)
			continue
		}
		e := listedLink{r.links[0], scheme.Host{Name: "asked.example", Port: 7}}.entry()
		if e.URL.String() != test.want || e.Kind != test.kind {
			t.Errorf("%s: %q, %v, want %q, %v", test.link, e.URL, e.Kind, test.want, test.kind)
		}
		if test.want == "" || e.URL.Scheme() != "prospero" {
			continue
		}
		to, err := parseTarget(e.URL)
		if l := r.links[0]; err != nil || to.hsoname != l.Hsoname || to.version != l.Version || to.nameType != l.HsonameType {
			t.Errorf("%s is parsed as %+v, %v, want what the link names", e.URL, to, err)
		}
	}
}

// The request has everything from the URL. What cannot be sent is refused.
//
// req: 1738-3.11-1 1738-3.11-2 1630-prospero-1
func TestParse(t *testing.T) {
	for _, test := range []struct {
		url     string
		address string
		request string // after the greeting
	}{
		{"prospero://host.dom//pros/name", "host.dom:1525", "GET-OBJECT-INFO CONTENTS ASCII '/pros/name' 0\n"},
		{"prospero://host.dom:1526/", "host.dom:1526", "GET-OBJECT-INFO CONTENTS ASCII '' 0\n"},
		{"prospero://[::1]/a/../b//c", "[::1]:1525", "GET-OBJECT-INFO CONTENTS ASCII 'a/../b//c' 0\n"},
		{"prospero://h/it's%09a%20name%FF", "h:1525", "GET-OBJECT-INFO CONTENTS ASCII 'it''s\ta name\xff' 0\n"},
		{"prospero://h/x;OBJECT-VERSION=3", "h:1525", "GET-OBJECT-INFO CONTENTS ASCII 'x' 3\n"},
		{"prospero://h/x;version=3", "h:1525", "GET-OBJECT-INFO CONTENTS ASCII 'x' 3\n"},
		{"prospero://h/x%003", "h:1525", "GET-OBJECT-INFO CONTENTS ASCII 'x' 3\n"},
		{"prospero://h/x%0012abc", "h:1525", "GET-OBJECT-INFO CONTENTS ASCII 'x' 12\n"},
		{"prospero://h/x;id=REMOTE%2012345", "h:1525", "GET-OBJECT-INFO CONTENTS ASCII 'x' 0\nSELECT OBJECT FIELD ID SEQUENCE REMOTE 12345\n"},
		{"prospero://h/x;A=a%20'b';B=", "h:1525", "GET-OBJECT-INFO CONTENTS ASCII 'x' 0\nSELECT OBJECT FIELD A SEQUENCE a '''b'''\nSELECT OBJECT FIELD B SEQUENCE ''\n"},
		{"prospero://h/x;hsoname-type=Other", "h:1525", "GET-OBJECT-INFO CONTENTS OTHER 'x' 0\n"},
	} {
		got, err := parseTarget(parseURL(t, test.url))
		if err != nil || got.address() != test.address || got.contentsRequest() != greeting+test.request {
			t.Errorf("parseTarget(%q) sends to %s %q, %v, want %s %q", test.url, got.address(), got.contentsRequest(), err, test.address, test.request)
		}
		if lines := strings.Count(got.resolveRequest(), "SELECT"); lines != 2*strings.Count(test.request, "SELECT") {
			t.Errorf("%q selects %d times, want once for each of two commands", test.url, lines)
		}
	}
	for _, text := range refused {
		if got, err := parseTarget(parseURL(t, text)); err == nil {
			t.Errorf("parseTarget(%q) = %+v, want an error", text, got)
		}
	}
}

// refused has URLs that cannot be sent.
var refused = []string{
	"prospero://h/x;OBJECT-VERSION=1%0ALIST",
	"prospero://h/x;VERSION=a",
	"prospero://h/x%00",
	"prospero://h/x%00a",
	"prospero://h/x;a%0Ab=c",
	"prospero://h/x;a%20b=c",
	"prospero://h/x;=c",
	"prospero://h/x;a=b%0ALIST",
	"prospero://h/x;a=b%00",
	"prospero://h/x;HSONAME-TYPE=a%20b",
	"prospero://h/x;a",
	"prospero://h:0/x",
	"prospero:x",
	"prospero://u@h/x",
}
