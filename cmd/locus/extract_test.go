package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An ftpRecorder is an FTP server without TLS. It accepts every login, refuses all other commands,
// and records the commands.
func ftpRecorder(t *testing.T) (address string, commands <-chan string) {
	recorded := make(chan string, 64)
	return listen(t, func(c net.Conn) {
		defer c.Close()
		fmt.Fprint(c, "220 ready\r\n")
		for in := bufio.NewScanner(c); in.Scan(); {
			recorded <- in.Text()
			switch strings.ToUpper(strings.Fields(in.Text() + " x")[0]) {
			case "USER":
				fmt.Fprint(c, "331 password?\r\n")
			case "PASS":
				fmt.Fprint(c, "230 welcome\r\n")
			case "QUIT":
				return
			default:
				fmt.Fprint(c, "500 type=file is no help, ", in.Text(), "\r\n")
			}
		}
	}), recorded
}

// With --ftp-tls, extract sends the password of .netrc only over TLS.
func TestExtractFTPTLS(t *testing.T) {
	netrc := filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(netrc, []byte("machine 127.0.0.1 login ada password sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tls := range []bool{true, false} {
		address, commands := ftpRecorder(t)
		args := []string{"extract", "--netrc-file", netrc, "ftp://ada@" + address + "/x"}
		if tls {
			args = append(args, "--ftp-tls")
		}
		status, _, text := runHere(t, "", args...)
		var sent []string
		for len(commands) > 0 {
			sent = append(sent, <-commands)
		}
		if got := slices.Contains(sent, "PASS sesame"); got == tls || status != 1 {
			t.Errorf("extract with --ftp-tls=%v sends %q and exits with %d (%s)", tls, sent, status, text)
		}
	}
}

// A process that waits for text dies at the first signal, because it has nothing to clean up.
func TestExtractKilled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "locus", "extract")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "http://h/\n"); err != nil {
		t.Error(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "http://h/\n" {
		t.Errorf("read %q, %v, want http://h/", line, err)
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Skip(err)
	}
	if err := command.Wait(); err == nil || ctx.Err() != nil {
		t.Errorf("extract ends with %v, %v, want the signal", err, ctx.Err())
	}
}
