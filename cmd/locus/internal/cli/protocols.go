package cli

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"

	"locus/access"
	"locus/internal/charset"
	"locus/proto/ftp"
	"locus/proto/mail"
	"locus/proto/nntp"
)

// ftpClient returns the ftp client that o asks for, with a pool of connections. Anonymous FTP gets
// the user's e-mail address as password. Flags that contradict each other, and an unknown character
// set, are UsageErrors.
func (e *Env) ftpClient(o Protocols) (ftp.Client, error) {
	client := ftp.Client{
		Pool: &ftp.Pool{}, Email: e.Getenv("EMAIL"), Account: o.FTPAccount,
		Binary: true, UnixText: runtime.GOOS != "windows", // files are as they are on the server, and texts as here
	}
	var err error
	if client.Security, err = security("ftp", o.FTPTLS, o.FTPNoTLS); err != nil {
		return client, err
	}
	switch o.FTPPassive {
	case "epsv":
		client.Passive = ftp.OnlyEPSV
	case "pasv":
		client.Passive = ftp.OnlyPASV
	}
	if o.FTPActive && o.FTPPassive != "" {
		return client, Misuse("--ftp-active and --ftp-passive cannot be combined")
	}
	if o.FTPActive {
		client.Listen = new(net.ListenConfig).Listen
	}
	if name := o.FTPCharset; strings.EqualFold(name, "utf-8") {
		client.UTF8 = true
	} else if name != "" {
		found, ok := charset.Registered(name)
		if !ok {
			return client, Misuse("--ftp-charset: unknown character set %q; try one such as ISO-8859-1 or UTF-8", name)
		}
		client.Charset = found
	}
	return client, nil
}

// security returns the security that --NAME-tls (require) and --NAME-no-tls (never) ask for, and OpportunisticTLS if
// neither is given. Both together are a UsageError.
func security(name string, require, never bool) (access.Security, error) {
	switch {
	case require && never:
		return 0, Misuse("--%s-tls and --%[1]s-no-tls cannot be combined", name)
	case require:
		return access.RequireTLS, nil
	case never:
		return access.NeverTLS, nil
	}
	return access.OpportunisticTLS, nil
}

// Set sets the fields of client for the flags. It returns a UsageError if --ftp-chmod is not an octal mode.
func (o Upload) Set(client *ftp.Client) error {
	client.Direct = o.FTPDirect
	mode := o.FTPChmod
	if len(mode) > 4 || strings.Trim(mode, "01234567") != "" {
		return Misuse("--ftp-chmod must be octal digits, such as 644, not %q", mode)
	}
	client.Mode = mode
	return nil
}

// newsClient returns the news client that o and the environment ask for. It opens the folder of --spool, and returns
// an error if that fails. Flags that contradict each other are a UsageError.
func (e *Env) newsClient(o Protocols) (nntp.Client, error) {
	named := cmp.Or(o.NewsServer, e.Getenv("NNTPSERVER"))
	client := nntp.Client{Server: nntp.FindServer(named, os.DirFS("/etc")), User: o.NewsUser}
	var err error
	if client.Security, err = security("news", o.NewsTLS, o.NewsNoTLS); err != nil {
		return client, err
	}
	if o.Spool != "" {
		root, err := e.OpenRoot(o.Spool) // it stays open while the command runs
		if err != nil {
			return client, fmt.Errorf("--spool: %w", err)
		}
		client.Spool = nntp.NewSpool(root.FS())
	}
	return client, nil
}

// ReceivedMail returns an engine that finds mid and cid URLs in the mail at a place: a Maildir, an mbox or an imap
// URL. If place is "", the place comes from LOCUS_MAIL, MAILDIR or MAIL.
func (e *Env) ReceivedMail(place string) *mail.Mailbox {
	for _, name := range []string{"LOCUS_MAIL", "MAILDIR", "MAIL"} {
		if place == "" {
			place = e.Getenv(name)
		}
	}
	return &mail.Mailbox{
		Name: place, Path: e.Path, Cache: e.mailCache,
		Login: func(host, user string) (login, password string, err error) { return e.logins.At(host, user, true) },
	}
}

// CheckMail returns an error if mail cannot be found at place, the value of --mail. It returns nil for "".
func (e *Env) CheckMail(place string) error {
	if place == "" {
		return nil
	}
	return FileError("--mail", e.ReceivedMail(place).Check())
}

// mailCache opens the folder for indexes of mail. It returns nil if the folder cannot be opened;
// every command then reads all mail.
func (e *Env) mailCache() *os.Root {
	dir := e.CacheDir()
	if dir == "" {
		return nil
	}
	root, _ := e.MakeRoot(dir, 0o700)
	return root
}
