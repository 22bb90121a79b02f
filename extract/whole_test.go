package extract_test

import (
	"strings"
	"testing"
	"testing/iotest"

	"locus/extract"
)

// With Whole, a text that a program completes at run time is not a URL.
func TestWhole(t *testing.T) {
	for in, want := range map[string]string{
		`"http://127.0.0.1:" + port`: "", `'http://h/'+x`: "", `"http://h/" . $x`: "", `"http://h/"$x`: "", `"http://h/" .. x`: "",
		`get("http://h:", port)`: "", "`http://h/`{x}": "",
		`"http://h/"`: "http://h/", `"http://h/". Then`: "http://h/", `http://h/ + x`: "http://h/", `"http://h/", "http://i/"`: "http://h/ http://i/",
		`(http://h:)`: "http://h", `"see http://h/" + x`: "http://h/", `"http://h/' + x`: "http://h/", `"http://h/"` + " \t + x": "http://h/",
	} {
		for _, r := range []bool{false, true} {
			from := iotest.DataErrReader(strings.NewReader(in))
			if r {
				from = iotest.OneByteReader(strings.NewReader(in))
			}
			var got []string
			for m, err := range extract.All(from, extract.Options{Whole: true}) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, m.Text)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("All(%s) with Whole = %q, want %q", in, got, want)
			}
		}
	}
	for m := range extract.All(strings.NewReader(`"http://h:" + port`), extract.Options{}) {
		if m.Text != "http://h" {
			t.Errorf("without Whole, the match is %q", m.Text)
		}
	}
}
