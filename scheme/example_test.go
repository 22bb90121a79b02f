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
		j, _ := json.Marshal(v)
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
