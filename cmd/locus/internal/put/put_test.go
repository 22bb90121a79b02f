package put

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
)

// --recursive sends the files of a folder. It takes one folder and a URL, and the flags of trees
// need it.
func TestPutRecursive(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "public"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "public", "a"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := cli.NewEnv(nil, nil, nil).FileURL(dir).String()
	in := clitest.Input{Dir: dir, Env: map[string]string{"XDG_STATE_HOME": filepath.Join(dir, "state")}}
	for _, test := range []struct {
		args           string
		status         int
		stdout, stderr string
	}{
		{"--delete public/a AT/new", 2, "", "--delete needs --recursive"},
		{"--manifest m public/a AT/new", 2, "", "--manifest needs --recursive"},
		{"-r public new", 2, "", "--recursive takes a folder, and then a URL"},
		{"-r AT/public AT/new", 2, "", "--recursive takes a folder, and then a URL"},
		{"-r public public AT/new", 2, "", "--recursive takes one folder and a URL"},
		{"-r --no-clobber public AT/new", 2, "", "--no-clobber cannot be combined with --recursive"},
		{"--shard 1/2 public/a AT/new", 2, "", "--shard needs --recursive"},
		{"-r --shard 1/2 --delete public AT/new", 2, "", "--shard cannot be combined with --delete"},
		{"-r --dry-run --shard 1/2 public AT/new", 0, "put\ta\n", ""},
		{"-r --dry-run --shard 2/2 public AT/new", 0, "", ""},
		{"-r --dry-run public AT/new", 0, "put\ta\n", ""},
		{"-r public AT/new", 0, "", ""},
		{"-r --json public AT/new", 0, `"event":"skipped"`, ""},
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), in, strings.Fields(strings.ReplaceAll(test.args, "AT", at))...)
		if status != test.status || !strings.Contains(stdout, test.stdout) || (stdout == "") != (test.stdout == "") || !strings.Contains(stderr, test.stderr) {
			t.Errorf("put %s = %d, %q, %q; want %d, %q, %q", test.args, status, stdout, stderr, test.status, test.stdout, test.stderr)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "new", "a")); err != nil || string(text) != "text" {
		t.Errorf("after put -r the target has %q, %v", text, err)
	}
}
