package server

import (
	"crypto/tls"
	"log/slog"
	"sync"
	"time"
)

// reloadAfter is the age at which a certificate is loaded again.
const reloadAfter = time.Minute

// A Certificate is a certificate that may be renewed while it is in use. Several
// goroutines may use it.
type Certificate struct {
	// Load reads the certificate, such as from files. It must not be nil.
	Load func() (tls.Certificate, error)
	// Log gets a line for each failure of Load while an older certificate is in use.
	// A nil Log discards the lines.
	Log *slog.Logger

	mu     sync.Mutex
	last   *tls.Certificate // nil before the first load
	loaded time.Time        // when Load was last called
}

// Get returns the certificate, for tls.Config.GetCertificate. It calls Load at the first call,
// and again if a minute has passed since. If a later Load fails, such as in the middle of a
// renewal, Get logs the error and returns the older certificate for another minute. As long as
// no Load has succeeded, Get returns the error of Load.
func (c *Certificate) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last != nil && time.Since(c.loaded) < reloadAfter {
		return c.last, nil
	}
	loaded, err := c.Load()
	if err != nil && c.last == nil {
		return nil, err
	}
	c.loaded = time.Now()
	if err == nil {
		c.last = &loaded
	} else if c.Log != nil {
		c.Log.Warn("the certificate was not reloaded", slog.String("error", err.Error()))
	}
	return c.last, nil
}
