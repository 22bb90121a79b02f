package cli

import (
	"net"
	"os"
	"reflect"
	"testing"

	"locus/proto/nfs"

	"locus/cmd/locus/internal/flags"
)

func TestNFSUser(t *testing.T) {
	client, err := nfsClient(Protocols{NFSUser: "1:2,3", NFSMount: 4})
	if want := (nfs.Identity{UID: 1, GID: 2, Groups: []uint32{3}}); err != nil || !reflect.DeepEqual(*client.Identity, want) || client.MountPort != 4 {
		t.Errorf("nfsClient = %+v, %v, want %+v", client, err, want)
	}
	if _, err := nfsClient(Protocols{NFSUser: "ada"}); !flags.IsMisuse(err) {
		t.Errorf("nfsClient for a name = %v, want a UsageError", err)
	}
}

// With --nfs-low-port, connections come from a port below 1024. Without it they do not.
func TestLowPort(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may use ports below 1024")
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
			t.Errorf("with nfs-low-port %v the connection comes from port %d", low, port)
		}
	}
	l.Close()
	if _, err := fromLowPort(Dial)(t.Context(), "tcp", l.Addr().String()); err == nil {
		t.Error("dialing a closed port = nil, want an error")
	}
}
