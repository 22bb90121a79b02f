package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

// Log messages of libraries do not appear in the output. net/http logs unsolicited bytes of a
// server, in the server's own words.
func TestMainLogsNothing(t *testing.T) {
	forged := make(chan struct{})
	first := listen(t, func(c net.Conn) {
		defer close(forged)
		in := bufio.NewReader(c)
		http.ReadRequest(in)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nonelocus: forged")
		io.Copy(io.Discard, in) // the client has seen the bytes, and closed the connection
	})
	// This is another server, so that the client cannot take the forged bytes for its answer.
	second := listen(t, func(c net.Conn) {
		http.ReadRequest(bufio.NewReader(c))
		<-forged
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo")
	})
	cmd := exec.CommandContext(t.Context(), "locus", "get", "--no-proxy", "http://"+first+"/1", "http://"+second+"/2")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || out.String() != "onetwo" || errs.Len() > 0 {
		t.Errorf("get = %v, it writes %q to stdout and %q to stderr", err, out.String(), errs.String())
	}
}
