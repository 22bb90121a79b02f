package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"locus"
	"locus/access"
	"locus/proto/mail"
	"locus/url"
)

// receivedMail opens mid and cid URLs in the mail at a place. It opens the mail at the
// first such URL.
type receivedMail struct {
	dial    locus.Dial    // for a place that is an imap or imaps URL
	idle    time.Duration // of that server; see mail.IMAP
	sources func(locus.Dial, time.Duration) ([]mail.Source, error)
}

// receivedMail returns the mail at the place in the flag or the environment.
func (p *process) receivedMail(flag string) receivedMail {
	place := flag
	for _, name := range []string{"LOCUS_MAIL", "MAILDIR", "MAIL"} {
		if place == "" {
			place = os.Getenv(name)
		}
	}
	var (
		once    sync.Once
		sources []mail.Source
		err     error
	)
	return receivedMail{sources: func(dial locus.Dial, idle time.Duration) ([]mail.Source, error) {
		once.Do(func() { sources, err = p.logins.mailSources(place, dial, idle) })
		return sources, err
	}}
}

// Do gets or stats a message or a part.
func (r receivedMail) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	sources, err := r.sources(r.dial, r.idle)
	if err != nil {
		return nil, &access.Error{Op: req.Op.String(), URL: req.URL, Err: err}
	}
	return mail.Client{Sources: sources}.Do(ctx, req)
}

// mailSources returns the mail at a place; none for "".
func (l *logins) mailSources(place string, dial locus.Dial, idle time.Duration) ([]mail.Source, error) {
	if place == "" {
		return nil, nil
	}
	if isMailURL(place) {
		s, err := l.imapSource(place)
		s.Dial, s.Idle = dial, idle
		return []mail.Source{s}, err
	}
	info, err := os.Stat(place)
	if err != nil {
		return nil, fmt.Errorf("look for mail: %w", err)
	}
	place, err = filepath.Abs(place)
	if err != nil {
		return nil, err
	}
	cache := mailCache()
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

func (l *logins) imapSource(text string) (mail.IMAP, error) {
	u, err := url.Parse(text)
	if err != nil {
		return mail.IMAP{}, explain(err)
	}
	s, err := mail.ParseIMAP(u)
	if err != nil {
		return s, err
	}
	if s.Password == "" {
		s.User, s.Password, err = l.at(s.Host, s.User, true)
	}
	return s, err
}

// mailCache returns the folder for indexes of mail. Without one it returns nil, and every
// command reads all mail.
func mailCache() *os.Root {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	dir = filepath.Join(dir, "locus")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	return root
}

// messageFile opens the input of send: a file, or stdin for "-" and "".
func (p *process) messageFile(name string) (*os.File, error) {
	if name == "" || name == "-" {
		return p.stdin, nil
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &hinted{err, "locus send takes a message in a file, or a mailto URL"}
	}
	return f, err
}
