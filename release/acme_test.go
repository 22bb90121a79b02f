package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The gateway gets a certificate from Pebble, a small authority that Let's Encrypt tests
// with. Pebble verifies that the gateway has the host.
func TestACME(t *testing.T) {
	r := buildRelease(t)
	folder := t.TempDir()
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	build := exec.CommandContext(ctx, "go", "build", "-o", folder, "github.com/letsencrypt/pebble/v2/cmd/pebble", "github.com/letsencrypt/pebble/v2/cmd/pebble-challtestsrv")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build pebble: %v\n%s", err, out)
	}

	// Every name has the address 127.0.0.1.
	dns := freePort(t)
	start(ctx, t, "Starting management server", exec.CommandContext(ctx, filepath.Join(folder, "pebble-challtestsrv"), "-defaultIPv4", "127.0.0.1", "-defaultIPv6", "",
		"-dnsserver", dns, "-http01", "", "-https01", "", "-doh", "", "-tlsalpn01", "", "-management", freePort(t)))

	gateway, directory, management := freePort(t), freePort(t), freePort(t)
	_, port, _ := net.SplitHostPort(gateway)
	writeCertificate(t, folder)
	config := fmt.Sprintf(`{"pebble": {"listenAddress": %q, "managementListenAddress": %q, "certificate": %q, "privateKey": %q,
		"httpPort": 1, "tlsPort": %s, "profiles": {"default": {"description": "", "validityPeriod": 86400}}}}`,
		directory, management, filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem"), port)
	if err := os.WriteFile(filepath.Join(folder, "pebble.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	pebble := exec.CommandContext(ctx, filepath.Join(folder, "pebble"), "-config", filepath.Join(folder, "pebble.json"), "-dnsserver", dns)
	pebble.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0")
	start(ctx, t, "ACME directory available", pebble)

	state := filepath.Join(folder, "state")
	locus := exec.CommandContext(ctx, r.binary(host()), "serve", "--listen", gateway, "--no-proxy", "--no-cache",
		"--acme", "gate.example.org", "--acme-directory", "https://"+directory+"/dir", "--acme-state", state)
	locus.Env = append(os.Environ(), "SSL_CERT_FILE="+filepath.Join(folder, "cert.pem"))
	start(ctx, t, "the gateway is at https://"+gateway, locus)

	authority := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // the test does not check Pebble's own certificate
	resp, err := authority.Get("https://" + management + "/roots/0")
	if err != nil {
		t.Fatal(err)
	}
	root, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(root) {
		t.Fatalf("the root of Pebble is %q", root)
	}
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, gateway)
		},
	}}
	resp, err = client.Get("https://gate.example.org/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the front page: %s", resp.Status)
	}
	if kept, err := os.ReadDir(state); err != nil || len(kept) != 2 {
		t.Errorf("%d files are kept, want the account and the certificate: %v", len(kept), err)
	}
	// It does not get a certificate for other hosts.
	if resp, err := client.Get("https://other.example.org/"); err == nil {
		resp.Body.Close()
		t.Error("there is a certificate for another host")
	}
}

// freePort returns a free address. Another program may take it.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start starts a program, waits until it prints ready, and returns its output so far. The
// program is killed when the test ends.
func start(ctx context.Context, t *testing.T, ready string, cmd *exec.Cmd) string {
	t.Helper()
	read, written, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = written, written
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	written.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have already ended
		_ = cmd.Wait()
		read.Close()
	})
	var said bytes.Buffer
	for lines := bufio.NewScanner(read); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), ready) {
			go io.Copy(io.Discard, read) // the log
			return said.String()
		}
	}
	t.Fatalf("%s did not say %q: %v\n%s", cmd.Path, ready, ctx.Err(), said.Bytes())
	return ""
}

// writeCertificate writes a certificate for 127.0.0.1, and its key.
func writeCertificate(t *testing.T, folder string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
