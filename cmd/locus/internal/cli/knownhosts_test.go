package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A host that the user trusts gets a line of its own in known_hosts, also if the file is missing or does not end in a
// line end.
func TestAddKnownHost(t *testing.T) {
	for _, test := range []struct{ before, want string }{
		{"", "h key\ni key\n"},
		{"a key\n", "a key\nh key\ni key\n"},
		{"a key", "a key\nh key\ni key\n"},
		{"\n", "\nh key\ni key\n"},
	} {
		home := t.TempDir()
		name := filepath.Join(home, ".ssh", "known_hosts")
		if test.before != "" {
			if err := os.Mkdir(filepath.Dir(name), 0o700); err != nil {
				t.Fatalf("%q: %v", test.before, err)
			}
			if err := os.WriteFile(name, []byte(test.before), 0o600); err != nil {
				t.Fatalf("%q: %v", test.before, err)
			}
		}
		u := &sshUser{env: newEnv("", map[string]string{"HOME": home, "USERPROFILE": home})}
		for _, line := range []string{"h key", "i key"} {
			if err := u.addKnownHost(line); err != nil {
				t.Errorf("addKnownHost(%q) after %q = %v", line, test.before, err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != test.want {
			t.Errorf("after %q the file has %q, %v, want %q", test.before, got, err, test.want)
		}
		for name, want := range map[string]fs.FileMode{name: 0o600, filepath.Dir(name): 0o700} {
			if info, err := os.Stat(name); err == nil && runtime.GOOS != "windows" && info.Mode().Perm() != want {
				t.Errorf("the mode of %q is %v, want %v", name, info.Mode().Perm(), want)
			}
		}
	}
	if err := (&sshUser{env: newEnv("", nil)}).addKnownHost("h key"); err != nil {
		t.Errorf("addKnownHost without a home = %v, want nil", err)
	}
}
