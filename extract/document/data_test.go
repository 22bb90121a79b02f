package document

import "testing"

// Scripts that are data hold URLs: an import map, speculation rules, and JSON-LD in the properties whose values are pages
// and files.
func TestScriptsOfData(t *testing.T) {
	hold(t, HTML, Options{References: true}, []marked{
		{`<script type="application/ld+json">{"@context": "https://no/", "@id": "https://no/#x", "@type": "Thing", "url": "⟦/a.html⟧", "image": ["⟦b.png⟧", {"url": "⟦http:\/\/h\/c⟧"}],
			"name": "http://no/", "target": {"urlTemplate": "https://no/?q={x}"}, "logo": "no name", "itemListElement": [{"item": "⟦https://h/d⟧"}, {"item": "No"}]}</script>`, []string{
			"script ld+json: /a.html", "script ld+json: b.png", "script ld+json: http://h/c", "script ld+json: https://h/d",
		}},
		{`<script TYPE=" importmap ">{"imports": {"a": "⟦/a.js⟧", "b/": "/b/", "c": null, "d/no.js": "⟦./d.js⟧"}, "scopes": {"/no.x/": {"a": "⟦https://h/a.js⟧"}}, "integrity": {"/no.js": "sha/no.x"}}</script>`, []string{
			"script importmap: /a.js", "script importmap: ./d.js", "script importmap: https://h/a.js",
		}},
		{`<script type=speculationrules>{"prefetch": [{"source": "list", "urls": ["⟦a.html⟧", "⟦/b⟧"]}], "prerender": [{"where": {"href_matches": "/no/*"}}]}</script>`, []string{
			"script speculationrules: a.html", "script speculationrules: /b",
		}},
		{`<script type=text/javascript>{"url": "/no"}</script><script type=application/json>{"url": "/no"}</script><script>{"url": "/no"}</script><script type=application/ld+json>{"url": "⟦/x⟧</script>`, []string{"script ld+json: /x"}},
		{`<script type=application/ld+json src=⟦x⟧>[{"url":"⟦a/b⟧"}]{]}}"url":"/no"</script><script>{"url":"/no"}</script><a href=⟦c⟧>`, []string{"script src: x", "script ld+json: a/b", "a href: c"}},
	})
}

// The place of a form's address tells whether the form is sent with GET, so that its address is a page.
func TestForms(t *testing.T) {
	hold(t, HTML, Options{}, []marked{
		{`<form action=⟦a⟧><button formaction=⟦b⟧></form><form method=POST action=⟦c⟧><input formaction=⟦d⟧><input formaction=⟦e⟧ formmethod=get></form><form method=get action=⟦f⟧><input formaction=⟦g⟧ formmethod=post></form><form method=dialog action=⟦h⟧>`, []string{
			"form action: a", "button formaction: b", "form post: c", "input post: d", "input formaction: e", "form action: f", "input post: g", "form post: h",
		}},
	})
}

// The place of a link tells whether it leads to a page or a file.
func TestRelations(t *testing.T) {
	hold(t, HTML, Options{}, []marked{
		{`<link rel=preconnect href=⟦a⟧><link rel="DNS-prefetch  preconnect" href=⟦b⟧><link rel="preconnect prefetch" href=⟦c⟧><link rel="" href=⟦d⟧><link href=⟦e⟧>`, []string{
			"link hint: a", "link hint: b", "link href: c", "link href: d", "link href: e",
		}},
		{`<link rel=pingback href=⟦a⟧><link rel=" WebMention " href=⟦b⟧><link rel="pingback preconnect" href=⟦c⟧><link rel="webmention next" href=⟦d⟧><link rel=micropub href=⟦e⟧>`, []string{
			"link post: a", "link post: b", "link post: c", "link href: d", "link post: e",
		}},
		{`<link rel=schema.DC href=⟦a⟧><link rel="SCHEMA.DCTERMS schema.DC" href=⟦b⟧><link rel=schema href=⟦c⟧><link rel="canonical schema.x" href=⟦d⟧>`, []string{
			"link profile: a", "link profile: b", "link href: c", "link canonical: d",
		}},
	})
}

// In the manifest of a web application the members of the standard hold URLs.
func TestManifest(t *testing.T) {
	hold(t, Manifest, Options{}, []marked{
		{`{"start_url": "⟦/?x⟧", "scope": "/", "id": "/no", "icons": [{"src": "⟦a.png⟧", "sizes": "1x1"}], "shortcuts": [{"url": "⟦/b.html⟧", "icons": [{"src": "⟦c.svg⟧"}]}],
			"screenshots": [{"src": "⟦d.jpg⟧"}], "share_target": {"action": "/no"}, "protocol_handlers": [{"url": "/no?%s"}], "description": "see ⟦http://h/⟧", "src": "no.js"}`, []string{
			"manifest: /?x", "manifest: a.png", "manifest: /b.html", "manifest: c.svg", "manifest: d.jpg", "url description: http://h/",
		}},
		{`{"src/main.js": {"file": "no.js", "src": "src/no.js"}, "background": {"service_worker": "no.js"}}`, nil},
	})
}

// A text whose name is no help is recognised by its start.
func TestByContent(t *testing.T) {
	for _, test := range []struct {
		start string
		want  Mode
	}{
		{"", Text},
		{"<?xml version='1.0'?>", XML},
		{"\ufeff<?xml", XML},
		{"\r\n <?xml", XML},
		{"<?xm", Text},
		{"<kml>", Text},
		{"x <?xml", Text},
		{"BEGIN:VCALENDAR\r\nVERSION", Calendar},
		{"BEGIN:VCARD\n", Calendar},
		{"BEGIN:VEVENT", Text},
	} {
		if got := ByContent([]byte(test.start)); got != test.want {
			t.Errorf("ByContent(%q) = %v, want %v", test.start, got, test.want)
		}
	}
}
