package extract

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// The charset of a Content-Type decides how the links of a page are read, as in browsers: the path is sent in UTF-8, and
// the query in the charset.
func TestExtractCharset(t *testing.T) {
	pages := map[string]struct{ contentType, text string }{
		"/header":   {"text/html; charset=windows-1251", "<a href='/\xef\xf0?\xe5'>"},
		"/japanese": {"text/html;charset=Shift_JIS", "<a href='/\x93\xfa?\x93\xfa'>"},
		"/meta":     {"text/html", "<meta charset=windows-1251><a href='/\xef\xf0?\xe5'>"},
		"/both":     {"text/html; charset=windows-1251", "<meta charset=utf-8><a href='/\xef\xf0?\xe5'>"},
		"/utf8":     {"text/html; charset=utf-8", "<a href='/п?е'>"},
		"/none":     {"text/html", "<a href='/caf\xe9?\xe9'>"},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", pages[r.URL.Path].contentType)
		io.WriteString(w, pages[r.URL.Path].text)
	}))
	defer s.Close()
	clitest.Table(t, Verb(), []clitest.Case{
		{Args: []string{s.URL + "/header"}, Stdout: s.URL + "/%D0%BF%D1%80?%E5\n"},
		{Args: []string{s.URL + "/japanese"}, Stdout: s.URL + "/%E6%97%A5?%93%FA\n"},
		{Args: []string{s.URL + "/meta"}, Stdout: s.URL + "/%D0%BF%D1%80?%E5\n"},
		{Args: []string{s.URL + "/both"}, Stdout: s.URL + "/%D0%BF%D1%80?%E5\n"},
		{Args: []string{s.URL + "/utf8"}, Stdout: s.URL + "/%D0%BF?%D0%B5\n"},
		{Args: []string{s.URL + "/none"}, Stdout: s.URL + "/caf%C3%A9?%E9\n"},
	})
}
