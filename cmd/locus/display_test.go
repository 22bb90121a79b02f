//go:build linux

package main

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"locus/demo"
	"locus/internal/peers"
)

// A 3270 session at a terminal has colours, its keys and a status line. At the end the terminal has
// its old state.
//
// req: 1630-inter-1, 1738-3.8-2
func TestOpenTN3270(t *testing.T) {
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	terminal := newTerminal(t, 100, 30)
	before := terminal.state()
	cmd := terminal.locus("open", "tn3270://ada:lovelace@"+d.Service("tn3270").Addr+"/")

	terminal.waitFor(`as "ada" with the password "lovelace"`)
	terminal.waitFor("\x1b[0;1;37mlocus demo")
	terminal.waitFor("\x1b[25H3270    ")
	terminal.waitFor("003/016")
	terminal.types("1\r")
	terminal.waitFor("Greeting")
	terminal.waitFor("003/016")
	terminal.types("Ada\txyzzy")
	terminal.waitFor("004/021")
	terminal.types("\r")
	if shown := terminal.waitFor("Hello, Ada! Your secret has 5 letters."); strings.Contains(shown, "xyzzy") {
		t.Errorf("the terminal shows the hidden field: %q", shown)
	}
	terminal.types("\x1b[H\x1b[D!") // Home, left: a protected field
	terminal.waitFor("X Protected")
	terminal.waitFor("\a")
	terminal.types("\x12\x1bOR") // Reset, PF3
	terminal.waitFor("locus demo")
	terminal.types("\x1d?")
	terminal.waitFor(`as "ada" with the password "lovelace"`)
	terminal.waitFor("z suspends it")
	terminal.types("\x0c") // ^L
	terminal.waitFor("\x1b[2J")
	terminal.waitFor("Option ===>")
	terminal.types("x\r")
	terminal.waitFor("Good bye.")
	terminal.waitFor("\x1b[999H\r\n")
	terminal.waitFor("the session has ended")
	if err := cmd.Wait(); err != nil {
		t.Errorf("locus open tn3270 = %v", err)
	}
	if after := terminal.state(); after != before {
		t.Errorf("the terminal had the state %v, and after open it has %v", before, after)
	}
}

// The session with a real mainframe, on a terminal of 24 rows, is ended by the user.
func TestOpenHercules(t *testing.T) {
	t.Parallel()
	host := peers.Hercules(t)
	terminal := newTerminal(t, 80, 24)
	before := terminal.state()
	cmd := terminal.locus("open", "tn3270://"+host.Addr+"/")
	terminal.waitFor("Hercules Version")
	terminal.waitFor("Copyright (C) 1999-2010 Roger Bowler")
	terminal.types("\x1dq")
	terminal.waitFor("the session has ended")
	if err := cmd.Wait(); err != nil {
		t.Errorf("locus open of hercules = %v", err)
	}
	if after := terminal.state(); after != before {
		t.Errorf("the terminal had the state %v, and after open it has %v", before, after)
	}
}

// Through a pipe, the screen of a real mainframe equals the output of s3270, except for the number
// of the display.
//
// req: 1630-inter-1
func TestDisplayHercules(t *testing.T) {
	host := peers.Hercules(t)
	want := withoutDevice(strings.Join(peers.S3270(t, host.Addr), "\n"))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "open", "tn3270://"+host.Addr+"/")
	cmd.Args[0] = "locus" // testscript.Main runs the command under this name
	keys, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close()
	shown, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	screen, err := bufio.NewReader(shown).ReadString('\f')
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // the test has killed it
	if err != nil {
		t.Fatalf("locus open: %v after %q", err, screen)
	}
	if got := withoutDevice(strings.TrimSuffix(screen, "\f")); got != want {
		t.Errorf("locus open shows\n%s\nwant the screen of s3270,\n%s", got, want)
	}
}

// withoutDevice removes from a screen of hercules the lines that differ between displays, and the
// empty rows at the end.
func withoutDevice(screen string) string {
	rows := slices.DeleteFunc(strings.Split(screen, "\n"), func(row string) bool {
		return strings.HasPrefix(row, " Device number") || strings.HasPrefix(row, " Subchannel")
	})
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}
