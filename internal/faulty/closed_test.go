package faulty

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// Nobody answers at the address, and nobody else can have it.
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
