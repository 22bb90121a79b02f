package render_test

import (
	"testing"

	"locus/internal/render"
)

func TestMaskedText(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"no such file":     "no such file",
		"token=abc":        "token=abc", // not a URL
		"what? token = ab": "what? token = ab",
		"open http://h/?token=abc: 404 Not Found":            "open http://h/?token=xxxxx: 404 Not Found",
		`at "http://h/?a=b&sig=abc&c=d", then`:               `at "http://h/?a=b&sig=xxxxx&c=d", then`,
		"http://h/x#access_token=abc":                        "http://h/x#access_token=xxxxx",
		"http://h/?a;key=abc.def. http://h/?page=2, token=x": "http://h/?a;key=xxxxx. http://h/?page=2, token=x",
		"?%74oken=a?pass=b":                                  "?%74oken=xxxxx?pass=xxxxx",
		"<http://h/?jwt=a.b.c>":                              "<http://h/?jwt=xxxxx>",
	} {
		if got := render.MaskedText(text); got != want {
			t.Errorf("MaskedText(%q) = %q, want %q", text, got, want)
		}
	}
}
