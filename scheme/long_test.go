package scheme_test

import (
	"runtime"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// Every scheme reads long URLs with memory in proportion to their length. If it refuses a long URL, the message is
// short and does not show a password.
func TestLongURLs(t *testing.T) {
	size := 1 << 18
	if testing.Short() { // because the test may run in an emulator
		size = 1 << 13
	}
	for _, s := range scheme.All() {
		for _, rest := range []string{
			"//h/" + strings.Repeat("a/", size/2),
			"//h/" + strings.Repeat("%2F", size/3),
			"//h/" + strings.Repeat(";a=b", size/4),
			"//h/" + strings.Repeat("?", size),
			"//" + strings.Repeat("h.", size/2) + "h/",
			"//u:S3CRET" + strings.Repeat("p", size) + "@h/a",
			"//h:" + strings.Repeat("9", size) + "/a",
			strings.Repeat("a", size),
			strings.Repeat("@", size),
			strings.Repeat("a:", size/2),
			"a@b/" + strings.Repeat("%25", size/3),
		} {
			for _, std := range standards {
				text := s.Name + ":" + rest
				u, err := std.Parse(text)
				if err != nil {
					continue
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				judged := scheme.Judge(u)
				_, err = scheme.Parse(u)
				runtime.ReadMemStats(&after)
				if n := after.TotalAlloc - before.TotalAlloc; n > uint64(60*size) {
					t.Errorf("%v: Judge and Parse of %.20q… allocate %d bytes for a text of %d bytes", std, text, n, len(text))
				}
				checkMessage(t, std, text, judged)
				checkMessage(t, std, text, err)
			}
		}
	}
}

func checkMessage(t *testing.T, std url.Standard, text string, err error) {
	t.Helper()
	if err != nil && (len(err.Error()) > 1000 || strings.Contains(err.Error(), "S3CRET")) {
		t.Errorf("%v: the error for %.20q… has %d bytes or shows the password: %.300s", std, text, len(err.Error()), err)
	}
}
