package facts

import (
	"slices"
	"strings"
	"testing"
)

// Every row has its own slot, and Of finds it there.
func TestSlots(t *testing.T) {
	for s := range All() {
		if other := slots[slot(s.Name)]; other != s {
			t.Errorf("%s has the slot of %s: choose another factor in slot", s.Name, other.Name)
		}
		for _, text := range []string{s.Name, strings.ToUpper(s.Name), strings.ToUpper(s.Name[:1]) + s.Name[1:]} {
			if got := Of(text); got != s {
				t.Errorf("Of(%q) = %+v, want the row of %s", text, *got, s.Name)
			}
		}
	}
}

func TestOfUnknown(t *testing.T) {
	unknown := []string{"", "a", "x", "htt", "httpx", "http:", "x-http", "hxtp", "ht\x54p\x00", "z39\x0e50", "Z39\x0e50", "http\u017f", strings.Repeat("s", 1<<16)}
	for s := range All() { // names that share a slot with a row
		unknown = append(unknown, s.Name[:1]+"\xff"+s.Name[2:], s.Name[:1]+strings.ToUpper(s.Name[1:2])+"!"+s.Name[2:], s.Name+" ", " "+s.Name)
	}
	for _, name := range unknown {
		if got := Of(name); *got != (Scheme{}) {
			t.Errorf("Of(%q) = %+v, want the zero Scheme", name, *got)
		}
	}
}

// The facts in a row do not contradict each other.
func TestRows(t *testing.T) {
	var names, core []string
	for s := range All() {
		names = append(names, s.Name)
		if s.Has(Core) {
			core = append(core, s.Name)
		}
		for _, test := range []struct {
			text  string
			holds bool
		}{
			{"the name is in lower case", s.Name != "" && s.Name == strings.ToLower(s.Name)},
			{"a core scheme is defined somewhere", !s.Has(Core) || s.Spec != ""},
			{"a port is that of a host", s.Port == 0 || s.Has(Host)},
			{"a port is that of a protocol", s.Port == 0 || s.Protocol != ""},
			{"an empty host is a host", !s.Has(EmptyHost) || s.Has(Host)},
			{"what an access fetches is an object of a host", !s.Has(Fetches) || s.Has(Object|Host) && s.Port != 0},
			{"an upload is no object", !s.Has(Upload | Object)},
			{"a session is no object", !s.Has(Session | Object)},
			{"an address is no object", !s.Has(Address | Object)},
			{"what ends no login starts none", !s.Has(Login | AtIsData)},
			{"delimiters are reservable", strings.Trim(s.Delims, ";/?:@=&") == ""},
			{"the secure twin is encrypted", s.Secure == "" || Of(s.Secure).Has(Encrypted) && !s.Has(Encrypted)},
			{"the secure twin has the same protocol", s.Secure == "" || Of(s.Secure).Protocol == s.Protocol},
			{"the secure twin has the same traits", s.Secure == "" || (Of(s.Secure).Traits^s.Traits)&^(Encrypted|Special|Fetches) == 0},
		} {
			if !test.holds {
				t.Errorf("%s: it does not hold that %s: %+v", s.Name, test.text, *s)
			}
		}
	}
	if !slices.IsSorted(core) || !slices.Equal(core, names[:len(core)]) {
		t.Errorf("the core schemes are %q, want them first and in the order of their names", core)
	}
	slices.Sort(names)
	if n := len(slices.Compact(names)); n != len(rows) {
		t.Errorf("%d names in %d rows", n, len(rows))
	}
}

// Each trait has the schemes that its standard lists.
func TestTraits(t *testing.T) {
	for _, test := range []struct {
		trait Traits
		want  string
	}{
		{Special, "file ftp http https ws wss"},        // WHATWG, "special scheme"
		{Query1738, "http https wais z39.50r z39.50s"}, // RFC 1738 §5, RFC 2056
		{EmptyHost, "afs file"},                        // RFC 1738 §3.10
		// RFC 9110 §4.2.3, RFC 6455 §3, RFC 2056
		{EmptyPathIsRoot, "afs ftp ftpes ftps gemini http https sftp titan ws wss z39.50r z39.50s"},
		{Hierarchical, "afs file ftp ftpes ftps gemini http https nfs sftp titan ws wss"}, // RFC 1738 §2.3, RFC 6455 §3
		// over a network
		{Fetches, "cso dict finger ftp ftpes ftps gemini gopher gophers http https imap imaps nfs nntp nntps prospero sftp wais z39.50r z39.50s"},
		{Session, "rlogin telnet tn3270"}, // RFC 1738 §3.8, RFC 1630
		{Address, "mailserver mailto"},    // RFC 1738 §3.5
		// over TLS from the first byte
		{Encrypted, "ftpes ftps gemini gophers https imaps ldaps nntps pop3s sftp smtps snews titan wss"},
		{Core | Reserved, "afs cid mailserver mid nfs tn3270 urn z39.50"}, // RFC 1738 §4
		// RFC 1738 §3, RFC 2056
		{Object, "afs cid cso data dict file finger ftp ftpes ftps gemini gopher gophers http https imap imaps mid news nfs nntp nntps prospero sftp snews wais z39.50r z39.50s"},
		{Upload, "titan"},    // Titan
		{Web, "http https"},  // RFC 9110 §4.2
		{LocalPath, "file"},  // RFC 8089
		{Inline, "data"},     // RFC 2397
		{Personal, "sftp"},   // accounts at the server
		{Message, "cid mid"}, // RFC 2392
		{Mail, "cid imap imaps mid"},
		{Menus, "gopher gophers"}, // RFC 1436 §3.8, type 3
		{Login, "sip sips"},       // RFC 3261 §19.1
	} {
		var have []string
		for s := range All() {
			if s.Has(test.trait) {
				have = append(have, s.Name)
			}
		}
		slices.Sort(have)
		if got := strings.Join(have, " "); got != test.want {
			t.Errorf("schemes with trait %b: %q, want %q", test.trait, got, test.want)
		}
	}
}

func TestAtPort(t *testing.T) {
	for port, want := range map[uint16]string{
		21: "ftp", 23: "telnet", 70: "gopher", 80: "http", 119: "nntp", 210: "wais", 443: "https", 513: "rlogin",
		563: "nntps", 990: "ftps", 1525: "prospero", 2049: "nfs", 0: "", 26: "", 8080: "",
		22: "ssh", 25: "smtp", 110: "pop3", 143: "imap", 389: "ldap", 465: "smtps", 636: "ldaps", 993: "imaps", 995: "pop3s",
	} {
		got := ""
		if s := AtPort(port); s != nil {
			got = s.Name
		}
		if got != want {
			t.Errorf("AtPort(%d) = %q, want %q", port, got, want)
		}
	}
}

func TestAllocations(t *testing.T) {
	names := []string{"http", "HTTP", "gopher", "nowhere", ""}
	if n := testing.AllocsPerRun(10, func() {
		for _, name := range names {
			_ = Of(name)
		}
		_ = AtPort(1525)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkOf(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = Of("https")
	}
}
