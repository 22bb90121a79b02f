package scheme_test

import "testing"

func TestGemini(t *testing.T) {
	testViews(t, []viewCase{
		{"gemini://h", `{"segments":[""],"input":null}`, "gemini://h/"},
		{"gemini://h:1966/a/%2Fb/", `{"segments":["a","/b",""],"input":null}`, ""},
		{"gemini://h/a?b+c%20d?", `{"segments":["a"],"input":"b+c d?"}`, "gemini://h/a?b%2Bc%20d%3F"},
		{"gemini://h?", `{"segments":[""],"input":""}`, "gemini://h/?"},
		{"gemini://h/a#f", `{"segments":["a"],"input":null}`, "gemini://h/a"},
		{text: "gemini://u‸@h/"},
		{text: "gemini:‸a"},
		{text: "gemini://h:‸0/"},
	})
}
