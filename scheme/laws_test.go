package scheme_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"locus/scheme"
	"locus/url"
)

// seeds has valid and invalid URLs of every scheme.
var seeds = []string{
	"", "a/b", "ftp://u:p@h:2121/a/%2Fb//c;type=i", "ftp://h", "ftp://@h/;type=L8", "ftps://[::1]/~x", "ftp://h/a;type=x",
	"http://h?a+b", "https://[fe80::1%25eth0]:443/a%2fb?c#d", "http://[v7.x]/\"", "http://%5Bv7.x%5D/", "http://%3A%3A1/",
	"gopher://h", "gopher://h/7s%09a%20b%09+", "gopher://h/0s%09%09+%091%0D%0A+-1%0D%0Aa%0D%0A.%0D%0A", "gopher://h/0s%09%09$+A%20+B",
	"mailto:user%25gate@host.dom?subject=x", "mailto:%22a%20b%22@%5B1.2.3.4%5D", "mailto:a@b,c@d", "news:*", "news:comp.lang.c", "news:a/b@c",
	"news://h/*", "snews://h/a.b", "nntp://h:119/a.b/7", "nntp:a/1", "nntps://h/a", "telnet://u:p@h:23/", "rlogin://h", "tn3270://u@h/", "wais://h/db",
	"wais://h/db?a+b%2B", "wais://h/db/T/%01%03abc", "wais://h/db/T/1=a%3B;2=/b;", "wais://h/db/T/99/1=a;", "file:///C:/a%7C", "file:/a", "file://h/a?b",
	"prospero://h//a/b%0012abc;c=d", "prospero://h/a;b=c;d=", "mid:a@b/c", "cid:a%25b@c", "urn:example:a%2Fb?+r?=q", "urn:/iana/x", "x-try:a", "afs:x",
	"afs://c.d/a%2Fb/", "afs:/afs/c/a", "afs:///c/a?b", "afs:/", "mailserver:a@b", "mailserver:a@b//", "mailserver:a%2Fb@c/d%0D%0Ae?f/g/h%2Fi//",
	"z39.50s://h", "z39.50s://u:p@h:210/a%2Bb+c?d;esn=F;rs=usmarc+sutrs", "z39.50r://h/a;query=@attr%201=4%20x;sort=title,-date;record=3;x=y=z", "z39.50s://h/a;scan=b",
	"data:,", "data:a/b;c=d,e%2Cf?g", "data:;base64,aGVsbG8", "data:a;base64;base64,YQ==", "data:%3Bbase64,x", "data:;base64%20,YQ==",
	"cso://h", "cso://h/?a+b%2B", "cso://h/?", "gophers://h/0/x%09%09+", "ftpes://u@h/a;type=i", "gemini://h", "gemini://h/a/%2Fb?c+d", "gophers://h:7070",
	"titan://h", "titan://h/a/%2Fb;mime=text/plain%3Bx;size=0;token=a/b", "titan://h/;token=;size=07", "titan://h/a;b",
	"sftp://h", "sftp://u:p%3B;fingerprint=a-b@h:22/a%2Fb/", "sftp://;fingerprint=a%3Ab@h/~/a", "sftp://h/~", "sftp://h//~",
	"finger://h//W%20a", "finger://a@h/w/", "finger://h/w", "dict://h", "dict://h/d:a:b:1", "dict://h/m:a:b:c:01", "dict://h/match:",
	"imap://h", "imap://u;AUTH=*:p@h:1/a%2F/;UID=7/;SECTION=1.2/;PARTIAL=0.9", "imaps://;AUTH=X@h/a/b;UIDVALIDITY=3?TEXT%20%22x%22", "imap://h/a*;TYPE=LSUB",
	"nfs://h", "nfs://h/a/%2Fb//c/", "nfs://h:2050//a?b", "nfs://[::1]/%FF%00",
	"http://h:0/", "http://h:99999/", "http:", "http://u@h/",
}

// Parsing the URL of a view returns the view: ParseX(v.URL()) == v, by every standard that can write it. No function
// panics.
//
// req: 1738-3.1-3, 1738-2.2-4
func FuzzView(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkLaws(t, text)
		for _, std := range standards {
			if u, err := std.Parse(text); err == nil {
				n := scheme.Normalize(u, url.AllRewrites)
				if again := scheme.Normalize(n, url.AllRewrites); again != n {
					t.Errorf("%v: Normalize(%q) = %q, and a second Normalize = %q", std, text, n, again)
				}
			}
		}
	})
}

