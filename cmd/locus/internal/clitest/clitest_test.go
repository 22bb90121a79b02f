package clitest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
)

// echoOptions are the flags and arguments of a verb for tests.
type echoOptions struct {
	Words []string `args:"0-"`
	JSON  bool     `flag:"json"`
}

// newEcho returns a verb that writes what it was given. It fails if its first argument is "fail".
func newEcho() *cli.Verb {
	return cli.New(func(_ context.Context, e *cli.Env, o echoOptions) error {
		typed, err := io.ReadAll(bufio.NewReader(e.Stdin))
		if err != nil {
			return err
		}
		home, isSet := e.LookupEnv("HOME")
		fmt.Fprintf(e.Out, "%q %v %q %q %v %q\n", o.Words, o.JSON, typed, home, isSet, e.Dir)
		if slices.Contains(o.Words, "fail") {
			return cli.ErrReported
		}
		return nil
	}, cli.Verb{Name: "echo", Synopsis: "locus echo [FLAG…] [WORD…]"})
}

// A verb sees the Input and nothing else of the process.
func TestRun(t *testing.T) {
	t.Setenv("HOME", "/home/of/the/process")
	for _, test := range []struct {
		in     clitest.Input
		args   []string
		status int
		stdout string
		stderr string
	}{
		{clitest.Input{}, nil, 0, "[] false \"\" \"\" false \"\"\n", ""},
		{clitest.Input{Stdin: "a\x00b\n", Dir: "d", Env: map[string]string{"HOME": ""}}, []string{"x", "--json"}, 0, "[\"x\"] true \"a\\x00b\\n\" \"\" true \"d\"\n", ""},
		{clitest.Input{}, []string{"fail"}, 1, "[\"fail\"] false \"\" \"\" false \"\"\n", ""},
		{clitest.Input{}, []string{"-x"}, 2, "", "locus: unknown flag -x\nlocus: hint: locus help echo\n"},
	} {
		status, stdout, stderr := clitest.Run(t, newEcho(), test.in, test.args...)
		if status != test.status || stdout != test.stdout || stderr != test.stderr {
			t.Errorf("Run(%+v, %q) = %d, %q, %q, want %d, %q, %q", test.in, test.args, status, stdout, stderr, test.status, test.stdout, test.stderr)
		}
	}
}

// No port is returned twice.
func TestFreePorts(t *testing.T) {
	const n = 300
	ports := clitest.FreePorts(t, n)
	slices.Sort(ports)
	if len(ports) != n || len(slices.Compact(slices.Clone(ports))) != n {
		t.Errorf("FreePorts(%d) = %v, want as many different ports", n, ports)
	}
}
