package locus

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

// emptyMenu dials a gopher server that sends menu lines without text forever.
func emptyMenu(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		buf := make([]byte, 100)
		_, _ = server.Read(buf)
		lines := []byte(strings.Repeat("i\t\t\t\r\n", 1000))
		for {
			if _, err := server.Write(lines); err != nil {
				return
			}
		}
	}()
	return client, nil
}

// Entries without a title and a URL count, too, so an endless listing of such entries
// fails.
func TestLimitsEmptyEntries(t *testing.T) {
	c := &Client{Dial: emptyMenu, Limits: Limits{Bytes: 10_000, Total: time.Minute}}
	t.Cleanup(func() { c.Close() })
	var failure error
	entries := 0
	for _, err := range c.List(t.Context(), "gopher://h/1") {
		entries++
		failure = err
	}
	if !errors.Is(failure, ErrTooLarge) {
		t.Errorf("a listing of empty lines = %v after %d entries, want %v", failure, entries, ErrTooLarge)
	}
}
