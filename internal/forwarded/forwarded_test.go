package forwarded

import (
	"net/netip"
	"strings"
	"testing"
)

// trusted are the proxies of the tests.
var trusted = Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:f::/48")}

// headerOf returns the fields in lines of "Name: value".
func headerOf(lines string) map[string][]string {
	h := make(map[string][]string)
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		h[name] = append(h[name], value)
	}
	return h
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		header string
		want   string // "client proto host", with - for nothing
	}{
		{"Accept: */*", "- - -"},
		// The last address that is not trusted is the client. The client wrote everything before it.
		{"X-Forwarded-For: 192.0.2.1", "192.0.2.1:0 - -"},
		{"X-Forwarded-For: 198.51.100.7, 192.0.2.1", "192.0.2.1:0 - -"},
		{"X-Forwarded-For: 198.51.100.7,192.0.2.1 ,\t10.0.0.9,10.1.1.1", "192.0.2.1:0 - -"},
		{"X-Forwarded-For: garbage, 192.0.2.1", "192.0.2.1:0 - -"},
		{"X-Forwarded-For: garbage, 192.0.2.1, 10.0.0.1", "192.0.2.1:0 - -"},
		{"X-Forwarded-For: 10.0.0.3, 192.0.2.1", "192.0.2.1:0 - -"},
		{"X-Forwarded-For: 198.51.100.7\nX-Forwarded-For: 192.0.2.1", "192.0.2.1:0 - -"},
		{"X-Forwarded-For: 192.0.2.1, , ", "192.0.2.1:0 - -"},
		// If all addresses are trusted, the first is the client.
		{"X-Forwarded-For: 10.0.0.3, 10.0.0.4", "10.0.0.3:0 - -"},
		// A proxy that hides the client counts as the client.
		{"X-Forwarded-For: 192.0.2.1, unknown", "- - -"},
		{"X-Forwarded-For: 192.0.2.1, unknown, 10.0.0.2", "10.0.0.2:0 - -"},
		{"Forwarded: for=192.0.2.1, for=_hidden, for=10.0.0.2", "10.0.0.2:0 - -"},
		{"Forwarded: for=192.0.2.1, for=unknown:80", "- - -"},
		{"Forwarded: for=192.0.2.1, by=10.0.0.1", "- - -"},
		{`Forwarded: for=192.0.2.1, for=""`, "- - -"},
		{"Forwarded: for=192.0.2.1, secret=x, for=10.0.0.2", "10.0.0.2:0 - -"},
		{"Forwarded: for=192.0.2.1, proto=https", "- https -"},
		// Ports, IPv6 and IPv4 in IPv6.
		{"X-Forwarded-For: 192.0.2.1:4711", "192.0.2.1:4711 - -"},
		{"X-Forwarded-For: 2001:db8::1, 2001:db8:f::2", "[2001:db8::1]:0 - -"},
		{"X-Forwarded-For: [2001:db8::1]:99, [2001:db8:f::2]", "[2001:db8::1]:99 - -"},
		{"X-Forwarded-For: ::ffff:192.0.2.1, ::ffff:10.0.0.1", "192.0.2.1:0 - -"},
		{"X-Forwarded-For: fe80::1%eth0", "[fe80::1]:0 - -"},
		{`Forwarded: for="[2001:db8::17]:4711"`, "[2001:db8::17]:4711 - -"},
		{`Forwarded: for="192.0.2.1:_secret"`, "192.0.2.1:0 - -"},
		{"Forwarded: for=192.0.2.1:4711", "192.0.2.1:4711 - -"},
		// The element of the client has its scheme and host.
		{"Forwarded: For=192.0.2.1;PROTO=https;host=gate.example.org, for=10.0.0.1;proto=http;host=inner", "192.0.2.1:0 https gate.example.org"},
		{`Forwarded: for=198.51.100.7;proto=http,for=192.0.2.1 ; proto="https";host="gate.example.org:8443"`, "192.0.2.1:0 https gate.example.org:8443"},
		{`Forwarded: for="a\"b, for=10.0.0.1", for=192.0.2.1`, "192.0.2.1:0 - -"},
		{"Forwarded: ;, ,for=192.0.2.1;secret=x;", "192.0.2.1:0 - -"},
		{"X-Forwarded-For: 192.0.2.1\nX-Forwarded-Proto: HTTPS\nX-Forwarded-Host: gate.example.org:8443", "192.0.2.1:0 https gate.example.org:8443"},
		{"X-Forwarded-Proto: http, wss\nX-Forwarded-Host: evil.example, gate.example.org", "- https gate.example.org"},
		{"X-Forwarded-Proto: https", "- https -"},
		// Both kinds may agree, and add to each other.
		{"Forwarded: for=192.0.2.1;proto=https\nX-Forwarded-For: 192.0.2.1:80\nX-Forwarded-Host: H", "192.0.2.1:0 https H"},
		{"Forwarded: for=192.0.2.1;host=h\nX-Forwarded-For: 192.0.2.1\nX-Forwarded-Host: H", "192.0.2.1:0 - h"},
		{"Forwarded: for=unknown;proto=https\nX-Forwarded-For: unknown", "- https -"},
	} {
		o, err := trusted.Read(headerOf(test.header))
		if err != nil || show(o) != test.want {
			t.Errorf("Read(%q) = %q, %v, want %q", test.header, show(o), err, test.want)
		}
	}
}

