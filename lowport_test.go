package locus

import (
	"context"
	"net"
	"os"
	"syscall"
	"testing"
)

// Only a port that is in use is a reason to try the next one.
func TestIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := net.Listen("tcp", l.Addr().String()); !isTaken(err) {
		t.Errorf("a port that is taken: %v", err)
	}
	for _, err := range []error{nil, syscall.ECONNREFUSED, context.Canceled, os.ErrPermission} {
		if isTaken(err) {
			t.Errorf("%v is taken for a port in use", err)
		}
	}
}
