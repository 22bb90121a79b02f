package extract

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"locus/access"
	"locus/cmd/locus/internal/clitest"
	"locus/demo"
	"locus/internal/render"
	"locus/url"
)

// An entries is a Lister. It ends with err or, if that is nil, with io.EOF.
type entries struct {
	urls []string
	err  error
}

func (l *entries) Next() (access.Entry, error) {
	if len(l.urls) == 0 {
		if l.err != nil {
			return access.Entry{}, l.err
		}
		return access.Entry{}, io.EOF
	}
	e := access.Entry{Title: "http://title.example/", URL: url.MustParse(l.urls[0])}
	l.urls = l.urls[1:]
	return e, nil
}

// The URLs of entries are found unchanged, with any last character. An entry without a URL is
// skipped, and the reader returns the error of the listing.
func TestWrapped(t *testing.T) {
	urls := []string{"ftp://h/a).", "", "http://h/?", "prospero://h//x;VERSION=1", "gopher://h/1,"}
	text, err := io.ReadAll(iotest.OneByteReader(render.Wrapped(&entries{urls: urls}, io.NopCloser(nil))))
	if err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Stdin: string(text)})
	if want := "ftp://h/a).\nhttp://h/?\nprospero://h//x;VERSION=1\ngopher://h/1,\n"; status != 0 || stdout != want || stderr != "" {
		t.Errorf("extract = %d, %q, %q, want %q", status, stdout, stderr, want)
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(render.Wrapped(&entries{urls: urls, err: broken}, io.NopCloser(nil))); !errors.Is(err, broken) {
		t.Errorf("reading a listing that fails = %v, want its error", err)
	}
}

// For a directory of each old protocol, extract writes the URLs of its entries.
func TestExtractDirectory(t *testing.T) {
	d, err := demo.Start(t.Context(), demo.Config{
		Listen: net.Listen, ListenPacket: net.ListenPacket,
		Files: fstest.MapFS{"a.txt": {Data: []byte("see http://inside.example/")}, "sub/b.txt": {Data: []byte("b")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	at := map[string]string{}
	for _, s := range d.Services() {
		at[s.Scheme] = s.Scheme + "://" + s.Addr
	}
	for _, test := range []struct {
		args []string
		want []string // the beginnings of the lines
	}{
		{[]string{at["prospero"] + "/"}, []string{at["prospero"] + "//a.txt", at["prospero"] + "//sub", at["ftp"] + "/;type=d", at["gopher"] + "/1"}},
		{[]string{"--scheme", "gopher", at["prospero"] + "/"}, []string{at["gopher"] + "/1"}},
		{[]string{at["ftp"] + "/"}, []string{at["ftp"] + "/a.txt", at["ftp"] + "/sub/"}},
		{[]string{at["wais"] + "/library"}, []string{at["wais"] + "/library/WSRC/", at["wais"] + "/library/TEXT/"}},
		{[]string{at["wais"] + "/library?inside"}, []string{at["wais"] + "/library/TEXT/"}},
		{[]string{at["ftp"] + "/a.txt"}, []string{"http://inside.example/"}},
		{[]string{"--as", "text", at["ftp"] + "/"}, nil},
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{}, test.args...)
		if status != 0 || stderr != "" {
			t.Errorf("extract %q = %d, %q", test.args, status, stderr)
		}
		if test.want == nil && stdout != "" {
			t.Errorf("extract %q writes %q, want \"\"", test.args, stdout)
		}
		for _, want := range test.want {
			if !strings.Contains("\n"+stdout, "\n"+want) {
				t.Errorf("extract %q writes %q, want %q", test.args, stdout, want)
			}
		}
	}
}
