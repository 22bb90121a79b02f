package prospero

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"locus/access"
)

// serving returns a client of servers that send one reply to every request, by
// address. dialled has the addresses that the client dials.
func serving(replies map[string]string) (c Client, dialled *[]string) {
	dialled = new([]string)
	return Client{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		*dialled = append(*dialled, address)
		text, ok := replies[address]
		if !ok {
			return nil, errGuard
		}
		return replying(text).Dial(ctx, network, address)
	}}, dialled
}

// Dial sees every target of a union link, so that it can refuse it. Some targets
// are refused without a dial. LOCALHOST is the server that sent the link. If a
// target cannot be fetched, its union link is listed.
func TestUnions(t *testing.T) {
	union := func(host string) string { return "LINK U DIRECTORY union INTERNET-D " + host + " ASCII d 0\n" }
	const one = "LINK L FILE one INTERNET-D h ASCII x 0\n"
	for _, test := range []struct {
		server, host string
		dialled      string // besides server
		titles       string
	}{
		{"192.0.2.1:1600", "LOCALHOST", "192.0.2.1:1600", "[]"}, // the link's own directory
		{"192.0.2.1:1600", "localhost", "192.0.2.1:1600", "[]"},
		{"192.0.2.1:1600", "LOCALHOST.", "192.0.2.1:1600", "[]"},
		{"192.0.2.1:1600", "LOCALHOST(1525)", "192.0.2.1:1525", "[one]"},
		{"192.0.2.1:1600", "192.0.2.2", "192.0.2.2:1525", "[one]"},
		{"192.0.2.1:1600", "192.0.2.2(191)", "192.0.2.2:191", "[one]"},
		{"192.0.2.1:1600", "192.0.2.3", "192.0.2.3:1525", "[union]"}, // Dial refuses
		{"192.0.2.1:1600", "192.0.2.2(53)", "", "[union]"},
		{"192.0.2.1:1600", "127.0.0.1", "", "[union]"},
		{"192.0.2.1:1600", "'[::1]'", "", "[union]"},
		{"127.0.0.1:1600", "127.0.0.1", "127.0.0.1:1525", "[one]"},
	} {
		synctest.Test(t, func(t *testing.T) {
			replies := map[string]string{
				"192.0.2.1:1525": one, "192.0.2.2:1525": one, "192.0.2.2:191": one, "127.0.0.1:1525": one, "[::1]:1525": one,
			}
			replies[test.server] = union(test.host)
			c, dialled := serving(replies)
			r, err := c.Do(t.Context(), &access.Request{URL: parseURL(t, "prospero://"+test.server+"/root")})
			if err != nil {
				t.Fatalf("%s: %v", test.server, err)
			}
			l := r.List
			got, others := titles(t, l), strings.Join((*dialled)[1:], " ")
			if got != test.titles || others != test.dialled {
				t.Errorf("%s has a union link to %s: %s via %q, want %s via %q", test.server, test.host, got, others, test.titles, test.dialled)
			}
		})
	}
}

// Each union link to a directory that cannot be fetched is listed, and the directory is requested once.
func TestUnionsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links := "LINK U DIRECTORY first INTERNET-D 192.0.2.3 ASCII d 0\nLINK U DIRECTORY second INTERNET-D 192.0.2.3 ASCII d 0\n"
		c, dialled := serving(map[string]string{"192.0.2.1:1525": links})
		r, err := c.Do(t.Context(), &access.Request{URL: parseURL(t, "prospero://192.0.2.1/d")})
		if err != nil {
			t.Fatal(err)
		}
		if l := r.List; titles(t, l) != "[first second]" || len(*dialled) != 2 {
			t.Errorf("dialled %v, want both union links and one request for their target", *dialled)
		}
	})
}

// The number of union links is limited, and no directory is fetched twice.
func TestUnionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		replies := make(map[string]string)
		for i := range 100 {
			replies[fmt.Sprintf("192.0.2.1:%d", 2000+i)] = fmt.Sprintf("LINK U DIRECTORY u%d INTERNET-D LOCALHOST(%d) ASCII d 0\n", i, 2001+i)
		}
		c, dialled := serving(replies)
		if _, err := c.Do(t.Context(), &access.Request{URL: parseURL(t, "prospero://192.0.2.1:2000/d")}); err != nil || len(*dialled) != 1+maxUnions {
			t.Errorf("%d directories are listed, %v, want %d", len(*dialled), err, 1+maxUnions)
		}
		replies["192.0.2.1:2001"] = "LINK U DIRECTORY back INTERNET-D LOCALHOST(2000) ASCII d 0\nLINK L FILE x INTERNET-D h ASCII x 0\n"
		*dialled = nil
		r, err := c.Do(t.Context(), &access.Request{URL: parseURL(t, "prospero://192.0.2.1:2000/d")})
		if err != nil || !slices.Equal(*dialled, []string{"192.0.2.1:2000", "192.0.2.1:2001"}) {
			t.Fatalf("dialled %v, %v, want each once", *dialled, err)
		}
		if l := r.List; titles(t, l) != "[x]" {
			t.Error("a loop of union links adds links")
		}
	})
}
