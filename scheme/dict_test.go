package scheme_test

import "testing"

func TestDict(t *testing.T) {
	const none = `{"kind":"databases","word":"","database":null,"strategy":null,"number":0}`
	testViews(t, []viewCase{
		{"dict://h", none, "dict://h/"},
		{"dict://h:2628/", none, ""},
		{"dict://h/d:shortcake:", `{"kind":"define","word":"shortcake","database":null,"strategy":null,"number":0}`, "dict://h/d:shortcake"}, // RFC 2229 §5
		{"dict://h/d:shortcake:*", `{"kind":"define","word":"shortcake","database":"*","strategy":null,"number":0}`, ""},
		{"dict://h/d:shortcake:wordnet:1", `{"kind":"define","word":"shortcake","database":"wordnet","strategy":null,"number":1}`, ""},
		{"dict://h/d:sun::1", `{"kind":"define","word":"sun","database":null,"strategy":null,"number":1}`, ""},
		{"dict://h/m:sun::soundex", `{"kind":"match","word":"sun","database":null,"strategy":"soundex","number":0}`, ""},
		{"dict://h/m:sun:wordnet::1", `{"kind":"match","word":"sun","database":"wordnet","strategy":null,"number":1}`, ""},
		{"dict://h/m:sun:::", `{"kind":"match","word":"sun","database":null,"strategy":null,"number":0}`, "dict://h/m:sun"},
		{"dict://h/FIND:a%3Ab%20c?d", `{"kind":"match","word":"a:b c?d","database":null,"strategy":null,"number":0}`, "dict://h/m:a%3Ab%20c%3Fd"},
		{"dict://h/d:", `{"kind":"define","word":"","database":null,"strategy":null,"number":0}`, ""},
		{"dict://h/d::wn", `{"kind":"define","word":"","database":"wn","strategy":null,"number":0}`, ""},
		{text: "dict://h/d‸"},
		{text: "dict://h/‸show:db"},
		{text: "dict://h/d:a:b:‸c"},
		{text: "dict://h/d:a:b:‸-1"},
		{text: "dict://h/d:a:b:1‸:2"},
		{text: "dict://h/m:a:b:c:1‸:2"},
		{text: "dict://u‸@h/"},
		{text: "dict:‸d:a"},
	})
}
