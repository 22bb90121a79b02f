package whatwg

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
)

// hostOf returns the host of a URL with that scheme and host, or "! " and the name of the failure.
func hostOf(scheme, host string) string {
	u, err := Parse(scheme + "://" + host + "/")
	if err != nil {
		return "! " + string(err.(*Error).Name)
	}
	h, _ := u.Host()
	return h
}

func TestIPv4Hosts(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"1.2.3.4", "1.2.3.4"},
		{"1.2.3.4.", "1.2.3.4"},
		{"1.2.3.4..", "1.2.3.4.."}, // the last part is empty: no number, so a domain
		{"0", "0.0.0.0"},
		{"1", "0.0.0.1"},
		{"1.2", "1.0.0.2"},
		{"1.2.3", "1.2.0.3"},
		{"4294967295", "255.255.255.255"},
		{"4294967296", "! IPv4-out-of-range-part"},
		{"99999999999999999999999999999999999999999", "! IPv4-out-of-range-part"},
		{"1.16777215", "1.255.255.255"},
		{"1.16777216", "! IPv4-out-of-range-part"},
		{"1.2.65535", "1.2.255.255"},
		{"1.2.65536", "! IPv4-out-of-range-part"},
		{"1.2.3.255", "1.2.3.255"},
		{"1.2.3.256", "! IPv4-out-of-range-part"},
		{"256.1", "! IPv4-out-of-range-part"},
		{"256.256.256.256", "! IPv4-out-of-range-part"},
		{"0x7f.1", "127.0.0.1"},
		{"0X7F.0X1", "127.0.0.1"},
		{"0x", "0.0.0.0"},
		{"0x.0x.0", "0.0.0.0"},
		{"0xffffffff", "255.255.255.255"},
		{"0x100000000", "! IPv4-out-of-range-part"},
		{"0377.01", "255.0.0.1"},
		{"00", "0.0.0.0"},
		{"08", "! IPv4-non-numeric-part"},
		{"09.1", "! IPv4-non-numeric-part"},
		{"1.2.3.08", "! IPv4-non-numeric-part"},
		{"a.1", "! IPv4-non-numeric-part"},
		{"1..2", "! IPv4-non-numeric-part"},
		{".1", "! IPv4-non-numeric-part"},
		{"1.2.3.4.5", "! IPv4-too-many-parts"},
		{"a.0x", "! IPv4-non-numeric-part"},
		{"a.0xg", "a.0xg"},
		{"0xg", "0xg"},
		{"1.a", "1.a"},
		{"1.a.", "1.a."},
		{"1-2", "1-2"},
		{"+1", "+1"},
		{"1e3", "1e3"},
		{"%31.%32", "1.0.0.2"},
		{"１.２", "1.0.0.2"}, // full-width digits
		{"1。2", "1.0.0.2"},
		{".", "."},
		{"..", ".."},
	} {
		if got := hostOf("http", test.in); got != test.want {
			t.Errorf("host of http://%s/ = %q, want %q", test.in, got, test.want)
		}
	}
	for _, opaque := range []string{"1.2", "0x7f.1", "1.2.3.256", "256", "1.2.3.4.5"} {
		if got := hostOf("x", opaque); got != opaque {
			t.Errorf("host of x://%s/ = %q, want it unchanged", opaque, got)
		}
	}
}

// Parse reads every address from each of its notations.
func TestIPv4Writings(t *testing.T) {
	for _, a := range []uint32{0, 1, 0x7f000001, 0x01020304, 0xff00ff00, 0xfffffffe, 0xffffffff, 0x00ffffff} {
		o := [4]uint32{a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255}
		want := fmt.Sprintf("%d.%d.%d.%d", o[0], o[1], o[2], o[3])
		for _, format := range []string{"%d", "%#x", "0%o", "0X%X"} {
			for _, text := range []string{
				fmt.Sprintf(format, a),
				fmt.Sprintf(format+"."+format, o[0], a&0xffffff),
				fmt.Sprintf(format+"."+format+"."+format, o[0], o[1], a&0xffff),
				fmt.Sprintf(format+"."+format+"."+format+"."+format, o[0], o[1], o[2], o[3]),
			} {
				if got := hostOf("https", text); got != want {
					t.Errorf("host of https://%s/ = %q, want %q", text, got, want)
				}
			}
		}
	}
}

