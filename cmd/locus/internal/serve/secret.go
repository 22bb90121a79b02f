package serve

import (
	"bytes"
	"fmt"
	"io"
	"runtime"

	"locus/cmd/locus/internal/cli"
)

// minSecret is the smallest number of bytes in a secret. A client could guess a shorter secret from
// the forms that the gateway signs with it.
const minSecret = 32

// readSecret reads the secret of a gateway from a file, without the line end. A secret of fewer
// than minSecret bytes is a UsageError. So is a file that others can read or change, as it is for
// the keys of ssh.
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
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 { // Windows has no such modes
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
