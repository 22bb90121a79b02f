package finger_test

import (
	"net"
	"strings"
	"testing"

	"locus/internal/peers"
)

func TestFingerd(t *testing.T) {
	at := "finger://" + peers.Fingerd(t).Addr
	for _, test := range []struct{ url, want string }{
		{at + "/root", "Login: root"},
		{at + "//W%20root", "Login: root"},
	} {
		got, err := open(t, new(net.Dialer).DialContext, test.url)
		if !strings.Contains(got, test.want) || err != nil {
			t.Errorf("Do(%q) = %q, %v, want %q", test.url, got, err, test.want)
		}
	}
}