// Parsing the URL of a view that a program makes returns the view.
func FuzzByHand(f *testing.F) {
	f.Add("h", "u", "p", "/a b", "c;d", uint16(21))
	f.Add("::1", "", "\x00", "%2F", "é\xff\r\n", uint16(0))
	f.Add("fe80::1%eth0", "@", ":", "?", "#", uint16(65535))
	f.Add("[v1.x]", "a", "b", "..", "~", uint16(1))
	f.Add("[::]", "a", "b", "c", "d", uint16(1)) // a name with brackets, not an address
	f.Fuzz(func(t *testing.T, host, user, password, a, b string, port uint16) {
		if host == "" {
			return
		}
		h := scheme.Host{Name: host, Port: port}
		views := []scheme.View{
			scheme.FTP{Scheme: "ftp", Host: h, User: url.Some(user), Password: url.Some(password), Dirs: []string{a, b}, Name: a + b, Type: "i"},
			scheme.FTP{Scheme: "ftps", Host: h, User: url.Some(user), Name: a},
			scheme.Telnet{Scheme: "telnet", Host: h, User: url.Some(user)},
			scheme.Telnet{Scheme: "rlogin", Host: h, User: url.Some(user), Password: url.Some(password)},
			scheme.Telnet{Scheme: "tn3270", Host: h},
			scheme.WAIS{Host: h, Database: a, Kind: scheme.WAISSearch, Search: b},
			scheme.WAIS{Host: h, Database: a, Kind: scheme.WAISDocument, WType: b, WPath: "\x01" + a, DocID: "\x01" + a},
			scheme.Z3950{Scheme: "z39.50r", Host: h, User: url.Some(user), Password: url.Some(password), Databases: []string{a + "x", b + "y"}, DocID: url.Some(a), ElementSet: b},
			scheme.Z3950{Scheme: "z39.50s", Host: h, Query: url.Some(a), Sort: b, Record: 7, From: 8, Syntaxes: []string{b, a + "x"}, Extensions: []scheme.Field{{a + "x-", b}}},
			scheme.File{Host: url.Some(host), Segments: []string{a, b}},
			scheme.File{Segments: []string{a + "x", b}},
			scheme.Titan{Host: h, Segments: []string{a, b}, Type: url.Some(a), Size: url.Some("7"), Token: url.Some(b)},
			scheme.AFS{Cell: "c.d", Segments: []string{a, b}},
			scheme.Mailserver{Address: "a@b", Subject: url.Some(a), Body: url.Some(b)},
			scheme.NFS{Host: h, Segments: []string{a, b}},
			scheme.Data{Type: a, Content: b},
			scheme.Data{Type: a, Base64: true, Content: b},
		}
		if !strings.Contains(a, "\x00") {
			views = append(views, scheme.Prospero{Host: h, Hsoname: a, Version: url.Some("12"), Fields: []scheme.Field{{a, b}, {b, a}}})
		}
		if !strings.ContainsAny(a+b, "\t\r\n") {
			views = append(views, scheme.Gopher{Scheme: "gopher", Host: h, Type: '0', Selector: a + b + "x", Search: url.Some(a), Plus: url.Some(b)})
		}
		for _, v := range views {
			got, err := scheme.Parse(v.URL())
			if err != nil || !reflect.DeepEqual(got, v) {
				t.Errorf("Parse(%q) = %+v, %v; want %+v", v.URL(), got, err, v)
			}
		}
	})
}

// LocalFile, URL, ParseFile and LocalPath lead back to the same file.
func FuzzLocalFile(f *testing.F) {
	for _, path := range []string{"/", "/a/b", `C:\a`, `\\server\share`, `\\?\C:\x`, "/a\x00b", `\\.\x`, "", "//a", `\\?\UNC\a\b`} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		for _, goos := range []string{"linux", "windows"} {
			v, err := scheme.LocalFile(goos, path)
			if err != nil {
				continue
			}
			got, err := scheme.ParseFile(v.URL())
			if err != nil || !reflect.DeepEqual(got, v) {
				t.Errorf("ParseFile(%q) = %+v, %v; want %+v", v.URL(), got, err, v)
			}
			name, err := got.LocalPath(goos)
			if err != nil {
				continue
			}
			if goos == "linux" && name != path {
				t.Errorf("LocalPath of %q = %q, want %q", v.URL(), name, path)
			}
			again, err := scheme.LocalFile(goos, name)
			if err != nil {
				t.Errorf("LocalFile(%q, %q) of the name for %q: %v", goos, name, path, err)
				continue
			}
			if back, err := again.LocalPath(goos); err != nil || back != name {
				t.Errorf("LocalPath of LocalFile(%q, %q) = %q, %v, want the same name", goos, name, back, err)
			}
		}
	})
}

