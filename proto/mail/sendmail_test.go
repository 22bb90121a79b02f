package mail_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"locus/proto/mail"
)

// fakeSendmail makes a program that keeps its arguments and its input in a new directory, and exits
// with a status.
func fakeSendmail(t *testing.T, status string) (program, dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir = t.TempDir()
	program = filepath.Join(dir, "sendmail")
	script := "#!/bin/sh\necho \"$@\" > " + dir + "/args\ncat > " + dir + "/text\necho said\necho wrong >&2\nexit " + status + "\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return program, dir
}

func outgoingBy(t *testing.T, r io.Reader) *mail.Outgoing {
	t.Helper()
	m, err := mail.ReadOutgoing(r, "-x@example.org", time.Now(), "h.example")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const withBcc = "From: a@example.org\r\nTo: b@example.org\r\nBcc: c@example.org\r\n\r\ntext\r\n"

// The program gets the addresses as arguments that cannot be options, and lines that end in LF.
// Send returns its status.
func TestSendmail(t *testing.T) {
	for _, status := range []string{"0", "75"} {
		program, dir := fakeSendmail(t, status)
		var output strings.Builder
		err := mail.Sendmail{Path: program, Output: &output}.Send(t.Context(), outgoingBy(t, strings.NewReader(withBcc)))
		if (err == nil) != (status == "0") || err != nil && err.Error() != "send with "+program+": exit status 75" {
			t.Errorf("with status %s of the program: %v", status, err)
		}
		args, _ := os.ReadFile(filepath.Join(dir, "args"))
		text, _ := os.ReadFile(filepath.Join(dir, "text"))
		if string(args) != "-i -f -x@example.org -- b@example.org c@example.org\n" || !strings.HasSuffix(string(text), "\n\ntext\n") || strings.Contains(string(text), "\r") || strings.Contains(string(text), "Bcc") {
			t.Errorf("the program with status %s gets %q and %q", status, args, text)
		}
		if got := output.String(); !strings.Contains(got, "said") || !strings.Contains(got, "wrong") {
			t.Errorf("the output of the program with status %s is %q", status, got)
		}
	}
}

// If the message breaks off, the program is killed before it ends. Send runs it with Command, and
// Output may be nil.
func TestSendmailBrokenMessage(t *testing.T) {
	program, dir := fakeSendmail(t, "0")
	broken := errors.New("broken")
	ran := ""
	s := mail.Sendmail{Path: program, Command: func(ctx context.Context, name string, args ...string) *exec.Cmd {
		ran = name
		return exec.CommandContext(ctx, name, args...)
	}}
	// The message is larger than a pipe, so that the program must read before the error comes.
	half := io.MultiReader(strings.NewReader(withBcc+strings.Repeat("text\r\n", 100_000)), iotest.ErrReader(broken))
	if err := s.Send(t.Context(), outgoingBy(t, half)); !errors.Is(err, broken) || ran != program {
		t.Errorf("Send = %v by %q, want that the message is broken", err, ran)
	}
	if _, err := os.Stat(filepath.Join(dir, "args")); err != nil {
		t.Errorf("the program was not run: %v", err)
	}
	none := mail.Sendmail{Path: filepath.Join(dir, "none")}
	if err := none.Send(t.Context(), outgoingBy(t, strings.NewReader(withBcc))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Send without a program = %v", err)
	}
}

func TestFindSendmail(t *testing.T) {
	for _, there := range []string{"sendmail", "/usr/sbin/sendmail", "/usr/lib/sendmail", ""} {
		got, err := mail.FindSendmail(func(name string) (string, error) {
			if name != there {
				return "", exec.ErrNotFound
			}
			return "/found/" + name, nil
		})
		if there == "" {
			if !errors.Is(err, mail.ErrNoSendmail) {
				t.Errorf("FindSendmail with the program %q = %q, %v, want %v", there, got, err, mail.ErrNoSendmail)
			}
			continue
		}
		if got != "/found/"+there || err != nil {
			t.Errorf("FindSendmail with %s = %q, %v", there, got, err)
		}
	}
}

// IsThisMachine accepts the name localhost and loopback addresses.
func TestIsThisMachine(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "127.0.0.1": true, "127.8.8.8": true, "::1": true, "::ffff:127.0.0.1": true,
		"h": false, "localhost.example": false, "10.0.0.1": false, "": false,
	} {
		if got := (mail.SMTP{Host: host}).IsThisMachine(); got != want {
			t.Errorf("IsThisMachine with the host %q = %v", host, got)
		}
	}
}
