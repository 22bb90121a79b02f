package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
	"locus/internal/certtest"
)

// If a file that a flag names cannot be read, the exit status is 1. If its content is wrong, the status is 2. The
// error names the flag, or the file with the wrong content.
func TestFlagFiles(t *testing.T) {
	t.Parallel()
	tested := []string{
		// These flags name files that the command writes, or also writes.
		"output", "sarif", "html", "junit", "markdown", "warc", "manifest", "since", "proxy-ca",
	}
	pair, _ := certtest.New(t)
	for _, test := range []struct {
		flag  string
		args  string // FILE stands for the name of the file, cert.pem and key.pem are a valid certificate and its key
		wrong string // the content of the file; "": any content is accepted
	}{
		{"auth", "serve --listen 127.0.0.1:0 --auth FILE", "ada:secret"},
		{"baseline", "check --baseline FILE page.html", "garbage"},
		{"cert", "get --cert FILE --key key.pem gemini://127.0.0.1:1/", "garbage"},
		{"key", "get --cert cert.pem --key FILE gemini://127.0.0.1:1/", "garbage"},
		{"checksum-file", "get --checksum-file FILE -o out page.html", "garbage"},
		{"client-ca", "serve --listen 127.0.0.1:0 --tls-cert cert.pem --tls-key key.pem --client-ca FILE", "garbage"},
		{"config", "check --config FILE page.html", "garbage"},
		{"from-warc", "get --from-warc FILE http://h/", "garbage"},
		{"from-warc", "ls --from-warc FILE http://h/", "garbage"},
		{"from-warc", "serve --listen 127.0.0.1:0 --from-warc FILE", "garbage"},
		{"input", "get --input FILE", ""},
		{"mail", "get --mail FILE mid:a@b", "garbage"},
		{"mail", "serve --listen 127.0.0.1:0 --no-cache --mail FILE", "garbage"},
		{"metalink", "get --metalink FILE", "garbage"},
		{"nats-ca", "check --nats nats://127.0.0.1:1 --nats-ca FILE page.html", "garbage"},
		{"nats-cert", "check --nats nats://127.0.0.1:1 --nats-cert FILE --nats-key key.pem page.html", "garbage"},
		{"nats-creds", "check --nats nats://127.0.0.1:1 --nats-creds FILE page.html", "garbage"},
		{"nats-key", "check --nats nats://127.0.0.1:1 --nats-key FILE --nats-cert cert.pem page.html", "garbage"},
		{"netrc-file", "get --netrc-file FILE ftp://127.0.0.1:1/", ""},
		{"places", "serve --listen 127.0.0.1:0 --no-cache --places FILE", "=> garbage"},
		{"start", "serve --listen 127.0.0.1:0 --no-cache --start FILE", "=> garbage"},
		{"password-file", "get --password-file FILE ftp://ada@127.0.0.1:1/", "\n"},
		{"secret-file", "serve --listen 127.0.0.1:0 --no-cache --secret-file FILE", "short"},
		{"tls-cert", "serve --listen 127.0.0.1:0 --tls-cert FILE --tls-key key.pem", "garbage"},
		{"tls-key", "serve --listen 127.0.0.1:0 --tls-key FILE --tls-cert cert.pem", "garbage"},
	} {
		tested = append(tested, test.flag)
		for name, want := range map[string]int{"missing": 1, "wrong": 2} {
			if name == "wrong" && test.wrong == "" {
				continue
			}
			dir := t.TempDir()
			write := func(name, text string) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("wrong", test.wrong)
			write("page.html", "<p>")
			certtest.Write(t, dir, pair)
			args := strings.Fields(strings.ReplaceAll(test.args, "FILE", name))
			verb, err := program().Find(args[0])
			if err != nil {
				t.Fatalf("Find(%q): %v", args[0], err)
			}
			status, _, stderr := clitest.Run(t, verb, clitest.Input{Dir: dir}, args[1:]...)
			namesFlag, namesFile := strings.Contains(stderr, "--"+test.flag), strings.Contains(stderr, name)
			if status != want || !namesFlag && !namesFile || name == "missing" && !namesFlag {
				t.Errorf("locus %q: status %d, want %d; stderr %q must name --%s, or a file with wrong content", args, status, want, stderr, test.flag)
			}
		}
	}
	for _, f := range cli.AllFlags() {
		if value, _ := f.Text(); strings.Contains(value, "FILE") && !slices.Contains(tested, f.Name) {
			t.Errorf("--%s %s is not tested", f.Name, value)
		}
	}
}
