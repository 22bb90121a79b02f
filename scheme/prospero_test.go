package scheme_test

import (
	"testing"
)

// req: 1738-3.11-1, 1630-prospero-1
func TestProspero(t *testing.T) {
	testViews(t, []viewCase{
		{"prospero://h/", `{"hsoname":"","version":null,"fields":[]}`, ""},
		{"prospero://host.dom//pros/name", `{"hsoname":"/pros/name","version":null,"fields":[]}`, ""},
		{"prospero://h:1525/a/../b?c", `{"hsoname":"a/../b?c","version":null,"fields":[]}`, "prospero://h:1525/a/../b%3Fc"},
		{"prospero://h/a%3Bb%FF", `{"hsoname":{"base64":"YTti/w=="},"version":null,"fields":[]}`, ""},
		{"prospero://h/a;b=c", `{"hsoname":"a","version":null,"fields":[{"name":"b","value":"c"}]}`, ""},
		{
			"prospero://h/a;OBJECT-VERSION=3;ID=REMOTE%201;x%3D=%3B",
			`{"hsoname":"a","version":null,"fields":[{"name":"OBJECT-VERSION","value":"3"},{"name":"ID","value":"REMOTE 1"},{"name":"x=","value":";"}]}`,
			"",
		},
		{"prospero://h/a;=", `{"hsoname":"a","version":null,"fields":[{"name":"","value":""}]}`, ""},
		{"prospero://h/a%0012", `{"hsoname":"a","version":"12","fields":[]}`, ""},
		{"prospero://h/a%0012abc", `{"hsoname":"a","version":"12","fields":[]}`, ""},
		{"prospero://h/a%001;b=c", `{"hsoname":"a","version":"1","fields":[{"name":"b","value":"c"}]}`, ""},
		{"prospero://h/a;b=%00", `{"hsoname":"a","version":null,"fields":[{"name":"b","value":"\u0000"}]}`, ""},
		{text: "prospero://h‸"},
		{text: "prospero://h‸?a"},
		{text: "prospero://u‸@h/a"},
		{text: "prospero://u:‸p@h/a"},
		{text: "prospero://h:‸0/a"},
		{text: "prospero://h/a;‸"},
		{text: "prospero://h/a;b‸;c=d"},
		{text: "prospero://h/a;b=c‸=d"},
		{text: "prospero://h/a%00‸"},
		{text: "prospero://h/a%00‸x"},
		{text: "prospero://h/a%001‸/b"},
		{text: "prospero://h/a%001‸%002"},
	})
}
