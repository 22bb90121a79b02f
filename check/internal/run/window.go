package run

import "io"

// windowSize is the number of bytes that a window reads at once. A result without redirects has about 100 bytes.
const windowSize = 4 << 10

// A window reads a file from any offset. It keeps the bytes around the last offset, because most results are near the
// last one that was read. The file must not change. It is a record.Source.
type window struct {
	file io.ReaderAt
	at   int64  // the offset of the next byte
	from int64  // the offset of text
	text []byte // the bytes that are kept
}

// newWindow returns a window of file at offset 0.
func newWindow(file io.ReaderAt) *window {
	return &window{file: file, text: make([]byte, 0, windowSize)}
}

// seek sets the offset of the next byte.
func (w *window) seek(at int64) { w.at = at }

// unread returns the kept bytes from the next byte on, at least one. It reads the file if none is kept. The error is
// io.EOF at the end of the file. unread does not move the offset.
func (w *window) unread() ([]byte, error) {
	if w.at < w.from || w.at >= w.from+int64(len(w.text)) {
		n, err := w.file.ReadAt(w.text[:cap(w.text)], w.at)
		w.from, w.text = w.at, w.text[:n]
		if n == 0 {
			return nil, err
		}
	}
	return w.text[w.at-w.from:], nil
}

// Read reads the next bytes, and moves the offset.
func (w *window) Read(b []byte) (int, error) {
	rest, err := w.unread()
	n := copy(b, rest)
	w.at += int64(n)
	return n, err
}

// ReadByte implements io.ByteReader.
func (w *window) ReadByte() (byte, error) {
	rest, err := w.unread()
	if err != nil {
		return 0, err
	}
	w.at++
	return rest[0], nil
}
