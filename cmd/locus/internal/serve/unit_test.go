package serve

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/command"
)

// installed returns the text of a file that the packages install.
func installed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../../release/files", name))
	if err != nil {
		t.Fatalf("reading a file of the packages: %v", err)
	}
	return string(text)
}

// serve takes the flags of locus.service, with each line of locus.default, and with flags that an
// administrator adds there.
func TestUnitFlags(t *testing.T) {
	t.Parallel()
	_, start, _ := strings.Cut(installed(t, "locus.service"), "\nExecStart=/usr/bin/locus serve ")
	start, _, ok := strings.Cut(start, "\n")
	if !ok {
		t.Fatal("locus.service does not start locus serve")
	}
	var options []string
	for _, line := range regexp.MustCompile(`(?m)^#?LOCUS_OPTIONS=(.*)$`).FindAllStringSubmatch(installed(t, "locus.default"), -1) {
		options = append(options, line[1])
	}
	if len(options) < 4 {
		t.Errorf("locus.default has the options %q, want four lines or more", options)
	}
	options = append(options, "--policy=public --no-cache", "--policy=public --from-warc=none.warc.gz", "--policy=public --cache-size=1G")
	for _, option := range options {
		dir := t.TempDir()
		args := strings.Fields(strings.NewReplacer("%C", dir, "%S", dir, "$LOCUS_OPTIONS", option, "--listen systemd", "--listen 127.0.0.1:0").Replace(start))
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
		status := p.Run(ctx, e.Env, append([]string{"locus", "serve"}, args...))
		stderr.Close()
		if said, err := os.ReadFile(stderr.Name()); err != nil || status == 2 {
			t.Errorf("the service with the options %q ends with status %d and says %q, %v; want no misuse", option, status, said, err)
		}
	}
}
