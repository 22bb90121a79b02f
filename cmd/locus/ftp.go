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

func ftpFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "ftp-tls", Usage: "talk to ftp servers encrypted, or not at all"},
		&cli.BoolFlag{Name: "ftp-active", Usage: "let ftp servers connect to this machine for data"},
		&cli.BoolFlag{Name: "ftp-direct", Usage: "write ftp files in place, where servers let nobody rename"},
		&cli.StringFlag{Name: "ftp-chmod", Usage: "give stored ftp files this `MODE`, such as 644"},
		&cli.StringFlag{Name: "ftp-account", Usage: "give `TEXT` to ftp servers that want an account"},
		&cli.StringFlag{Name: "ftp-charset", Usage: "write names in the character set `NAME`, such as ISO-8859-1, for old ftp servers"},
	}
}

// ftpClient opens and changes ftp files as the flags of c say, on connections
// that are kept for the next file. The user's e-mail address is what anonymous
// FTP is given for a password.
func ftpClient(c *cli.Command) (ftp.Client, error) {
	client := ftp.Client{
		Pool: &ftp.Pool{}, Email: os.Getenv("EMAIL"), Account: c.String("ftp-account"), Direct: c.Bool("ftp-direct"),
		Security: access.NeverTLS,
	}
	if c.Bool("ftp-tls") {
		client.Security = access.RequireTLS
	}
	if c.Bool("ftp-active") {
		client.Listen = new(net.ListenConfig).Listen
	}
	if mode := c.String("ftp-chmod"); mode != "" {
		if len(mode) > 4 || strings.Trim(mode, "01234567") != "" {
			return client, misuse("--ftp-chmod wants octal digits, such as 644, not %q", mode)
		}
		client.Mode = mode
	}
	if name := c.String("ftp-charset"); strings.EqualFold(name, "utf-8") {
		client.UTF8 = true
	} else if name != "" {
		charset, err := ianaindex.IANA.Encoding(name)
		if err != nil || charset == nil {
			return client, misuse("--ftp-charset: the character set %q is not known; ISO-8859-1 and UTF-8 are", name)
		}
		client.Charset = charset
	}
	return client, nil
}
