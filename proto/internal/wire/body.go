package wire

import (
	"io"

	"locus/access/engine"
	"locus/url"
)

// A Body is the Body of a resource whose content comes from a connection.
type Body struct {
	*Conn
	URL     url.URL   // of the resource
	Content io.Reader // reads from Conn
}

// Read reads the content. It fails after the connection is closed or its context is done, even if Content still has
// buffered bytes. Its errors name the URL.
func (b *Body) Read(p []byte) (int, error) {
	if err := b.Err(); err != nil {
		return 0, engine.FailReading("read", b.URL, err)
	}
	n, err := b.Content.Read(p)
	return n, engine.FailReading("read", b.URL, err)
}
