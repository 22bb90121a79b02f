// Package killtest kills processes of the command, and servers that it uses, and runs the
// command again. It has only tests. They mostly wait, so they run beside those of the
// command, and more of them at once than there are processors.
package killtest

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"locus/cmd/locus/internal/check"
	"locus/cmd/locus/internal/mirror"
	"locus/cmd/locus/internal/put"
	"locus/internal/command"
)

func TestMain(m *testing.M) {
	// What is built for the race detector waits for a second before it ends well.
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", "atexit_sleep_ms=10")
	}
	if err := flag.Set("test.parallel", "3"); err != nil { // a flag -parallel still counts
		panic(err)
	}
	testscript.Main(m, map[string]func(){"locus": runLocus})
}

// runLocus is the command in a process of its own, with the verbs that are killed.
func runLocus() {
	e := command.NewEnv(os.Stdin, os.Stdout, os.Stderr)
	e.LookupEnv = os.LookupEnv
	p := &command.Program{Verbs: []command.Maker{{Name: "check", Make: check.Verb}, {Name: "mirror", Make: mirror.Verb}, {Name: "put", Make: put.Verb}}}
	os.Exit(p.Run(context.Background(), e, os.Args))
}