func TestIPv6Hosts(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"::", "[::]"},
		{"::1", "[::1]"},
		{"1::", "[1::]"},
		{"0:0:0:0:0:0:0:0", "[::]"},
		{"1:2:3:4:5:6:7:8", "[1:2:3:4:5:6:7:8]"},
		{"1:0:3:4:5:6:7:8", "[1:0:3:4:5:6:7:8]"}, // one zero is not compressed
		{"1::3:4:5:6:7:8", "[1:0:3:4:5:6:7:8]"},
		{"1:0:0:4:5:6:7:8", "[1::4:5:6:7:8]"},
		{"1:0:0:4:0:0:7:8", "[1::4:0:0:7:8]"}, // the first of two equal runs
		{"1:0:0:4:0:0:0:8", "[1:0:0:4::8]"},   // the longer run
		{"0:0:3:4:5:6:7:8", "[::3:4:5:6:7:8]"},
		{"1:2:3:4:5:6:0:0", "[1:2:3:4:5:6::]"},
		{"0:2:3:4:5:6:7:0", "[0:2:3:4:5:6:7:0]"},
		{"00AB:CDEF::", "[ab:cdef::]"},
		{"::1.2.3.4", "[::102:304]"},
		{"::ffff:255.255.255.255", "[::ffff:ffff:ffff]"},
		{"1:2:3:4:5:6:0.0.0.0", "[1:2:3:4:5:6::]"},
		{"1:2:3:4:5:6:7::", "[1:2:3:4:5:6:7:0]"},
		{"::2:3:4:5:6:7:8", "[0:2:3:4:5:6:7:8]"},
		{"", "! IPv6-too-few-pieces"},
		{":", "! IPv6-invalid-compression"},
		{":1", "! IPv6-invalid-compression"},
		{":::", "! IPv6-multiple-compression"},
		{"1:::2", "! IPv6-multiple-compression"},
		{"1::2::3", "! IPv6-multiple-compression"},
		{"1:2:3:4:5:6:7", "! IPv6-too-few-pieces"},
		{"1:2:3:4:5:6:7:8:9", "! IPv6-too-many-pieces"},
		{"::1:2:3:4:5:6:7:8", "! IPv6-too-many-pieces"},
		{"1:2:3:4:5:6:7:8::", "! IPv6-too-many-pieces"},
		{"12345::", "! IPv6-invalid-code-point"},
		{"g::", "! IPv6-invalid-code-point"},
		{"1:", "! IPv6-invalid-code-point"},
		{"1::2:", "! IPv6-invalid-code-point"},
		{"::%31", "! IPv6-invalid-code-point"},
		{"fe80::1%25eth0", "! IPv6-invalid-code-point"}, // no zones here
		{"::1 ", "! IPv6-invalid-code-point"},
		{"::.1.2.3", "! IPv4-in-IPv6-invalid-code-point"},
		{"::1.2.3.", "! IPv4-in-IPv6-invalid-code-point"},
		{"::1..2.3", "! IPv4-in-IPv6-invalid-code-point"},
		{"::01.2.3.4", "! IPv4-in-IPv6-invalid-code-point"},
		{"::1.2.3.4.5", "! IPv4-in-IPv6-invalid-code-point"},
		{"::1.2.3.4:5", "! IPv4-in-IPv6-invalid-code-point"},
		{"::a.2.3.4", "! IPv4-in-IPv6-invalid-code-point"},
		{"::1.2.3.256", "! IPv4-in-IPv6-out-of-range-part"},
		{"::1.2.3", "! IPv4-in-IPv6-too-few-parts"},
		{"1:2:3:4:5:6:7:1.2.3.4", "! IPv4-in-IPv6-too-many-pieces"},
	} {
		for _, scheme := range []string{"http", "x"} {
			if got := hostOf(scheme, "["+test.in+"]"); got != test.want {
				t.Errorf("host of %s://[%s]/ = %q, want %q", scheme, test.in, got, test.want)
			}
		}
	}
	for in, want := range map[string]string{"[::1": "! IPv6-unclosed", "[::1]x": "! IPv6-unclosed", "[": "! IPv6-unclosed", "x[::1]": "! domain-to-ASCII"} {
		if got := hostOf("http", in); got != want {
			t.Errorf("host of http://%s/ = %q, want %q", in, got, want)
		}
	}
}

// netipString formats an address with net/netip, which implements RFC 5952 §4 independently. The URL Standard follows
// that RFC except for dotted quads.
func netipString(a ipv6) string {
	var bytes [16]byte
	for i, piece := range a {
		bytes[2*i], bytes[2*i+1] = byte(piece>>8), byte(piece)
	}
	addr := netip.AddrFrom16(bytes)
	if addr.Is4In6() {
		return fmt.Sprintf("[::ffff:%x:%x]", a[6], a[7])
	}
	return "[" + addr.String() + "]"
}

// text and parseIPv6 handle every pattern of zero and other pieces.
func TestIPv6Serializer(t *testing.T) {
	for pattern := range 1 << 8 {
		var a ipv6
		var full []string
		for i := range a {
			if pattern>>i&1 != 0 {
				a[i] = uint16(0xa0 + i)
			}
			full = append(full, fmt.Sprintf("%04X", a[i]))
		}
		if got, want := a.text(""), netipString(a); got != want {
			t.Errorf("text of %x = %s, want %s", [8]uint16(a), got, want)
		}
		text := strings.Join(full, ":")
		if back, _, wrong := parseIPv6(text, func(int) {}); wrong != "" || back != a {
			t.Errorf("parseIPv6(%q) = %v, %v, want %v", text, back, wrong, a)
		}
		text = strings.Trim(a.text(""), "[]")
		if back, _, wrong := parseIPv6(text, func(int) {}); wrong != "" || back != a {
			t.Errorf("parseIPv6(%q) = %v, %v, want %v", text, back, wrong, a)
		}
	}
}

// parseIPv6 accepts exactly the addresses that net/netip accepts, and returns the same address.
func FuzzIPv6(f *testing.F) {
	for _, s := range []string{"::", "1::", "::1", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", ":::", "1:", "::01.2.3.4", "::1.2.3.4.5", "12345::", "1::2::3", "::1.2.3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !strings.Contains(s, ":") || strings.Contains(s, "%") { // because netip also accepts IPv4 and zones
			return
		}
		address, at, wrong := parseIPv6(s, func(int) {})
		addr, err := netip.ParseAddr(s)
		if (wrong == "") != (err == nil) {
			t.Fatalf("parseIPv6(%q) = %q, but net/netip returns %v", s, wrong, err)
		}
		if wrong != "" {
			if at < 0 || at > len(s) {
				t.Fatalf("parseIPv6(%q) = error at offset %d of %d bytes", s, at, len(s))
			}
			return
		}
		bytes := addr.As16()
		for i, piece := range address {
			if uint16(bytes[2*i])<<8|uint16(bytes[2*i+1]) != piece {
				t.Fatalf("parseIPv6(%q) = %x, want %x", s, address, bytes)
			}
		}
	})
}