// Set is idempotent, or returns an error.
func FuzzSet(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, "ftp.name", "a;b")
		f.Add(s, "query", "a%20b c")
	}
	f.Add("gopher://h/7s%09x", "gopher.search", "a/b")
	f.Add("wais://h/db/T/x", "wais.wpath", "1=a;")
	f.Fuzz(func(t *testing.T, text, part, value string) {
		for _, std := range standards {
			u, err := std.Parse(text)
			if err != nil {
				continue
			}
			if v, err := scheme.Set(u, part, &value); err == nil {
				again, err := scheme.Set(v, part, &value)
				if err != nil || again != v {
					t.Errorf("Set(%q, %q, %q) = %q, and a second Set = %q, %v", u, part, value, v, again, err)
				}
			}
			_, _ = scheme.Set(u, part, nil)
		}
	})
}

// seeds has every scheme with a view, and every view has JSON.
func TestSeeds(t *testing.T) {
	for _, s := range scheme.All() {
		i := slices.IndexFunc(seeds, func(text string) bool { return strings.HasPrefix(text, s.Name+":") })
		if s.Parse != nil && i < 0 {
			t.Errorf("no seed has the scheme %q", s.Name)
		}
	}
	for _, text := range seeds {
		u, err := url.Parse(text)
		if err != nil {
			continue
		}
		if v, err := scheme.Parse(u); err == nil && !utf8.ValidString(asJSON(t, v)) {
			t.Errorf("the JSON of %q is not UTF-8", text)
		}
	}
}

// A view does not copy parts that need no decoding.
func TestAllocs(t *testing.T) {
	for _, test := range []struct {
		text string
		want float64
		run  func(url.URL) error
	}{
		{"ftp://user:password@host.example:2121/name;type=i", 0, func(u url.URL) error { _, err := scheme.ParseFTP(u); return err }},
		{"ftp://host.example/pub/a/b/name", 1, func(u url.URL) error { _, err := scheme.ParseFTP(u); return err }},
		{"http://host.example/over/there?name=ferret", 0, func(u url.URL) error { _, err := scheme.ParseHTTP(u); return err }},
		{"gopher://host.example/0/pub/text", 0, func(u url.URL) error { _, err := scheme.ParseGopher(u); return err }},
		{"wais://host.example/database?search", 0, func(u url.URL) error { _, err := scheme.ParseWAIS(u); return err }},
		{"z39.50r://host.example/database?docid", 1, func(u url.URL) error { _, err := scheme.ParseZ3950(u); return err }},
		{"news:comp.infosystems.www.misc", 0, func(u url.URL) error { _, err := scheme.ParseNews(u); return err }},
		{"nntp://host.example/comp.lang.c/4711", 0, func(u url.URL) error { _, err := scheme.ParseNNTP(u); return err }},
		{"mailto:user@host.example", 0, func(u url.URL) error { _, err := scheme.ParseMailto(u); return err }},
		{"telnet://user@host.example/", 0, func(u url.URL) error { _, err := scheme.ParseTelnet(u); return err }},
		{"prospero://host.example//pros/name", 0, func(u url.URL) error { _, err := scheme.ParseProspero(u); return err }},
		{"mid:a@host.example", 0, func(u url.URL) error { _, err := scheme.ParseMid(u); return err }},
		{"urn:example:name", 0, func(u url.URL) error { _, err := scheme.ParseURN(u); return err }},
	} {
		u := url.MustParse(test.text)
		got := testing.AllocsPerRun(100, func() {
			if err := test.run(u); err != nil {
				t.Fatalf("%q: %v", test.text, err)
			}
		})
		if got > test.want {
			t.Errorf("parsing the view of %q allocates %v times, want at most %v", test.text, got, test.want)
		}
	}
}
