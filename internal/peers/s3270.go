package peers

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// S3270 connects s3270, a 3270 display of model 2 without a screen, to a host, for at
// most a minute. It runs actions, such as "String(ada)" and "Enter()", each after the
// host has answered the last. It returns the rows of the screen, without trailing
// blanks.
func S3270(t testing.TB, addr string, actions ...string) []string {
	t.Helper()
	dir := tree(t, "s3270")
	script := []string{"Connect(" + addr + ")"}
	for _, action := range append(actions, "Ascii()") {
		script = append(script, "Wait(30,Unlock)", action)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s3270 := program(dir, "usr/bin/s3270", "-model", "3279-2-E", "-codepage", "cp037", "-utf8")
	cmd := exec.CommandContext(ctx, s3270.Path, s3270.Args[1:]...)
	cmd.Env, cmd.SysProcAttr = s3270.Env, attributes()
	cmd.Stdin = strings.NewReader(lines(script...))
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("peers: s3270: %v\n%s", err, output)
	}
	var rows []string
	for line := range strings.Lines(string(output)) {
		if row, ok := strings.CutPrefix(line, "data: "); ok {
			rows = append(rows, strings.TrimRight(row, " \r\n"))
		}
	}
	if len(rows) != 24 {
		t.Fatalf("peers: s3270 shows no screen of 24 rows:\n%s", output)
	}
	return rows
}
