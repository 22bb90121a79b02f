package scheme_test

import (
	"encoding/json"
	"fmt"

	"locus/scheme"
	"locus/url"
)

func ExampleParse() {
	for _, text := range []string{"ftp://host.dom/%2Fetc/motd;type=a", "news:comp.infosystems.www.misc", "gopher://h/7find%09two%20words"} {
		v, err := scheme.Parse(url.MustParse(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		j, _ := json.Marshal(scheme.JSON(v))
		fmt.Println(string(j))
	}
	// Output:
	// {"user":null,"password":null,"dirs":["/etc"],"name":"motd","type":"a"}
	// {"kind":"group","group":"comp.infosystems.www.misc","message_id":null}
	// {"type":"7","selector":"find","search":"two words","plus":null}
}

func ExampleParseFTP() {
	v, _ := scheme.ParseFTP(url.MustParse("ftp://myname@host.dom/%2Fetc/motd"))
	fmt.Printf("%q, %q on %s\n", v.Dirs, v.Name, v.Address(21))
	v.Type = "a"
	fmt.Println(v.URL())
	// Output:
	// ["/etc"], "motd" on host.dom:21
	// ftp://myname@host.dom/%2Fetc/motd;type=a
}

func ExampleLookup() {
	s, _ := scheme.Lookup("gopher")
	fmt.Println(s.Port, s.Spec, s.Flags)
	// Output: 70 RFC 1738 §3.4 object
}

func ExampleJudge() {
	u, _ := url.RFC1738.Parse("ftp://host.dom/pub/doc;type=x")
	fmt.Println(scheme.Judge(u))
	// Output: parse "ftp://host.dom/pub/doc;type=x": offset 28: found 'x', want a type code: "a", "i" or "d" (RFC 1738 §5)
}

func ExampleRead() {
	_, err := scheme.Read(url.RFC1738, "http://user@host.dom/a b")
	fmt.Println(err)
	// Output: parse "http://user@host.dom/a b": offset 11: found '@', want a host and a port: no user or password, and no "@", is allowed (RFC 1738 §5)
}

func ExampleParseHTTP() {
	v, _ := scheme.ParseHTTP(url.MustParse("https://h:8443/over%20there?name=a%26b"))
	fmt.Println(v.Address(443), v.Target, v.Path, v.Search.Text)
	// Output: h:8443 /over%20there?name=a%26b over there name=a&b
}

func ExampleParseGopher() {
	v, _ := scheme.ParseGopher(url.MustParse("gopher://h/7find%09two%20words"))
	fmt.Printf("%c %q %q %v\n", v.Type, v.Selector, v.Search.Text, v.Plus.Present)
	// Output: 7 "find" "two words" false
}

func ExampleParseMailto() {
	v, _ := scheme.ParseMailto(url.MustParse("mailto:user%25gateway@host.dom"))
	fmt.Println(v.Address)
	// Output: user%gateway@host.dom
}

func ExampleParseNews() {
	for _, text := range []string{"news:*", "news:comp.lang.c", "news:unique@full.domain"} {
		v, _ := scheme.ParseNews(url.MustParse(text))
		fmt.Printf("%v %q %q\n", v.Kind == scheme.NewsAll, v.Group, v.MessageID)
	}
	// Output:
	// true "" ""
	// false "comp.lang.c" ""
	// false "" "unique@full.domain"
}

func ExampleParseNNTP() {
	v, _ := scheme.ParseNNTP(url.MustParse("nntp://h/comp.lang.c/4711"))
	fmt.Println(v.Address(119), v.Group, v.Article, v.Number)
	// Output: h:119 comp.lang.c true 4711
}

func ExampleParseTelnet() {
	v, _ := scheme.ParseTelnet(url.MustParse("telnet://guest:@[::1]/"))
	fmt.Println(v.Address(23), v.User.Text, v.Password.Present)
	// Output: [::1]:23 guest true
}

func ExampleParseTelnet_rlogin() {
	v, _ := scheme.ParseTelnet(url.MustParse("rlogin://guest@h/"))
	fmt.Println(v.Address(513), v.User.Text, v.URL())
	// Output: h:513 guest rlogin://guest@h
}

func ExampleParseTelnet_tn3270() {
	v, _ := scheme.ParseTelnet(url.MustParse("tn3270://locis.loc.gov:2323"))
	fmt.Println(v.Name, v.Port, v.User.Present)
	// Output: locis.loc.gov 2323 false
}

func ExampleParseZ3950() {
	v, _ := scheme.ParseZ3950(url.MustParse("z39.50r://h/books+maps?bk000007;esn=F;rs=usmarc+sutrs"))
	fmt.Println(v.Databases, v.DocID.Text, v.ElementSet, v.Syntaxes)
	// Output: [books maps] bk000007 F [usmarc sutrs]
}

func ExampleParseWAIS() {
	v, _ := scheme.ParseWAIS(url.MustParse("wais://h/db/TEXT/1=h%3A210;2=db;"))
	fmt.Println(v.Kind == scheme.WAISDocument, v.Database, v.WType, v.Fields)
	// Output: true db TEXT [{1 h:210} {2 db}]
}

func ExampleParseNFS() {
	v, _ := scheme.ParseNFS(url.MustParse("nfs://server:2049//export/a%20b"))
	fmt.Printf("%s %q %v\n", v.Address(2049), v.Segments, v.IsAbsolute())
	// Output: server:2049 ["" "export" "a b"] true
}

func ExampleParseFile() {
	v, _ := scheme.ParseFile(url.MustParse("file://vms.host.edu/disk$user/my/notes"))
	fmt.Println(v.IsLocal(), v.Host.Text, v.Segments)
	// Output: false vms.host.edu [disk$user my notes]
}

func ExampleParseProspero() {
	v, _ := scheme.ParseProspero(url.MustParse("prospero://host.dom//pros/name;OBJECT-VERSION=3"))
	fmt.Println(v.Hsoname, v.Fields)
	// Output: /pros/name [{OBJECT-VERSION 3}]
}

func ExampleParseMid() {
	v, _ := scheme.ParseMid(url.MustParse("mid:960830.1639@XIson.com/part%2F1"))
	fmt.Println(v.MessageID, v.ContentID.Text)
	// Output: 960830.1639@XIson.com part/1
}

func ExampleParseCid() {
	v, _ := scheme.ParseCid(url.MustParse("cid:foo4%25foo1@bar.net"))
	fmt.Println(v.ContentID, v.URL())
	// Output: foo4%foo1@bar.net cid:foo4%25foo1@bar.net
}

func ExampleParseURN() {
	v, _ := scheme.ParseURN(url.MustParse("urn:example:a%2Fb"))
	fmt.Println(v.NID, v.NSS, v.Name)
	// Output: example a/b a%2Fb
}

// A Finger is the view of a scheme that the program adds.
type Finger struct{ Address string }

func (v Finger) URL() url.URL {
	return url.MustParse("x-finger:" + url.Escape(v.Address, url.RFC1738.Unreserved().With("@")))
}

func ExampleTable() {
	own := scheme.Table{"x-finger": {
		Name: "x-finger", Port: 79, Spec: "this program", Flags: scheme.Object,
		Parse: func(u url.URL) (scheme.View, error) {
			address, err := url.Unescape(u.Path())
			return Finger{address}, err
		},
	}}
	v, err := own.Parse(url.MustParse("x-finger:ada%20l@host.dom"))
	fmt.Printf("%+v %v\n", v, err)
	fmt.Println(v.URL())
	s, _ := own.Lookup("X-Finger")
	fmt.Println(s.Port, s.Spec)
	// Output:
	// {Address:ada l@host.dom} <nil>
	// x-finger:ada%20l@host.dom
	// 79 this program
}

func ExampleSet() {
	i := "i"
	u, _ := scheme.Set(url.MustParse("ftp://host.dom/pub/doc"), "ftp.type", &i)
	fmt.Println(u)
	// Output: ftp://host.dom/pub/doc;type=i
}

func ExampleNormalize() {
	fmt.Println(scheme.Normalize(url.MustParse("HTTP://host.dom:80"), url.AllRewrites))
	fmt.Println(scheme.Normalize(url.MustParse("gopher://host.dom:70/1/a/../b"), url.AllRewrites))
	// Output:
	// http://host.dom/
	// gopher://host.dom/1/a/../b
}

func ExampleGopher_Meaning() {
	v, _ := scheme.ParseGopher(url.MustParse("gopher://h/0item%09%09+application/postscript%20Es_ES"))
	m := v.Meaning()
	fmt.Println(m.View, m.Language)
	// Output: application/postscript Es_ES
}

func ExampleFile_LocalPath() {
	v, _ := scheme.ParseFile(url.MustParse("file:///C:/My%20Notes/a.txt"))
	path, _ := v.LocalPath("windows")
	fmt.Println(path)
	// Output: C:\My Notes\a.txt
}

func ExampleLocalFile() {
	v, _ := scheme.LocalFile("windows", `\\server\share\a.txt`)
	fmt.Println(v.URL())
	// Output: file://server/share/a.txt
}