// show returns an Origin as the table of TestRead has it.
func show(o Origin) string {
	texts := []string{"-", o.Proto, o.Host}
	if o.Client.IsValid() {
		texts[0] = o.Client.String()
	}
	for i, text := range texts {
		if text == "" {
			texts[i] = "-"
		}
	}
	return strings.Join(texts, " ")
}

// A field whose trusted end is malformed is an error, because the client is unknown. So is a contradiction: the client may
// have sent the field that its proxy does not write.
func TestReadMalformed(t *testing.T) {
	for _, test := range []struct{ header, want string }{
		{"X-Forwarded-For: garbage", "X-Forwarded-For: not an address"},
		{"X-Forwarded-For: 192.0.2.1, 10.0.0", "X-Forwarded-For: not an address"},
		{"X-Forwarded-For: 192.0.2.1, 300.0.0.1, 10.0.0.1", "not an address"},
		{"X-Forwarded-For: gate.example.org", "not an address"},
		{"X-Forwarded-For: 192.0.2.1:99999", "not an address"},
		{`X-Forwarded-For: "192.0.2.1"`, "not an address"},
		{"X-Forwarded-Proto: gopher", "X-Forwarded-Proto: neither http nor https"},
		{"X-Forwarded-Host: a/b", "X-Forwarded-Host: not a host"},
		{"X-Forwarded-Host: a@b", "not a host"},
		{"X-Forwarded-Host: a\x00b", "not a host"},
		{`Forwarded: for="192.0.2.1`, "Forwarded: a quoted text has no end"},
		{`Forwarded: for="192.0.2.1\`, "a quoted text has no end"},
		{`Forwarded: for="x, for=192.0.2.1`, "a quoted text has no end"},
		{`Forwarded: for="x" y, for=192.0.2.1`, "follows a value"},
		{"Forwarded: 192.0.2.1", "a parameter is not name=value"},
		{"Forwarded: =x", "a parameter is not name=value"},
		{"Forwarded: for=192.0.2.1;for=10.0.0.1", "twice"},
		{"Forwarded: for=gate.example.org", "not an address"},
		{"Forwarded: for=192.0.2.1;proto=ftp", "neither http nor https"},
		{"Forwarded: for=192.0.2.1;host=a/b", "not a host"},
		{"Forwarded: for=198.51.100.7\nX-Forwarded-For: 192.0.2.1", "Forwarded: it contradicts X-Forwarded-For"},
		{"Forwarded: for=unknown\nX-Forwarded-For: 192.0.2.1", "Forwarded: it contradicts X-Forwarded-For"},
		{"Forwarded: by=10.0.0.1\nX-Forwarded-For: 192.0.2.1", "Forwarded: it contradicts X-Forwarded-For"},
		{"Forwarded: for=192.0.2.1\nX-Forwarded-For: unknown", "Forwarded: it contradicts X-Forwarded-For"},
		{"Forwarded: for=192.0.2.1;proto=http\nX-Forwarded-Proto: https", "it contradicts X-Forwarded-Proto"},
		{"Forwarded: for=192.0.2.1;host=a\nX-Forwarded-Host: b", "it contradicts X-Forwarded-Host"},
	} {
		o, err := trusted.Read(headerOf(test.header))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Read(%q) = %q, %v, want an error with %q", test.header, show(o), err, test.want)
		}
	}
}

func TestContains(t *testing.T) {
	for _, test := range []struct {
		address string
		want    bool
	}{
		{"10.1.2.3", true},
		{"::ffff:10.1.2.3", true},
		{"11.0.0.1", false},
		{"2001:db8:f::1%eth0", true},
		{"2001:db8:e::1", false},
		{"127.0.0.1", false},
	} {
		if got := trusted.Contains(netip.MustParseAddr(test.address)); got != test.want {
			t.Errorf("Contains(%s) = %v, want %v", test.address, got, test.want)
		}
	}
	if Proxies(nil).Contains(netip.MustParseAddr("127.0.0.1")) {
		t.Error("no proxies contain 127.0.0.1")
	}
}

// Whatever a client sends, the address that its proxy adds is the client.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", "garbage", "10.0.0.1", "192.0.2.9", `for="x`, `for="x\`, `for=192.0.2.9, `, "unknown", ",;=", `a="b"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spoofed string) {
		if strings.ContainsAny(spoofed, "\r\n") {
			return // no value of a field has them
		}
		const client = "192.0.2.1"
		if o, err := trusted.Read(map[string][]string{forField: {spoofed + ", " + client}}); err != nil || o.Client.Addr().String() != client {
			t.Errorf("X-Forwarded-For: %q and then %s: %v, %v", spoofed, client, o.Client, err)
		}
		o, err := trusted.Read(map[string][]string{standard: {spoofed + ", for=" + client}})
		if err == nil && o.Client.Addr().String() != client {
			t.Errorf("Forwarded: %q and then for=%s: %v", spoofed, client, o.Client)
		}
		if o, err = trusted.Read(map[string][]string{standard: {spoofed}, forField: {client}}); err == nil && o.Client.Addr().String() != client {
			t.Errorf("Forwarded: %q with X-Forwarded-For: %s: %v", spoofed, client, o.Client)
		}
	})
}
