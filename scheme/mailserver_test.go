package scheme_test

import (
	"testing"

	"locus/scheme"
	"locus/url"
)

func TestMailserver(t *testing.T) {
	testViews(t, []viewCase{
		{"mailserver:a@b/subject/body", `{"address":"a@b","subject":"subject","body":"body"}`, ""},
		{"mailserver:infobot@kwf.example/current-issue/", `{"address":"infobot@kwf.example","subject":"current-issue","body":""}`, ""},
		{"mailserver:majordomo@kwf.example//subscribe%20bamboo-l", `{"address":"majordomo@kwf.example","subject":"","body":"subscribe bamboo-l"}`, ""},
		{"mailserver:a@b//one/two%2Fthree//", `{"address":"a@b","subject":"","body":"one\ntwo/three\n\n"}`, ""},
		{"mailserver:a@b//one%0Atwo", `{"address":"a@b","subject":"","body":"one\ntwo"}`, "mailserver:a@b//one/two"},
		{"mailserver:a@b//one%0D%0Atwo", `{"address":"a@b","subject":"","body":"one\r\ntwo"}`, "mailserver:a@b//one%0D/two"},
		{"mailserver:a@b/why%2Fhow?/x?y", `{"address":"a@b","subject":"why/how?","body":"x?y"}`, "mailserver:a@b/why%2Fhow%3F/x%3Fy"},
		{"mailserver:a@b", `{"address":"a@b","subject":null,"body":null}`, ""},
		{"mailserver:a@b/", `{"address":"a@b","subject":"","body":null}`, ""},
		{"MAILSERVER:a%2Fb@c/%C3%A9/d#e", `{"address":"a/b@c","subject":"é","body":"d"}`, "mailserver:a%2Fb@c/%C3%A9/d"},
		{text: "mailserver:‸"},
		{text: "mailserver:a‸/b/c"},
		{text: "mailserver:‸/a@b/c"},
		{text: "mailserver:a@b‸,c@d/e/f"},
		{text: "mailserver:/‸/a@b/c/d"},
	})
}

// Mailto returns the mailto URL for the same message.
func TestMailserverMailto(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"mailserver:a@b", "mailto:a@b"},
		{"mailserver:a@b//", "mailto:a@b"},
		{"mailserver:a@b/Hi%20there/", "mailto:a@b?subject=Hi%20there"},
		{"mailserver:a@b//one/two", "mailto:a@b?body=one%0D%0Atwo"},
		{"mailserver:a@b/x&body=y/one%0D%0Atwo=3", "mailto:a@b?subject=x%26body%3Dy&body=one%0D%0Atwo%3D3"},
		{"mailserver:a%3Fb@c/d/e", "mailto:a%3Fb@c?subject=d&body=e"},
	} {
		v, err := scheme.ParseMailserver(url.MustParse(test.text))
		if err != nil {
			t.Fatalf("%q: %v", test.text, err)
		}
		if got := v.Mailto().URL().String(); got != test.want {
			t.Errorf("Mailto of %q = %q, want %q", test.text, got, test.want)
		}
	}
}
