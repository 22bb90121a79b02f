package cli

import (
	"context"
	"fmt"
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
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	return root
}
