package mail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"locus/access"
	"locus/proto"
	"locus/url"
)

// A Mailbox is an engine for mid and cid URLs in one Maildir, mbox file or IMAP mailbox. Set the
// fields before the first request, which opens the mail; if that fails, so does each later request.
// Several goroutines may use the Mailbox at once after that. The directory of the mail stays open, so
// use one Mailbox for each directory for as long as the process runs.
type Mailbox struct {
	// Name is the name of a Maildir or an mbox file, or an imap or imaps URL; "": there is no
	// mail.
	Name string
	// Path returns the path of the Maildir or mbox with a Name; nil: the Name is the path.
	Path func(name string) string
	// Cache returns the directory for indexes of a Maildir or mbox. It is called once, for a
	// Maildir or mbox only. If Cache or the directory is nil, the index is kept in memory only.
	Cache func() *os.Root

	// Dial connects to an [IMAP] server; nil refuses every request to a server.
	Dial proto.Dial
	// Idle limits the time in which the server neither sends nor accepts a byte; 0: a minute,
	// negative: no limit.
	Idle time.Duration
	// Login returns the user and the password for the server. It is called once, if Name has no
	// password. Nil: Name alone decides.
	Login func(host, user string) (login, password string, err error)

	once    sync.Once
	sources []Source
	err     error
}

// Do executes req as [Client.Do] does. The first call opens the mail; if that fails, every call
// returns the error.
func (m *Mailbox) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	m.once.Do(func() { m.sources, m.err = m.open() })
	if m.err != nil {
		return nil, &access.Error{Op: req.Op.String(), URL: req.URL, Err: m.err}
	}
	return Client{Sources: m.sources}.Do(ctx, req)
}

// Check returns an error if Name is an invalid URL, or does not name an mbox or a Maildir. It does not connect to a
// server. It returns nil if Name is "". The error wraps a *fs.PathError if the file or directory cannot be read. Errors
// never show the password of a URL.
func (m *Mailbox) Check() error {
	if m.Name == "" {
		return nil
	}
	if isServer(m.Name) {
		u, err := url.Parse(m.Name)
		if err == nil {
			_, err = ParseIMAP(u)
		}
		return err
	}
	path, info, err := m.stat()
	switch {
	case err != nil:
		return err
	case info.IsDir():
		root, err := os.OpenRoot(path)
		if err != nil {
			return err
		}
		defer root.Close()
		_, err = (&Maildir{Root: root}).dirs(context.Background(), new(readFailures))
		return err
	case info.Mode().IsRegular():
		return m.checkMbox(path)
	}
	return nil
}

// checkMbox returns nil if the file at path is empty, or begins with fromLine as an mbox does.
func (m *Mailbox) checkMbox(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	start := make([]byte, len(fromLine))
	n, err := io.ReadFull(f, start)
	switch {
	case n == 0 && access.IsEnd(err):
		return nil
	case n < len(fromLine) && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case string(start[:n]) != fromLine:
		return fmt.Errorf("%s is not an mbox: it does not begin with %q", m.Name, fromLine)
	}
	return nil
}

// stat returns the path and the attributes of the file or directory that Name names. Errors show
// Name, not the path.
func (m *Mailbox) stat() (path string, info fs.FileInfo, err error) {
	path = m.Name
	if m.Path != nil {
		path = m.Path(path)
	}
	info, err = os.Stat(path)
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		pathErr.Path = m.Name // the name that the user typed
	}
	if err != nil {
		return "", nil, fmt.Errorf("look for mail: %w", err)
	}
	return path, info, nil
}

// open returns a list with the source that Name names: a server, a Maildir or an mbox. The list is
// nil if Name is "". open does not connect to a server.
func (m *Mailbox) open() ([]Source, error) {
	if m.Name == "" {
		return nil, nil
	}
	if isServer(m.Name) {
		s, err := m.server()
		return []Source{s}, err
	}
	name, info, err := m.stat()
	if err != nil {
		return nil, err
	}
	if name, err = filepath.Abs(name); err != nil { // because the name of the index is made from it
		return nil, err
	}
	var cache *os.Root
	if m.Cache != nil {
		cache = m.Cache()
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		return []Source{&Maildir{Root: root, Cache: cache}}, err
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	return []Source{&Mbox{Root: root, Name: filepath.Base(name), Cache: cache}}, err
}

// isServer reports whether name looks like a URL, even an invalid one. Such a name is never used as
// a file name, because it may contain a password.
func isServer(name string) bool {
	lower := strings.ToLower(name)
	return strings.Contains(name, "://") || strings.HasPrefix(lower, "imap:") || strings.HasPrefix(lower, "imaps:")
}

// server returns the IMAP server for the URL in Name. If the URL has no password and Login is set,
// the user and the password are the result of Login.
func (m *Mailbox) server() (IMAP, error) {
	u, err := url.Parse(m.Name)
	if err != nil {
		return IMAP{}, err
	}
	s, err := ParseIMAP(u)
	if err != nil {
		return s, err
	}
	s.Dial, s.Idle = m.Dial, m.Idle
	if s.Password == "" && m.Login != nil {
		s.User, s.Password, err = m.Login(s.Host, s.User)
	}
	return s, err
}
