package document

import "testing"

// A property may continue in lines that begin with white space (RFC 5545 §3.1), and its value may have escapes.
func TestCalendar(t *testing.T) {
	hold(t, Calendar, Options{}, []marked{
		{"BEGIN:VCALENDAR\r\nURL:⟦http://h/a/\r\n b/\r\n\tc⟧\r\nEND:VCALENDAR\r\n", []string{"url: http://h/a/b/c"}},
		{"URL;VALUE=URI:⟦a.html⟧\nATTACH;FMTTYPE=image/png;ENCODING=BASE64;VALUE=BINARY:http://no/\nKEY;ENCODING=b:http://no/\nATTACH:⟦cid:x@h⟧\nX-Y;VALUE=uri:⟦z/q⟧\nUID:a@h\n", []string{"url: a.html", "attach: cid:x@h", "x-y: z/q"}},
		{"DESCRIPTION;ALTREP=\"⟦http://h/a:b⟧\":See ⟦http://h/c\\,d⟧\\n⟦http://h/\n e⟧ \\; x\n", []string{"url description: http://h/a:b", "url description: http://h/c,d", "url description: http://h/e"}},
		{"X-ALT-DESC;FMTTYPE=text/html:<a href=\"⟦a⟧\">b</a>\\n<img src=⟦c\n d⟧>\n", []string{"a href: a", "img src: cd"}},
		{"BEGIN:VCARD\nitem1.URL;TYPE=home:⟦https://h/⟧\nPHOTO;ENCODING=b:abc.d\nNOTE:not a URL\nORGANIZER:⟦mailto:x@h.example⟧\n", []string{"url: https://h/", "url organizer: mailto:x@h.example"}},
		{" folded: ⟦http://h/⟧\n\n \n:⟦http://i/⟧\nURL\nURL:\nURL;X=\"a:b\":⟦c/d⟧\n", []string{"url folded: http://h/", "url http://i/", "url: c/d"}},
	})
}
