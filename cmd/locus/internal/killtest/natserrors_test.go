package killtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
	"locus/internal/peers"
)

// Each way in which a server of --nats refuses a run ends the command at once, with the reason and the
// remedy for this reason.
func TestNATSErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list, refused := filepath.Join(dir, "list.txt"), filepath.Join(dir, "nats.conf")
	if err := os.WriteFile(list, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(refused, []byte(`authorization { users = [ { user: u, password: p, permissions: { publish: { deny: ">" } } } ] }`), 0o600); err != nil {
		t.Fatal(err)
	}
	plain := peers.NATSWithoutStreams(t).Addr
	locked := peers.NATS(t, "--user", "u", "--pass", "p").Addr
	signed, creds := peers.NATSWithCredentials(t)
	_, others := peers.NATSWithCredentials(t)
	secure, key := peers.NATSOverTLS(t)
	denied := peers.NATS(t, "-c", refused).Addr
	nobody := clitest.FreePorts(t, 1)[0]
	const (
		noStreams = "hint: run the server with JetStream: nats-server -js"
		login     = "hint: log in with --nats-creds FILE, or with --nats nats://USER:PASSWORD@HOST"
	)
	for _, test := range []struct {
		server string
		args   []string
		want   []string // parts of the output; nil for a successful run
	}{
		{plain, []string{list}, []string{"JetStream is not enabled", noStreams}},
		{plain, []string{"--join"}, []string{"JetStream is not enabled", noStreams}},
		{plain, []string{"--list-runs"}, []string{"JetStream is not enabled", noStreams}},
		{plain, []string{"--forget-run"}, []string{"JetStream is not enabled", noStreams}},
		{fmt.Sprintf("127.0.0.1:%d", nobody), []string{list}, []string{"connect to --nats", noStreams}},
		{"tls://" + plain, []string{list}, []string{"secure connection not available", "hint: the server does not use TLS"}},
		{locked, []string{list}, []string{"Authorization Violation", login}},
		{"nats://u:wrong@" + locked, []string{"--list-runs"}, []string{"Authorization Violation", login}},
		{"nats://u:p@" + locked, []string{list}, nil},
		{signed.Addr, []string{list}, []string{"Authorization Violation", login}},
		{signed.Addr, []string{list, "--nats-creds", others}, []string{"Authorization Violation", login}},
		{signed.Addr, []string{list, "--nats-creds", creds}, nil},
		{signed.Addr, []string{list, "--nats-creds", filepath.Join(dir, "none")}, []string{"--nats-creds: open"}},
		{secure.Addr, []string{list}, []string{"certificate", "hint: name the authority that signed"}},
		{secure.Addr, []string{list, "--nats-ca", secure.PEM}, []string{"tls", "hint: present a client certificate with --nats-cert and --nats-key"}},
		{secure.Addr, []string{list, "--nats-ca", secure.PEM, "--nats-cert", secure.PEM, "--nats-key", key}, nil},
		{"nats://u:p@" + denied, []string{list}, []string{"locus: --nats: nats: permissions violation", "connection closed", login}},
	} {
		t.Run(test.server+" "+strings.Join(test.args, " "), func(t *testing.T) {
			t.Parallel()
			args := append([]string{"check", "--nats", test.server, "--run", "errors"}, test.args...)
			out, err := process(t.Context(), args...).CombinedOutput()
			if (err == nil) != (test.want == nil) {
				t.Errorf("locus %q: %v\n%s", args, err, out)
			}
			for _, want := range test.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("locus %q prints\n%swant %q", args, out, want)
				}
			}
			for line := range strings.Lines(string(out)) {
				if test.want != nil && !strings.HasPrefix(line, "locus: ") {
					t.Errorf("locus %q prints %q, want lines that begin with %q", args, line, "locus: ")
				}
			}
			if strings.Count(string(out), "hint: ") > 1 {
				t.Errorf("locus %q prints several hints:\n%s", args, out)
			}
		})
	}
}
