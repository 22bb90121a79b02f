package cli

import (
	"errors"
	"net"
	"os"
	"reflect"
	"testing"

	"locus/proto/nfs"
)

func TestParseNFSUser(t *testing.T) {
	for text, want := range map[string]*nfs.Identity{
		"1000:100":        {UID: 1000, GID: 100, Groups: []uint32{}},
		"0:0":             {Groups: []uint32{}},
		"1:2,3,4":         {UID: 1, GID: 2, Groups: []uint32{3, 4}},
		"4294967295:1":    {UID: 1<<32 - 1, GID: 1, Groups: []uint32{}},
		"1000":            nil,
		"":                nil,
		"ada:users":       nil,
		"-1:1":            nil,
		"4294967296:1":    nil,
		"1:2,":            nil,
		"1:":              nil,
		"1:2:3":           nil,
		"1 : 2":           nil,
		"0x10:0":          nil,
		"1:1,\u0661":      nil,
		"18446744073:1,2": nil,
	} {
		got, err := parseNFSUser(text)
		usage, isUsage := errors.AsType[*UsageError](err)
		if !reflect.DeepEqual(got, want) || (err == nil) != (want != nil) || err != nil && (!isUsage || usage.Text == "") {
			t.Errorf("parseNFSUser(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
}

// A connection of --nfs-low-port comes from a port below 1024. Others do not.
func TestLowPort(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may use these ports")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, low := range []bool{true, false} {
		dial := Dial
		if low {
			dial = fromLowPort(Dial)
		}
		conn, err := dial(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		port := conn.LocalAddr().(*net.TCPAddr).Port
		conn.Close()
		if isLow := port >= 512 && port <= 1023; isLow != low {
			t.Errorf("with low port %v the port is %d", low, port)
		}
	}
	l.Close()
	if _, err := fromLowPort(Dial)(t.Context(), "tcp", l.Addr().String()); err == nil {
		t.Error("a closed port takes a connection")
	}
}
