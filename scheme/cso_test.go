package scheme_test

import "testing"

func TestCSO(t *testing.T) {
	testViews(t, []viewCase{
		{"cso://h", `{"query":null}`, "cso://h/"},
		{"cso://h:105/", `{"query":null}`, ""},
		{"cso://h/?", `{"query":""}`, ""},
		{"cso://h?ada+l%2Bx", `{"query":"ada l+x"}`, "cso://h/?ada%20l%2Bx"},
		{"cso://h/?name=ada?", `{"query":"name=ada?"}`, "cso://h/?name%3Dada%3F"},
		{"cso://h/?%0D%0A", `{"query":"\r\n"}`, ""},
		{text: "cso://h/‸smith"},
		{text: "cso://u‸@h/"},
		{text: "cso:‸smith"},
	})
}
