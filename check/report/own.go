package report

import (
	"bytes"
	"regexp"
	"strings"

	"locus/check"
	"locus/internal/lazy"
)

// IsReport reports whether a file is a report that this package has written in any format except Annotations, by the
// start of its text. A report has the dead links of a folder, so a reader of the folder skips it. The line ends may be
// CRLF, and a byte order mark may precede the text, because shells and editors change them. IsReport returns false for
// two reports: an empty file, which is a report in text or JSON without links, and a report in text whose first link is
// neither a URL nor followed by a line with its place.
func IsReport(start []byte) bool {
	start = bytes.TrimPrefix(start, []byte("\ufeff"))
	return ownStart.Get().Match(bytes.ReplaceAll(start, []byte("\r\n"), []byte("\n")))
}

// ownStart matches the start of a report in each format.
var ownStart = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	verdicts := `(?:` + strings.Join(append(check.FailOn(), check.Good.String(), check.Excluded.String()), "|") + `)`
	summary := `\d+ links?: \d+ good(?: \(\d+ moved\))?(?:, \d+ ` + verdicts + `)+`
	label := `(?:recovered|(?:newly )?` + verdicts + `)`
	return regexp.MustCompile("^(?:" + strings.Join([]string{
		`\{"url":"(?:[^"\\]|\\.)*","status":"[a-z0-9-]+","fails":`, // JSON
		`\{"part":\d+,"of":\d+,"all":`,                             // WritePart
		`<\?xml [^>]*>\s*<testsuites [^>]*>\s*<testsuite name="links" `,
		regexp.QuoteMeta(sarifHead[:strings.Index(sarifHead, ", \"rules\"")]),
		`<!doctype html>[^\n]*<title>Links: ` + summary + `</title>`,
		`# Links\n\n` + summary + `\.\n`,
		label + `  [A-Za-z][A-Za-z0-9+.-]*:\S+(?:  .+)?\n`, // Text whose first link is a URL
		label + `  .+  .+\n    .+:\d+:\d+\n`,               // Text whose first link is another text, which has a reason and a place
	}, "|") + ")")
}}
