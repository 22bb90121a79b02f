package mail

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

	"locus/access"
	"locus/url"
)

// A Place is an engine for mid and cid URLs in the mail at one place. Set the fields before the
// first request, which opens the mail; if that fails, so does each later request. Then several
// goroutines may use the Place at once. The folder of the mail stays open: use one Place for each
// folder, as long as the process runs.
type Place struct {
	// Name is the name of a Maildir or an mbox file, or an imap or imaps URL; "": there is no
	// mail.
	Name string
	// Path returns the path of the Maildir or mbox with a Name; nil: the Name is the path.
	Path func(name string) string
	// Cache returns the folder for indexes of a Maildir or mbox; nil, or a nil folder: all
	// mail is read each time. It is called once, for a Maildir or mbox only.
	Cache func() *os.Root

	// Dial connects to an [IMAP] server; nil: none can be reached.
	Dial Dial
	// Idle is how long that server may send or accept nothing; 0: a minute, negative: no
	// limit.
	Idle time.Duration
	// Login is called once if Name has no password, and returns the login at that server;
	// nil: there is none.
	Login func(host, user string) (login, password string, err error)

	once    sync.Once
	sources []Source
	err     error
}

// Do gets or stats a message or a part.
func (p *Place) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	p.once.Do(func() { p.sources, p.err = p.open() })
	if p.err != nil {
		return nil, &access.Error{Op: req.Op.String(), URL: req.URL, Err: p.err}
	}
	return Client{Sources: p.sources}.Do(ctx, req)
}

// Check returns an error if there is no file or folder with the Name, or if it is an invalid URL.
// It connects to no server. No error shows the password of a URL.
func (p *Place) Check() error {
	if p.Name == "" {
		return nil
	}
	if isServer(p.Name) {
		u, err := url.Parse(p.Name)
		if err == nil {
			_, err = ParseIMAP(u)
		}
		return err
	}
	_, _, err := p.stat()
	return err
}

// stat returns the path of the file or folder with the Name, and what is known of it.
func (p *Place) stat() (path string, info fs.FileInfo, err error) {
	path = p.Name
	if p.Path != nil {
		path = p.Path(path)
	}
	info, err = os.Stat(path)
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		pathErr.Path = p.Name // as somebody typed it
	}
	if err != nil {
		return "", nil, fmt.Errorf("look for mail: %w", err)
	}
	return path, info, nil
}

// open opens the mail.
func (p *Place) open() ([]Source, error) {
	if p.Name == "" {
		return nil, nil
	}
	if isServer(p.Name) {
		s, err := p.server()
		return []Source{s}, err
	}
	name, info, err := p.stat()
	if err != nil {
		return nil, err
	}
	if name, err = filepath.Abs(name); err != nil { // the index has the name
		return nil, err
	}
	var cache *os.Root
	if p.Cache != nil {
		cache = p.Cache()
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		return []Source{&Maildir{Root: root, Cache: cache}}, err
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	return []Source{&Mbox{Root: root, Name: filepath.Base(name), Cache: cache}}, err
}

// isServer reports whether a place looks like a URL, even if it is invalid. It may hold a
// password, so it is never used as a file name.
func isServer(place string) bool {
	lower := strings.ToLower(place)
	return strings.Contains(place, "://") || strings.HasPrefix(lower, "imap:") || strings.HasPrefix(lower, "imaps:")
}

// server returns the server that Name is the URL of.
func (p *Place) server() (IMAP, error) {
	u, err := url.Parse(p.Name)
	if err != nil {
		return IMAP{}, err
	}
	s, err := ParseIMAP(u)
	if err != nil {
		return s, err
	}
	s.Dial, s.Idle = p.Dial, p.Idle
	if s.Password == "" && p.Login != nil {
		s.User, s.Password, err = p.Login(s.Host, s.User)
	}
	return s, err
}
