package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"locus"
	"locus/access"
	"locus/internal/charset"
	"locus/proto/ftp"
	"locus/proto/mail"
	"locus/proto/nntp"
	"locus/url"
)

// ftpClient returns the ftp client that o asks for, with a pool of connections. Anonymous
// FTP gets the user's e-mail address as password.
func (e *Env) ftpClient(o Protocols) (ftp.Client, error) {
	client := ftp.Client{Pool: &ftp.Pool{}, Email: e.Getenv("EMAIL"), Account: o.FTPAccount}
	var err error
	if client.Security, err = security("ftp", o.FTPTLS, o.FTPNoTLS); err != nil {
		return client, err
	}
	if o.FTPActive {
		client.Listen = new(net.ListenConfig).Listen
	}
	if name := o.FTPCharset; strings.EqualFold(name, "utf-8") {
		client.UTF8 = true
	} else if name != "" {
		found, ok := charset.Registered(name)
		if !ok {
			return client, Misuse("--ftp-charset: unknown character set %q; ISO-8859-1 and UTF-8 are known", name)
		}
		client.Charset = found
	}
	return client, nil
}

// security returns what --NAME-tls and --NAME-no-tls ask for.
func security(name string, require, never bool) (access.Security, error) {
	switch {
	case require && never:
		return 0, Misuse("--%s-tls and --%[1]s-no-tls exclude each other", name)
	case require:
		return access.RequireTLS, nil
	case never:
		return access.NeverTLS, nil
	}
	return access.OpportunisticTLS, nil
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

// newsClient returns the news client that o and the environment ask for.
func (e *Env) newsClient(o Protocols) (nntp.Client, error) {
	client := nntp.Client{Server: nntp.FindServer(e.Getenv("NNTPSERVER"), os.DirFS("/etc")), User: o.NewsUser}
	var err error
	if client.Security, err = security("news", o.NewsTLS, o.NewsNoTLS); err != nil {
		return client, err
	}
	if o.Spool != "" {
		root, err := e.OpenRoot(o.Spool) // it stays open while the command runs
		if err != nil {
			return client, err
		}
		client.Spool = nntp.NewSpool(root.FS())
	}
	return client, nil
}

// ReceivedMail opens mid and cid URLs in the mail at a place. It opens the mail at the
// first such URL.
type ReceivedMail struct {
	Dial    locus.Dial    // for a place that is an imap or imaps URL
	Idle    time.Duration // of that server; see mail.IMAP
	sources func(locus.Dial, time.Duration) ([]mail.Source, error)
}

// ReceivedMail returns the mail at a place, or at the one that the environment names.
func (e *Env) ReceivedMail(place string) ReceivedMail {
	for _, name := range []string{"LOCUS_MAIL", "MAILDIR", "MAIL"} {
		if place == "" {
			place = e.Getenv(name)
		}
	}
	var (
		once    sync.Once
		sources []mail.Source
		err     error
	)
	return ReceivedMail{sources: func(dial locus.Dial, idle time.Duration) ([]mail.Source, error) {
		once.Do(func() { sources, err = e.mailSources(place, dial, idle) })
		return sources, err
	}}
}

// Do gets or stats a message or a part.
func (r ReceivedMail) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	sources, err := r.sources(r.Dial, r.Idle)
	if err != nil {
		return nil, &access.Error{Op: req.Op.String(), URL: req.URL, Err: err}
	}
	return mail.Client{Sources: sources}.Do(ctx, req)
}

// mailSources returns the mail at a place; none for "".
func (e *Env) mailSources(place string, dial locus.Dial, idle time.Duration) ([]mail.Source, error) {
	if place == "" {
		return nil, nil
	}
	if isMailURL(place) {
		s, err := e.imapSource(place)
		s.Dial, s.Idle = dial, idle
		return []mail.Source{s}, err
	}
	info, err := e.Stat(place)
	if err != nil {
		return nil, fmt.Errorf("look for mail: %w", err)
	}
	place, err = e.Abs(place)
	if err != nil {
		return nil, err
	}
	cache := e.mailCache()
	if info.IsDir() {
		root, err := os.OpenRoot(place)
		return []mail.Source{&mail.Maildir{Root: root, Cache: cache}}, err
	}
	root, err := os.OpenRoot(filepath.Dir(place))
	return []mail.Source{&mail.Mbox{Root: root, Name: filepath.Base(place), Cache: cache}}, err
}

// isMailURL reports whether a place looks like a URL, even if it is invalid. It may hold
// a password, so it is never used as a file name.
func isMailURL(place string) bool {
	lower := strings.ToLower(place)
	return strings.Contains(place, "://") || strings.HasPrefix(lower, "imap:") || strings.HasPrefix(lower, "imaps:")
}

func (e *Env) imapSource(text string) (mail.IMAP, error) {
	u, err := url.Parse(text)
	if err != nil {
		return mail.IMAP{}, Explain(err)
	}
	s, err := mail.ParseIMAP(u)
	if err != nil {
		return s, err
	}
	if s.Password == "" {
		s.User, s.Password, err = e.logins.at(s.Host, s.User, true)
	}
	return s, err
}

// mailCache returns the folder for indexes of mail. Without one it returns nil, and every
// command reads all mail.
func (e *Env) mailCache() *os.Root {
	dir := e.CacheDir()
	if dir == "" {
		return nil
	}
	root, _ := e.MakeRoot(dir, 0o700)
	return root
}
