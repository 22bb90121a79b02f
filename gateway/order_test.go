package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"locus/access"
	"locus/gateway"
)

// A browser remembers the order that its user chose in a listing, for every directory. A shared gateway
// and a page of another site do not set it, and menus keep the order of their servers.
func TestOrderIsRemembered(t *testing.T) {
	files := []access.Entry{entry(access.Object, "b", "ftp://h.example/b"), entry(access.Object, "c", "ftp://h.example/c"), entry(access.Directory, "a", "ftp://h.example/a/")}
	files[0].Size, files[1].Size = 1, 2
	all := resources{"ftp://h.example/": menu(io.EOF, files...), "ftp://i.example/": menu(io.EOF, files...), "gopher://h.example/1": menu(io.EOF, files...)}
	get := serve(t, &gateway.Gateway{Engine: all})
	shared := serve(t, &gateway.Gateway{Engine: all, Shared: true})
	for _, test := range []struct {
		name   string
		get    func(method, path string, fields ...string) (*http.Response, string, error)
		path   string
		fields string
		cookie string // that the browser has
		want   string // that the response sets: "value", "removed" or ""
		order  []string
	}{
		{"no choice", get, "/ftp://h.example/", clickedHere, "", "", []string{">a<", ">b<", ">c<"}},
		{"a choice", get, "/-/list?sort=-size&url=ftp://h.example/", clickedHere, "", "sort=-size", []string{">a<", ">c<", ">b<"}},
		{"another directory", get, "/ftp://i.example/", clickedHere, "sort=-size", "", []string{">a<", ">c<", ">b<"}},
		{"folders, too", get, "/-/list?sort=-size&folders=mixed&url=ftp://h.example/", clickedHere, "sort=-size", "sort=-size&folders=mixed", []string{">c<", ">b<", ">a<"}},
		{"a choice again", get, "/-/list?sort=-size&url=ftp://h.example/", clickedHere, "sort=-size", "", []string{">a<", ">c<", ">b<"}},
		{"the order of the server", get, "/-/list?url=ftp://h.example/", clickedHere, "sort=-size", "removed", []string{">a<", ">b<", ">c<"}},
		{"a filter", get, "/-/list?filter=b&sort=-size&url=ftp://h.example/", clickedHere, "sort=-size", "", []string{">b<"}},
		{"a menu", get, "/gopher://h.example/1", clickedHere, "sort=-size", "", []string{">b<", ">c<", ">a<"}},
		{"a choice in a menu", get, "/-/list?sort=-name&url=gopher://h.example/1", clickedHere, "", "", []string{">c<", ">b<", ">a<"}},
		{"a link elsewhere", get, "/-/list?sort=-size&url=ftp://h.example/", clickedOff, "", "", []string{">a<", ">c<", ">b<"}},
		{"a shared gateway", shared, "/-/list?sort=-size&url=ftp://h.example/", clickedHere, "", "", []string{">a<", ">c<", ">b<"}},
		{"a false cookie", get, "/ftp://h.example/", clickedHere, "sort=nothing", "", []string{">a<", ">b<", ">c<"}},
		{"a cookie of another listing", get, "/ftp://h.example/", clickedHere, "sort=-score", "", []string{">a<", ">b<", ">c<"}},
	} {
		fields := strings.Split(test.fields, "\n")
		if test.cookie != "" {
			fields = append(fields, "Cookie: locus-order="+test.cookie)
		}
		resp, body, err := test.get("GET", test.path, fields...)
		set := ""
		for _, c := range resp.Cookies() {
			set = c.Value
			if c.MaxAge < 0 {
				set = "removed"
			}
			if c.Name != "locus-order" || !c.HttpOnly {
				t.Errorf("%s: the cookie is %v", test.name, c)
			}
		}
		if err != nil || set != test.want {
			t.Errorf("%s: the browser shall remember %q, %v, want %q", test.name, set, err, test.want)
		}
		_, rows, _ := strings.Cut(body, `id="entries"`)
		if !hasInOrder(rows, test.order...) {
			t.Errorf("%s: the page does not have the order %q:\n%s", test.name, test.order, rows)
		}
	}
}
