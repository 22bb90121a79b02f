package serve

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"locus/cmd/locus/internal/cli"
)

// minSecret is the smallest number of bytes in a secret. A client could guess a shorter secret from
// the forms that the gateway signs with it.
const minSecret = 32

// readSecret reads the secret of a gateway from a file, without the line end. A secret of fewer
// than minSecret bytes is a UsageError. So is a file that others can read or change, as it is for
// the keys of ssh. The group of a credential of systemd may read it: see isCredential.
func readSecret(e *cli.Env, name string) ([]byte, error) {
	f, err := e.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--secret-file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("--secret-file: %w", err)
	}
	others := os.FileMode(0o077)
	if isCredential(e, name) {
		others = 0o037
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&others != 0 { // Windows has no such modes
		return nil, &cli.UsageError{Text: "--secret-file: " + name + ": others can read it or change it", Hint: "chmod 600 " + name}
	}
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("--secret-file: %w", err)
	}
	secret := bytes.TrimRight(text, "\r\n")
	if len(secret) < minSecret {
		return nil, &cli.UsageError{
			Text: fmt.Sprintf("--secret-file: %s has %d bytes, and a secret needs at least %d", name, len(secret), minSecret),
			Hint: "openssl rand -hex 32 writes one",
		}
	}
	return secret, nil
}

// isCredential reports whether a file is in the folder of the service's credentials. Only the service can enter that
// folder. systemd gives the files to the service by an access list, which shows in their modes as 0440.
func isCredential(e *cli.Env, name string) bool {
	folder := e.Getenv("CREDENTIALS_DIRECTORY")
	return folder != "" && filepath.Dir(e.Path(name)) == filepath.Clean(folder)
}
