package imapwire

import "testing"

// EncodeMailbox returns the name that is sent to a server (RFC 3501 §5.1.3).
func TestEncodeMailbox(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"INBOX", "INBOX"},
		{"a&b", "a&-b"},
		{"", ""},
		{"~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"},
		{"☺", "&Jjo-"},
		{"😀!", "&2D3eAA-!"},
		{"\x1f ~\x7f", "&AB8- ~&AH8-"},
		{"éa&é", "&AOk-a&-&AOk-"},
	} {
		if got := EncodeMailbox(test.name); got != test.want {
			t.Errorf("EncodeMailbox(%q) = %q, want %q", test.name, got, test.want)
		}
		if got := DecodeMailbox(test.want); got != test.name {
			t.Errorf("DecodeMailbox(%q) = %q, want %q", test.want, got, test.name)
		}
	}
}

// A name that is not modified UTF-7 stays as it is.
func TestDecodeMailbox(t *testing.T) {
	for _, name := range []string{"&", "a&b", "&AOk", "&A-", "&AGE-", "caf\u00e9", "&2D0-", "&AOk-&AOk-", "&A===-"} {
		if got := DecodeMailbox(name); got != name {
			t.Errorf("DecodeMailbox(%q) = %q, want it unchanged", name, got)
		}
	}
}
