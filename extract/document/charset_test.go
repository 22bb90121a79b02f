package document

import (
	"strings"
	"testing"

	"locus/url"
)

// A reference in a legacy encoding leads where it leads a browser: the path is sent in UTF-8, and the query in the
// encoding of the page.
func TestReferencesInCharset(t *testing.T) {
	const utf8, russian = "http://h/%D0%BF?%D0%BF", "http://h/%D0%BF?%EF"
	for _, test := range []struct {
		mode             Mode
		charset, in, url string
	}{
		{HTML, "windows-1251", "<a href='\xef?\xef'>", russian},
		{HTML, "Windows-1251", "<meta charset=utf-8><a href='\xef?\xef'>", russian},
		{HTML, "utf-8", "<meta charset=windows-1251><a href='п?п'>", utf8},
		{HTML, "", "<meta charset=windows-1251><a href='\xef?\xef'>", russian},
		{HTML, "", "<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=windows-1251'><a href='\xef?\xef'>", russian},
		{HTML, "", "<meta name=x content='charset=windows-1251'><a href='п?п'>", utf8},
		{HTML, "", "\ufeff<meta charset=windows-1251><a href='п?п'>", utf8},
		{HTML, "windows-1251", "\ufeff<a href='п?п'>", utf8},
		{HTML, "", strings.Repeat(" ", 1024) + "<meta charset=windows-1251><a href='п?п'>", utf8},
		{HTML, "", "<meta charset=no-such><a href='п?п'>", utf8},
		{HTML, "windows-1251", "<a href='&#x43f;?&#1087;'>", russian},
		{HTML, "windows-1251", "<a href='&#x43f;?&#1087;'>", russian},
		{HTML, "windows-1251", "<iframe srcdoc='<a href=&quot;\xef?\xef&quot;>'>", russian},
		{HTML, "windows-1251", "<style>a{background:url(\xef?\xef)}</style>", russian},
		{XML, "", "<?xml version='1.0' encoding='windows-1251'?><a href='\xef?\xef'/>", russian},
		{XML, "", "<?xml version='1.0' encoding='utf-8'?><a href='п?п'/>", utf8},
		{XML, "", "<?xml version='1.0'?><a href='п?п'/>", utf8},
		{Markdown, "", "[a](п?п)", utf8},
		{Markdown, "windows-1251", "[a](\xef?\xef)", russian},
	} {
		for m, err := range test.mode.All(strings.NewReader(test.in), Options{URL: url.MustParse("http://h/"), Charset: test.charset, References: true}) {
			if u, urlErr := m.URL(); err != nil || urlErr != nil || u.String() != test.url {
				t.Errorf("%v %q by a server that says %q leads to %v, %v, %v, want %s", test.mode, test.in, test.charset, u, err, urlErr, test.url)
			}
		}
	}
}
