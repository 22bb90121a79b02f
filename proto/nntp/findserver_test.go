package nntp

import (
	"fmt"
	"testing"
	"testing/fstest"
)

func ExampleFindServer() {
	etc := fstest.MapFS{"nntpserver": {Data: []byte("news.example.org\n")}} // or os.DirFS("/etc")
	fmt.Println(FindServer("", etc))
	// Output:
	// news.example.org
}

// req: 1738-3.6-2
func TestFindServer(t *testing.T) {
	for _, test := range []struct {
		variable string
		files    map[string]string
		want     string
	}{
		{"", nil, ""},
		{"h.example:1119", map[string]string{"news/server": "other\n"}, "h.example:1119"},
		{" h.example\n", nil, "h.example"},
		{"", map[string]string{"news/server": "tin.example\n"}, "tin.example"},
		{"", map[string]string{"news/server": "\n# ours\n tin.example # in the cellar\n"}, "tin.example"},
		{"", map[string]string{"nntpserver": "gnus.example"}, "gnus.example"},
		{"", map[string]string{"news/inn.conf": "mta: /bin/true\nserver:      inn.example\n"}, "inn.example"},
		{"", map[string]string{"news/inn.conf": "server: \"inn.example\"\n"}, "inn.example"},
		{"", map[string]string{"news/inn.conf": "#server: x\nserver:\nnnrpdserver: y\n"}, ""},
		{"", map[string]string{"news/server": "", "news/inn.conf": "server: inn.example\n"}, "inn.example"},
		{"", map[string]string{"news/server": "first\n", "nntpserver": "second\n"}, "first"},
	} {
		etc := fstest.MapFS{}
		for name, text := range test.files {
			etc[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := FindServer(test.variable, etc); got != test.want {
			t.Errorf("FindServer(%q) with %q = %q, want %q", test.variable, test.files, got, test.want)
		}
	}
}
