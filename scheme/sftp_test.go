package scheme_test

import (
	"testing"

	"locus/scheme"
)

func TestSFTP(t *testing.T) {
	testViews(t, []viewCase{
		{"sftp://h", `{"user":null,"password":null,"fingerprint":null,"home":false,"segments":[""]}`, "sftp://h/"},
		{"sftp://ada@h:2222/a/%2Fb/", `{"user":"ada","password":null,"fingerprint":null,"home":false,"segments":["a","/b",""]}`, ""},
		{"sftp://ada:x%3By@h/", `{"user":"ada","password":"x;y","fingerprint":null,"home":false,"segments":[""]}`, ""},
		{"sftp://ada;fingerprint=ssh-ed25519-ab-cd@h/a", `{"user":"ada","password":null,"fingerprint":"ssh-ed25519-ab-cd","home":false,"segments":["a"]}`, ""},
		{"sftp://ada:pw;fingerprint=ab-cd@h/a", `{"user":"ada","password":"pw","fingerprint":"ab-cd","home":false,"segments":["a"]}`, ""},
		{"sftp://;fingerprint=SHA256%3Aab@h/", `{"user":null,"password":null,"fingerprint":"SHA256:ab","home":false,"segments":[""]}`, ""},
		{"sftp://ada%3Bfingerprint%3Dab@h/", `{"user":"ada","password":null,"fingerprint":"ab","home":false,"segments":[""]}`, "sftp://ada;fingerprint=ab@h/"},
		{"sftp://a%3Bb@h/", `{"user":"a;b","password":null,"fingerprint":null,"home":false,"segments":[""]}`, ""},
		{"sftp://@h/", `{"user":null,"password":null,"fingerprint":null,"home":false,"segments":[""]}`, "sftp://h/"},
		{"sftp://h/~", `{"user":null,"password":null,"fingerprint":null,"home":true,"segments":[]}`, ""},
		{"sftp://h/%7E/a", `{"user":null,"password":null,"fingerprint":null,"home":true,"segments":["a"]}`, "sftp://h/~/a"},
		{"sftp://h//~/a", `{"user":null,"password":null,"fingerprint":null,"home":false,"segments":["","~","a"]}`, "sftp://h//%7E/a"},
		{"sftp://h/a;type=a?b#f", `{"user":null,"password":null,"fingerprint":null,"home":false,"segments":["a;type=a?b"]}`, "sftp://h/a%3Btype%3Da%3Fb"},
		{text: "sftp:‸a"},
		{text: "sftp://h:‸0/"},
		{text: "sftp://u;‸x=y@h/"},
		{text: "sftp://u;‸fingerprint=@h/"},
		{text: "sftp://u;fingerprint=a,‸fingerprint=b@h/"},
	})
	if got := (scheme.SFTP{Host: scheme.Host{Name: "h"}, Segments: []string{"~"}}).URL().String(); got != "sftp://h//%7E" {
		t.Errorf("the URL of a directory with the name ~ is %q, want sftp://h//%%7E", got)
	}
}
