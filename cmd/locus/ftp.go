package main

import (
	"net"
	"os"
	"strings"

	"github.com/urfave/cli/v3"
	"golang.org/x/text/encoding/ianaindex"

	"locus/access"
	"locus/proto/ftp"
)

// ftpClient returns the ftp client that the flags of c ask for, with a pool of
// connections. Anonymous FTP gets the user's e-mail address as password.
func ftpClient(c *cli.Command) (ftp.Client, error) {
	client := ftp.Client{
		Pool: &ftp.Pool{}, Email: os.Getenv("EMAIL"), Account: c.String("ftp-account"),
		Security: access.NeverTLS,
	}
	if c.Bool("ftp-tls") {
		client.Security = access.RequireTLS
	}
	if c.Bool("ftp-active") {
		client.Listen = new(net.ListenConfig).Listen
	}
	if name := c.String("ftp-charset"); strings.EqualFold(name, "utf-8") {
		client.UTF8 = true
	} else if name != "" {
		charset, err := ianaindex.IANA.Encoding(name)
		if err != nil || charset == nil {
			return client, misuse("--ftp-charset: unknown character set %q; ISO-8859-1 and UTF-8 are known", name)
		}
		client.Charset = charset
	}
	return client, nil
}

// setUploads sets how an ftp client uploads, as the flags of c say.
func setUploads(c *cli.Command, client *ftp.Client) error {
	client.Direct = c.Bool("ftp-direct")
	mode := c.String("ftp-chmod")
	if len(mode) > 4 || strings.Trim(mode, "01234567") != "" {
		return misuse("--ftp-chmod wants octal digits, such as 644, not %q", mode)
	}
	client.Mode = mode
	return nil
}
