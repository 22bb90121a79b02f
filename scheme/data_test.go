package scheme_test

import "testing"

func TestData(t *testing.T) {
	testViews(t, []viewCase{
		{"data:,", `{"type":null,"base64":false,"content":""}`, ""},
		{"data:,a%2cb", `{"type":null,"base64":false,"content":"a,b"}`, "data:,a,b"},
		{"data:,a%20b?c=d#f", `{"type":null,"base64":false,"content":"a b?c=d"}`, "data:,a%20b?c=d"},
		{"data:text/plain;charset=%22utf-8%22,x", `{"type":"text/plain;charset=\"utf-8\"","base64":false,"content":"x"}`, ""},
		{"data:image/gif;base64,%2F%2f8=", `{"type":"image/gif","base64":true,"content":{"base64":"//8="}}`, "data:image/gif;base64,//8="},
		{"data:;BASE64,aGVs%0AbG8", `{"type":null,"base64":true,"content":"hello"}`, "data:;base64,aGVsbG8="},
		{"data:a/b;base64;base64,", `{"type":"a/b;base64","base64":true,"content":""}`, ""},
		{"data:a/b%3Bbase64,eA", `{"type":"a/b;base64","base64":false,"content":"eA"}`, ""},
		{"data:a%2Cb;x,y", `{"type":"a,b;x","base64":false,"content":"y"}`, ""},
		{text: "data:‸"},
		{text: "data:text/plain‸"},
		{text: "data:‸//h/text,x"},
		{text: "data:a/b;base64,YW‸!"},
		{text: "data:;base64,%59%57‸-_"},
		{text: "data:;base64,YW‸=J"},
		{text: "data:;base64,YWI‸==="},
		{text: "data:;base64,YWJjZ‸"},
	})
}
