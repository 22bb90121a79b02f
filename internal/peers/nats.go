package peers

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// natsProgram builds nats-server, a tool of this module, and returns its file.
var natsProgram = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "tool", "-n", "nats-server").Output()
	return strings.TrimSpace(string(out)), err
})

// NATSCommand returns a command that runs the nats-server of the module in go.mod at port, with
// JetStream, which keeps its streams in dir. flags are more flags of nats-server.
func NATSCommand(t testing.TB, port uint16, dir string, flags ...string) *exec.Cmd {
	t.Helper()
	return natsCommand(t, port, append([]string{"-js", "-sd", dir}, flags...))
}

// natsCommand returns a command that runs nats-server at port, with these flags.
func natsCommand(t testing.TB, port uint16, flags []string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("peers: servers are started on Linux")
	}
	name, err := natsProgram()
	if err != nil {
		t.Fatalf("peers: go tool nats-server: %v", err)
	}
	cmd := exec.Command(name, append([]string{"-a", "127.0.0.1", "-p", strconv.Itoa(int(port))}, flags...)...)
	cmd.SysProcAttr, _ = attributesOf("root") // the user nobody cannot read the cache of go build
	return cmd
}

// NATS starts a nats-server with JetStream and more flags, as NATSCommand describes it.
func NATS(t testing.TB, flags ...string) *Server {
	t.Helper()
	return start(t, "", func(port uint16, scratch string) *exec.Cmd { return NATSCommand(t, port, scratch, flags...) })
}

// NATSWithoutStreams starts a nats-server without JetStream.
func NATSWithoutStreams(t testing.TB) *Server {
	t.Helper()
	return start(t, "", func(port uint16, _ string) *exec.Cmd { return natsCommand(t, port, nil) })
}

// NATSOverTLS starts a nats-server that requires TLS. It requires a certificate from clients,
// too: the certificate of s, whose key is in the file key.
func NATSOverTLS(t testing.TB) (s *Server, key string) {
	t.Helper()
	dir := t.TempDir()
	certificate(t, dir)
	pem, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	s = NATS(t, "--tls", "--tlscert", pem, "--tlskey", key, "--tlsverify", "--tlscacert", pem)
	s.secure(t, dir)
	return s, key
}
