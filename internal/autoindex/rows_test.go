package autoindex_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"locus/internal/autoindex"
)

// rows returns the rows of a page, each as "link size time": ~ stands before a size that is
// rounded, and ? after a time in an unknown zone.
func rows(r io.Reader) (all []string, err error) {
	reader := autoindex.NewReader(r)
	for {
		row, err := reader.Next()
		if err != nil {
			return all, err
		}
		text := fmt.Sprintf("%s %d", row.Link, row.Size)
		if row.Rounded {
			text = fmt.Sprintf("%s ~%d", row.Link, row.Size)
		}
		if !row.ModTime.IsZero() {
			text += row.ModTime.Format(" 2006-01-02 15:04:05")
			if !row.Zoned {
				text += "?"
			}
		}
		all = append(all, text)
	}
}

func TestRows(t *testing.T) {
	for _, test := range []struct {
		name, page string
		want       []string
	}{
		{
			"nginx", "<pre><a href=\"../\">../</a>\r\n<a href=\"sub/\">sub/</a>      20-Nov-2026 10:11       -\r\n" +
				"<a href=\"20-Nov-2026%2010:11%207.txt\">20-Nov-2026 10:11 7</a>      21-Nov-2026 10:12     1234\r\n<a href=k>k</a>  01-Jan-2026 00:00  12K\r\n</pre>",
			[]string{"../ -1", "sub/ -1 2026-11-20 10:11:00?", "20-Nov-2026%2010:11%207.txt 1234 2026-11-21 10:12:00?", "k ~12288 2026-01-01 00:00:00?"},
		},
		{
			"Apache's table", `<table><tr><th><a href="?C=N;O=D">Name</a></th></tr><tr><td><a href="sub/"><img alt="[DIR]"></a></td><td><a href="sub/">sub/</a></td><td align="right">2026-11-20 10:11  </td><td align="right">  - </td><td>&nbsp;</td></tr>
<tr><td><img></td><td><a href="a">a</a></td><td align="right">2026-11-20 10:11  </td><td align="right">1.2K</td><td>2020-01-01 00:00 9 <a href=x>a description</a></td></tr>
<tr><td><a href="b">b</a></td><td>2026-11-20 10:11  </td><td> 12 </td></tr></table>`,
			[]string{"?C=N;O=D -1", "sub/ -1 2026-11-20 10:11:00?", "a ~1228 2026-11-20 10:11:00?", "x -1", "b 12 2026-11-20 10:11:00?"},
		},
		{
			"Apache's list", "<pre><img src=x> <a href=\"a\">a</a>     2026-11-20 10:11  3.4M  words\n<img> <a href=\"b\">b</a>   2026-11-20 10:12   12 \n</pre>",
			[]string{"a ~3565158 2026-11-20 10:11:00?", "b 12 2026-11-20 10:12:00?"},
		},
		{
			"lighttpd", `<tr class="d"><td class="n"><a href="sub/">sub</a>/</td><td class="m">2026-Nov-20 10:11:12</td><td class="s">- &nbsp;</td><td class="t">Directory</td></tr>
<tr><td class="n"><a href="a">a</a></td><td class="m">2026-Nov-20 10:11:12</td><td class="s">1.5K</td><td class="t">text/plain</td></tr>`,
			[]string{"sub/ -1 2026-11-20 10:11:12?", "a ~1536 2026-11-20 10:11:12?"},
		},
		{
			"IIS", `<hr><pre><A HREF="/">[To Parent Directory]</A><br><br> 11/23/2026  3:56 AM        &lt;dir&gt; <A HREF="/pub/sub/">sub</A><br>11/23/2026 12:56 PM         1234 <A HREF="/pub/a&amp;b">a&b</A><br></pre>`,
			[]string{"/ -1", "/pub/sub/ -1 2026-11-23 03:56:00?", "/pub/a&b 1234 2026-11-23 12:56:00?"},
		},
		{
			"Caddy", `<tr><td><a href="./a"><svg></svg><span>a</span></a></td><td class="size" data-size="1300">1.3 KiB</td><td><time datetime="2026-03-04T05:06:07Z">3/4</time></td></tr>`,
			[]string{"./a 1300 2026-03-04 05:06:07"},
		},
		{
			"Jetty", `<table class="listing"><thead><tr><th class="name"><a href="?C=N&amp;O=D">Name&nbsp; &#8679;</a></th></tr></thead>
<tr><td class="name"><a href="/pub/a.txt">a.txt&nbsp;</a></td><td class="lastmodified">Nov 3, 2026, 12:56:49 AM&nbsp;</td><td class="size">1,234,567 bytes&nbsp;</td></tr>
<tr><td class="name"><a href="/pub/sub/">sub/&nbsp;</a></td><td class="lastmodified">Nov 23, 2026 3:56:49 PM&nbsp;</td><td class="size">4,096 bytes&nbsp;</td></tr>`,
			[]string{"?C=N&O=D -1", "/pub/a.txt 1234567 2026-11-03 00:56:49?", "/pub/sub/ 4096 2026-11-23 15:56:49?"},
		},
		{
			"Jetty 9", "<TR><TD><A HREF=\"/pub/a.txt\">a.txt&nbsp;</A></TD><TD ALIGN=right>1234 bytes&nbsp;</TD><TD>Nov 23, 2026 3:56:49 AM</TD></TR>",
			[]string{"/pub/a.txt 1234 2026-11-23 03:56:49?"},
		},
		{"names only", "<ul><li><a href=a>a</a></li><li><a href=b/>b/</a></li></ul>", []string{"a -1", "b/ -1"}},
		{"no such day", "<a href=a>a</a> 31-Feb-2026 10:11  12", []string{"a -1"}},
		{"a number in words", "<a href=a>a</a> sent 2026-11-20 10:11, 12 bytes", []string{"a -1"}},
		{"a size too large", "<a href=a>a</a> 2026-11-20 10:11  99999999999999999999", []string{"a -1 2026-11-20 10:11:00?"}},
		{"a size far too large", "<a href=a>a</a> 2026-11-20 10:11  99999999999999P", []string{"a -1 2026-11-20 10:11:00?"}},
	} {
		for how, r := range map[string]io.Reader{"": strings.NewReader(test.page), ", byte by byte": iotest.OneByteReader(strings.NewReader(test.page))} {
			if got, err := rows(r); !errors.Is(err, io.EOF) || !slices.Equal(got, test.want) {
				t.Errorf("%s%s: %q, %v, want %q", test.name, how, got, err, test.want)
			}
		}
	}
}

// If the page breaks off in a row, the size of the row is unknown, because its last digits
// may be missing.
func TestRowsCut(t *testing.T) {
	page := "<a href=a>a</a> 2026-11-20 10:11  1234\n<a href=b>b</a> 2026-11-20 10:11  12"
	got, err := rows(io.MultiReader(strings.NewReader(page), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if want := []string{"a 1234 2026-11-20 10:11:00?", "b -1"}; !errors.Is(err, io.ErrUnexpectedEOF) || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func TestRowsOfCaddy(t *testing.T) {
	page, err := os.Open(filepath.Join("testdata", "caddy.html"))
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	got, err := rows(page)
	if !errors.Is(err, io.EOF) || !slices.ContainsFunc(got, func(r string) bool { return strings.HasSuffix(r, " 2 2026-03-04 05:06:07") }) {
		t.Errorf("%q, %v", got, err)
	}
}
