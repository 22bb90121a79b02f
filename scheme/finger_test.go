package scheme_test

import "testing"

func TestFinger(t *testing.T) {
	testViews(t, []viewCase{
		{"finger://h", `{"user":"","verbose":false}`, "finger://h/"},
		{"finger://h:1079/ada", `{"user":"ada","verbose":false}`, ""},
		{"finger://h//W%20ada", `{"user":"ada","verbose":true}`, ""},
		{"finger://h/%2Fw%20ada%20b", `{"user":"ada b","verbose":true}`, "finger://h//W%20ada%20b"},
		{"finger://h/w/ada", `{"user":"ada","verbose":true}`, "finger://h//W%20ada"},
		{"finger://h//W", `{"user":"","verbose":true}`, ""},
		{"finger://h//W%20", `{"user":"","verbose":true}`, "finger://h//W"},
		{"finger://h//Wada", `{"user":"/Wada","verbose":false}`, "finger://h/%2FWada"},
		{"finger://ada@h", `{"user":"ada","verbose":false}`, "finger://h/ada"},
		{"finger://ada@h//W", `{"user":"ada","verbose":true}`, "finger://h//W%20ada"},
		{"finger://h/a@b", `{"user":"a@b","verbose":false}`, ""},
		{"finger://h/a?b%0D%0A", `{"user":"a?b\r\n","verbose":false}`, "finger://h/a%3Fb%0D%0A"},
		{text: "finger:‸ada"},
		{text: "finger://‸/ada"},
		{text: "finger://‸a@h/b"},
		{text: "finger://‸a:b@h/"},
		{text: "finger://h:‸0/"},
	})
}
