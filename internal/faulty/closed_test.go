package faulty

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// The address refuses connections, and nobody can listen there.
func TestClosed(t *testing.T) {
	addr := Closed(t)
	for range 2 {
		if c, err := net.Dial("tcp", addr); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("Dial = %v, %v, want %v", c, err, syscall.ECONNREFUSED)
		}
	}
	if l, err := net.Listen("tcp", addr); err == nil {
		l.Close()
		t.Error("the port is free")
	}
}
