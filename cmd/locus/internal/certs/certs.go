// Package certs keeps certificates in files: the certificates that a [server.Server] gets by ACME (RFC 8555), and
// the certificate of the authority of a [server.Interceptor].
package certs

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"locus/server"
)

// An ACME gets certificates from an authority, and renews them. Set Hosts and Folder. By using an
// ACME you agree to the terms of the authority.
type ACME struct {
	Hosts     []string // the only names that get a certificate
	Folder    string   // for the certificates and their keys; TLS makes it with mode 0700
	Directory string   // the URL of the authority; "": Let's Encrypt
}

// TLS returns a configuration that gets the certificate of a host when the first client asks for
// that host. The authority then connects to port 443 of the host to verify that this server
// controls the host (RFC 8737). TLS itself connects to no server.
func (a ACME) TLS() (*tls.Config, error) {
	manager := &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		Cache:      autocert.DirCache(a.Folder),
		HostPolicy: autocert.HostWhitelist(a.Hosts...),
		Client:     &acme.Client{DirectoryURL: a.Directory, UserAgent: "locus"},
	}
	config, err := server.TLSConfig(manager.GetCertificate, nil)
	if err == nil {
		config.NextProtos = []string{acme.ALPNProto}
	}
	return config, err
}

// Errors of [OpenAuthority], besides server.ErrKeyInCertificate.
var (
	// ErrExposed is the error if others can read or change the file of the key.
	ErrExposed = errors.New("others can read it or change it")
	// ErrIncomplete is the error if only one of the two files exists.
	ErrIncomplete = errors.New("only one of the two files exists")
	// ErrInvalid is the error if the files do not contain a valid authority.
	ErrInvalid = errors.New("invalid authority")
)

// A classified error has the text of err, and also wraps class, for errors.Is.
type classified struct{ err, class error }

func (c *classified) Error() string   { return c.err.Error() }
func (c *classified) Unwrap() []error { return []error{c.err, c.class} }

// KeyFile returns the name of the file for the key of a certificate, from the name of the
// certificate's file. As mkcert does, it puts ca-key.pem beside ca.pem.
func KeyFile(certificate string) string {
	ext := filepath.Ext(certificate)
	return strings.TrimSuffix(certificate, ext) + "-key" + ext
}

// OpenAuthority reads an authority: its certificate from a file, and its key from [KeyFile]. If neither file exists, it
// makes both files, and isNew is true. The folder must exist. OpenAuthority does not change existing files. If only one
// of the files exists, or if others can read the key, it returns an error: see [ErrIncomplete] and [ErrExposed].
func OpenAuthority(certificate string) (a *server.Authority, isNew bool, err error) {
	key := KeyFile(certificate)
	text, err := os.ReadFile(certificate)
	keyText, keyErr := os.ReadFile(key)
	if errors.Is(err, fs.ErrNotExist) && errors.Is(keyErr, fs.ErrNotExist) {
		a, err = makeAuthority(certificate, key)
		return a, err == nil, err
	}
	if err == nil {
		err = keyErr
	}
	a, invalid := server.ReadAuthority(text, keyText)
	switch {
	case errors.Is(invalid, server.ErrKeyInCertificate):
		return nil, false, invalid
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, &classified{err, ErrIncomplete}
	case err != nil:
		return nil, false, err
	}
	info, err := os.Stat(key)
	switch {
	case err != nil:
		return nil, false, err
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0: // because the modes of Windows do not say who may read
		return nil, false, ErrExposed
	case invalid != nil:
		return nil, false, &classified{invalid, ErrInvalid}
	}
	return a, false, nil
}

// makeAuthority returns a new authority, and writes its certificate and its key to two files, which must not exist.
// If it fails, it leaves neither file.
func makeAuthority(certificate, key string) (*server.Authority, error) {
	a, err := server.NewAuthority()
	if err != nil {
		return nil, err
	}
	keyText, err := a.KeyPEM()
	if err != nil {
		return nil, err
	}
	folder, err := os.OpenRoot(filepath.Dir(certificate))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	if err := create(folder, filepath.Base(key), keyText, 0o600); err != nil {
		return nil, err
	}
	if err := create(folder, filepath.Base(certificate), a.PEM(), 0o644); err != nil {
		return nil, errors.Join(err, folder.Remove(filepath.Base(key)))
	}
	return a, nil
}

// create writes text to a new file with the given mode. It returns an error, and leaves no new file, if the name
// exists or the text cannot be written.
func create(folder *os.Root, name string, text []byte, mode fs.FileMode) error {
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, folder.Remove(name))
	}
	return nil
}
