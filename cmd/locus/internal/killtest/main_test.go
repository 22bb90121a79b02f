// Package killtest kills processes of the command and servers that it uses, and then runs the
// command again. It has only tests. They mostly wait, so they are in a package of their own: they
// run beside the tests of the command, and more of them run in parallel than there are processors.
//
// The command is built without the race detector, because the race detector would take most of the
// processor time. The tests of packages check, stream and transfer run the same code with it.
package killtest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"

	// These imports make go test run cached tests again when the command changes.
	_ "locus/cmd/locus/internal/check"
	"locus/cmd/locus/internal/clitest"
	_ "locus/cmd/locus/internal/mirror"
	_ "locus/cmd/locus/internal/put"
)

// program is the file of the command.
var program string

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "5"); err != nil { // the flag -parallel overrides it
		panic(err)
	}
	status, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// runTests builds the command, and runs the tests.
func runTests(m *testing.M) (status int, err error) {
	dir, err := os.MkdirTemp("", "locus-killtest-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if program, err = clitest.Build(dir); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// process returns a process of the command. It is killed when ctx ends.
func process(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, program, args...)
}
