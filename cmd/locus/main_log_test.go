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

// What libraries log is nothing that the command says: net/http logs what a server
// sends that nobody asked for, in the server's own words.
func TestMainLogsNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		in := bufio.NewReader(c)
		http.ReadRequest(in)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nonelocus: forged")
		io.Copy(io.Discard, in) // the client has seen it, and closed the connection
		c.Close()
		if c, err = l.Accept(); err != nil {
			return
		}
		http.ReadRequest(bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo")
		c.Close()
	}()
	at := "http://" + l.Addr().String()
	cmd := exec.CommandContext(t.Context(), "locus", "get", "--no-proxy", at+"/1", at+"/2")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || out.String() != "onetwo" || errs.Len() > 0 {
		t.Errorf("%v, %q, and to stderr %q", err, out.String(), errs.String())
	}
}
