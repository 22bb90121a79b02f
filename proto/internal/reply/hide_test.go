package reply

import "testing"

func TestHide(t *testing.T) {
	for _, test := range []struct {
		text    string
		secrets []string
		want    string
	}{
		{"PASS p is wrong, type=p; people", []string{"p"}, "PASS xxxxx is wrong, type=xxxxx; people"},
		{"pp p p", []string{"p"}, "pp xxxxx xxxxx"},
		{"p", []string{"p"}, "xxxxx"},
		{"type=file profile", []string{"file"}, "type=xxxxx profile"},
		{"it is xsesamex", []string{"sesame"}, "it is xxxxxxx"},
		{"aaa a", []string{"aa"}, "aaa a"},
		{"a.b!c", []string{"a.b!"}, "a.b!c"},
		{"text", []string{"", "none"}, "text"},
		{"caf\xe9 \xe9", []string{"\xe9"}, "caf\xe9 xxxxx"},
	} {
		if got := Hide(test.text, test.secrets); got != test.want {
			t.Errorf("Hide(%q, %q) = %q, want %q", test.text, test.secrets, got, test.want)
		}
	}
}
