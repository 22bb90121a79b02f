package report

import (
	"regexp"
	"strings"

	"locus/check"
	"locus/internal/lazy"
)

// IsReport reports whether a file is a report that this package has written, in any format, by the start of its text. A
// report has the dead links of a folder, so a reader of the folder skips it. An empty report in text or JSON is not
// recognized, because it is an empty file.
func IsReport(start []byte) bool { return ownStart.Get().Match(start) }

// ownStart matches the start of a report in each format.
var ownStart = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	verdicts := strings.Join(append(check.FailOn(), check.Good.String(), check.Excluded.String()), "|")
	return regexp.MustCompile("^(?:" + strings.Join([]string{
		`\{"url":"(?:[^"\\]|\\.)*","status":"[a-z0-9-]+","fails":`, // JSON
		`\{"part":\d+,"of":\d+,"all":`,                             // WritePart
		`<\?xml [^>]*>\s*<testsuites [^>]*>\s*<testsuite name="links" `,
		regexp.QuoteMeta(sarifHead[:strings.Index(sarifHead, ", \"rules\"")]),
		`<!doctype html>[^\n]*<title>Links: \d+ links?: \d+ good`,
		`# Links\n\n\d+ links?: \d+ good`,
		`(?:recovered|(?:newly )?(?:` + verdicts + `))  .+\n    .+:\d+:\d+\n`, // Text
	}, "|") + ")")
}}
