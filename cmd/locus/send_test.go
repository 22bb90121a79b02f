package main

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
)

// An smtpRecorder is a mail server without TLS, or a server whose STARTTLS an attacker removes. It
// accepts every message and records the commands.
func smtpRecorder(t *testing.T) (address string, commands <-chan string) {
	recorded := make(chan string, 64)
	return listen(t, func(c net.Conn) {
		defer c.Close()
		fmt.Fprint(c, "220 ready\r\n")
		inData := false
		for in := bufio.NewScanner(c); in.Scan(); {
			verb, _, _ := strings.Cut(in.Text(), " ")
			switch {
			case inData && verb != ".":
				continue
			case verb == "DATA":
				fmt.Fprint(c, "354 go\r\n")
			default:
				fmt.Fprint(c, "250 OK\r\n")
			}
			inData = verb == "DATA"
			recorded <- verb
		}
	}), recorded
}

// send transmits a message without TLS only to this machine, with a login and without.
func TestSendInTheClear(t *testing.T) {
	proxy := "socks5h://ada:sesame@" + newSOCKS(t) // connects to this machine for behind.invalid
	for _, test := range []struct {
		name   string
		args   []string
		status int
	}{
		{"to this machine", []string{"--smtp", "smtp://ADDRESS"}, 0},
		{"to localhost", []string{"--smtp", "smtp://localhost:PORT"}, 0},
		{"to another host", []string{"--proxy", proxy, "--smtp", "smtp://" + proxyHost + ":PORT"}, 1},
		{"to another host, which is allowed", []string{"--smtp-no-tls", "--proxy", proxy, "--smtp", proxyHost + ":PORT"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			address, commands := smtpRecorder(t)
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				t.Fatal(err)
			}
			args := []string{"send", "--from", "ada@example.org"}
			for _, arg := range test.args {
				args = append(args, strings.NewReplacer("ADDRESS", address, "PORT", port).Replace(arg))
			}
			status, _, stderr := runHere(t, "", append(args, "mailto:bob@example.org?body=text")...)
			sent := ""
			for len(commands) > 0 {
				sent += <-commands + " "
			}
			if status != test.status || strings.Contains(sent, "MAIL") != (status == 0) {
				t.Errorf("send ends with %d, want %d, and sends %s: %s", status, test.status, sent, stderr)
			}
			const want = "TLS is required, and the server does not offer it\n" +
				"locus: hint: smtps:// begins with TLS; --smtp-no-tls sends everything unencrypted, even the password\n"
			if status != 0 && !strings.Contains(stderr, want) {
				t.Errorf("send writes %q, want %q", stderr, want)
			}
		})
	}
}
