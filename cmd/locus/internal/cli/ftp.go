package cli

import (
	"net"
	"strings"

	"golang.org/x/text/encoding/ianaindex"

	"locus/access"
	"locus/proto/ftp"
)

// ftpClient returns the ftp client that o asks for, with a pool of connections. Anonymous
// FTP gets the user's e-mail address as password.
func (e *Env) ftpClient(o Protocols) (ftp.Client, error) {
	client := ftp.Client{Pool: &ftp.Pool{}, Email: e.Getenv("EMAIL"), Account: o.FTPAccount}
	switch {
	case o.FTPTLS && o.FTPNoTLS:
		return client, Misuse("--ftp-tls and --ftp-no-tls exclude each other")
	case o.FTPTLS:
		client.Security = access.RequireTLS
	case o.FTPNoTLS:
		client.Security = access.NeverTLS
	}
	if o.FTPActive {
		client.Listen = new(net.ListenConfig).Listen
	}
	if name := o.FTPCharset; strings.EqualFold(name, "utf-8") {
		client.UTF8 = true
	} else if name != "" {
		charset, err := ianaindex.IANA.Encoding(name)
		if err != nil || charset == nil {
			return client, Misuse("--ftp-charset: unknown character set %q; ISO-8859-1 and UTF-8 are known", name)
		}
		client.Charset = charset
	}
	return client, nil
}

// Set sets how an ftp client uploads.
func (o Upload) Set(client *ftp.Client) error {
	client.Direct = o.FTPDirect
	mode := o.FTPChmod
	if len(mode) > 4 || strings.Trim(mode, "01234567") != "" {
		return Misuse("--ftp-chmod wants octal digits, such as 644, not %q", mode)
	}
	client.Mode = mode
	return nil
}
