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

func newWindow(file io.ReaderAt) *window {
	return &window{file: file, text: make([]byte, 0, windowSize)}
}

// seek makes at the offset of the next byte.
func (w *window) seek(at int64) { w.at = at }

// rest returns the kept bytes from the next byte on. It reads more bytes if there are none. The error is io.EOF at the
// end of the file.
func (w *window) rest() ([]byte, error) {
	if w.at < w.from || w.at >= w.from+int64(len(w.text)) {
		n, err := w.file.ReadAt(w.text[:cap(w.text)], w.at)
		w.from, w.text = w.at, w.text[:n]
		if n == 0 {
			return nil, err
		}
	}
	return w.text[w.at-w.from:], nil
}

// Read reads the next bytes of the window.
func (w *window) Read(b []byte) (int, error) {
	rest, err := w.rest()
	n := copy(b, rest)
	w.at += int64(n)
	return n, err
}

// ReadByte implements io.ByteReader.
func (w *window) ReadByte() (byte, error) {
	rest, err := w.rest()
	if err != nil {
		return 0, err
	}
	w.at++
	return rest[0], nil
}
