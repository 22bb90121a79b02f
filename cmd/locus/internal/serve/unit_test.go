package serve

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/command"
)

// released returns the text of a file of a release. name starts at the top of the repository.
func released(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../..", name))
	if err != nil {
		t.Fatalf("reading a file of a release: %v", err)
	}
	return string(text)
}

// serve takes the flags of locus.service, with each line of locus.default, and with flags that an
// administrator adds there.
func TestUnitFlags(t *testing.T) {
	t.Parallel()
	_, start, _ := strings.Cut(released(t, "release/files/locus.service"), "\nExecStart=/usr/bin/locus serve ")
	start, _, ok := strings.Cut(start, "\n")
	if !ok {
		t.Fatal("locus.service does not start locus serve")
	}
	var options []string
	for _, line := range regexp.MustCompile(`(?m)^#?LOCUS_OPTIONS=(.*)$`).FindAllStringSubmatch(released(t, "release/files/locus.default"), -1) {
		options = append(options, line[1])
	}
	if len(options) < 4 {
		t.Errorf("locus.default has the options %q, want four lines or more", options)
	}
	options = append(options, "--policy=public --no-cache", "--policy=public --from-warc=none.warc.gz", "--policy=public --cache-size=1G")
	for _, option := range options {
		takes(t, strings.Fields(strings.Replace(start, "$LOCUS_OPTIONS", option, 1)))
	}
}

// serve takes the flags of the container, with flags that its user adds.
func TestContainerFlags(t *testing.T) {
	t.Parallel()
	_, entry, _ := strings.Cut(released(t, "Containerfile"), "\nENTRYPOINT ")
	var args []string
	if err := json.NewDecoder(strings.NewReader(entry)).Decode(&args); err != nil || len(args) < 2 || args[1] != "serve" {
		t.Fatalf("the Containerfile starts %q, %v, want locus serve", args, err)
	}
	for _, option := range []string{"", "--name gate.example.org", "--policy any", "--no-cache", "--from-warc none.warc.gz"} {
		takes(t, slices.Concat(args[2:], strings.Fields(option)))
	}
}

// takes tests that serve takes args. It listens on free ports of this machine instead of the
// addresses in args, and ends at once.
func takes(t *testing.T, args []string) {
	t.Helper()
	dir := t.TempDir()
	stderr, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		t.Fatalf("making a file for stderr: %v", err)
	}
	e := cli.NewEnv(nil, stderr, stderr)
	e.Dir, e.LookupEnv = dir, func(name string) (string, bool) {
		if strings.HasPrefix(name, "XDG_") {
			return dir, true
		}
		return "", false
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &command.Program{Verbs: []command.Maker{{Name: "serve", Make: Verb}}}
	status := p.Run(ctx, e.Env, slices.Concat([]string{"locus", "serve"}, args, []string{"--listen", "127.0.0.1:0", "--admin", "0"}))
	stderr.Close()
	if said, err := os.ReadFile(stderr.Name()); err != nil || status == 2 {
		t.Errorf("serve with the flags %q ends with status %d and says %q, %v; want no misuse", args, status, said, err)
	}
}
