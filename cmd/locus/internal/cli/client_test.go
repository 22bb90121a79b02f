package cli

import (
	"os"
	"path/filepath"
	"testing"

	"locus"
)

// --min-rate sets the client's MinRate, in which -1 means no limit.
func TestMinRate(t *testing.T) {
	for text, want := range map[string]int64{"0": -1, "1": 1, "2K": 2048} {
		value, err := Spec("min-rate").Kind.Parse("min-rate", text)
		if err != nil || value != want {
			t.Errorf("--min-rate %s is %v, %v, want %d", text, value, err, want)
			continue
		}
		client := &Client{Client: &locus.Client{}}
		client.Limit(Fetch{MinRate: want})
		if client.MinRate != want {
			t.Errorf("with --min-rate %s, MinRate is %d, want %d", text, client.MinRate, want)
		}
	}
	if _, err := Spec("min-rate").Kind.Parse("min-rate", "-1"); err == nil {
		t.Error("--min-rate -1 = nil, want an error")
	}
}

// .netrc is read once for all servers.
func TestNetrcIsReadOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(name, []byte("machine h login ada password sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := NewEnv(nil, nil, nil)
	o := Login{NetrcFile: name}
	if err := e.ReadLogins(o); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if _, password, err := e.LoginAt(o, "h", "ada"); password != "sesame" || err != nil {
		t.Errorf("after .netrc has changed, the password is %q, %v, want the old password", password, err)
	}
}
