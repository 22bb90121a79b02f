package document

import "testing"

func TestJSON(t *testing.T) {
	hold(t, JSON, Options{}, []marked{
		// places
		{`{"a": "⟦http://h/⟧", "b" : ["⟦http://h/⟧", "see ⟦http://h/⟧, and ⟦http://i/⟧."], "c":{"d":"⟦http://h/⟧"}, "e":1, "f":"⟦http://h/⟧"}`, []string{
			"url a: http://h/", "url b: http://h/", "url b: http://h/", "url b: http://i/", "url d: http://h/", "url f: http://h/",
		}},
		{`["⟦http://h/⟧", {"a":"x"}, "⟦http://h/⟧", {"b":{"c":1}, "d":["⟦http://h/⟧"]}, "⟦http://h/⟧"]`, []string{"url http://h/", "url http://h/", "url d: http://h/", "url http://h/"}},
		{`[["a"], "⟦http://h/⟧"] {"a":["b"]} ["⟦http://h/⟧"] "⟦http://h/⟧"`, []string{"url http://h/", "url http://h/", "url http://h/"}},
		{`{"a":[["b"], "⟦http://h/⟧", [[]], "⟦http://i/⟧"], "c":[], "d":"⟦http://j/⟧"}`, []string{"url a: http://h/", "url a: http://i/", "url d: http://j/"}},
		{`{"a":[{"x"` + "\n:" + `"⟦http://h/⟧"}]}`, []string{"url x: http://h/"}},
		{`{"a":["b", {"⟦http://k/⟧":"⟦http://h/⟧"}, "c"]}`, []string{"url name: http://k/", "url http://k/: http://h/"}},
		{`{"":"⟦http://h/⟧","\u0061\n":"⟦http://h/⟧"}`, []string{"url http://h/", "url a\n: http://h/"}},
		{"{\"a\":\"⟦http://h/⟧\"}\n{\"b\":\"⟦http://i/⟧\"}\r\n\"⟦http://j/⟧\"", []string{"url a: http://h/", "url b: http://i/", "url http://j/"}},
		{"\"a\" x {\"b\":\n\t\"é\",\n\"ключ\" : \"⟦http://h/ю⟧\"}", []string{"url ключ: http://h/ю"}},

		// escapes
		{`"\"⟦http://h/⟧\" \\⟦http://i/⟧\\n\n⟦http://j/⟧\t⟦http://k/⟧\u0020⟦http://l/⟧\r⟦http://m/⟧\b⟦http://n/⟧\f⟦http://o/⟧"`, []string{
			"url http://h/", "url http://i/", "url http://j/", "url http://k/", "url http://l/", "url http://m/", "url http://n/", "url http://o/",
		}},
		{`"⟦http:\/\/h\/a⟧" "⟦\u0068ttp://h/⟧" "⟦http:\u002F\u002fh⟧" "⟦http://h/?a\u0026b⟧" "⟦http://h/\u003D⟧"`, []string{
			"url http://h/a", "url http://h/", "url http://h", "url http://h/?a&b", "url http://h/=",
		}},
		{`"⟦http://h/\u00e9⟧" "⟦http://h/\uD83D\uDE00⟧" "⟦http://h/\ud83d\ude00x⟧" "⟦http://h/⟧\ud83d" "⟦http://h/⟧\ud83dx\u0041" "⟦http://h/⟧\ud83d\n" "⟦http://h/⟧\ude00\ud83d"`, []string{
			"url http://h/é", "url http://h/😀", "url http://h/😀x", "url http://h/", "url http://h/", "url http://h/", "url http://h/",
		}},
		{`"\"" "⟦http://h/⟧" "\\" "⟦http://i/⟧" "a\\\"⟦http://j/⟧"`, []string{"url http://h/", "url http://i/", "url http://j/"}},
		{`{"k":"{\"u\":\"⟦http://h/⟧\",\"html\":\"<a href=\\\"⟦http://i/⟧\\\">\"}"}`, []string{"url k: http://h/", "url k: http://i/"}},
		{`{"⟦http:\/\/h\/⟧":1}`, []string{"url name: http://h/"}},

		// texts that are not JSON
		{`"⟦http://h/⟧\x" "⟦http://h/⟧\u12" "⟦http://h/⟧\u12" "⟦http://h/⟧\uzzzz" "⟦http://h/⟧\`, []string{"url http://h/", "url http://h/", "url http://h/", "url http://h/", "url http://h/"}},
		{"\"⟦http://h/⟧\n\"⟦http://i/⟧\" http://no/ // http://no/\n'http://no/'", []string{"url http://h/", "url http://i/"}},
		{`"⟦http://h/⟧`, []string{"url http://h/"}},
		{`"⟦http://h/⟧\u`, []string{"url http://h/"}},
		{`"⟦http://h/⟧\ud83d\u`, []string{"url http://h/"}},
		{`{"a":"⟦http://h/⟧"`, []string{"url a: http://h/"}},
		{`"a":`, nil},
		{`"`, nil},
		{`"\`, nil},
		{"\"\x00⟦http://h/a⟧\xff\" \"⟦http://h/⟧\x01\"", []string{"url http://h/a", "url http://h/"}},
	})
}
