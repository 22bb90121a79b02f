package gateway

import (
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A compressor is a Writer that compresses. Flush sends what was written before. Close
// ends the compressed text; it does not close the Writer below.
type compressor interface {
	io.WriteCloser
	Flush() error
}

// compressorSize is about how many bytes a compressor keeps.
const compressorSize = 1 << 20

// encodingFor returns the encoding of a response, by the fields Accept-Encoding of the
// request (RFC 9110 §12.5.3): "zstd", "gzip", or "" for none.
func encodingFor(fields []string) string {
	best, bestQ := "", 0.0
	for part := range strings.SplitSeq(strings.Join(fields, ","), ",") {
		name, params, _ := strings.Cut(part, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != "zstd" && name != "gzip" {
			continue
		}
		q := 1.0
		if text, has := strings.CutPrefix(strings.ToLower(strings.TrimSpace(params)), "q="); has {
			var err error
			if q, err = strconv.ParseFloat(text, 64); err != nil {
				continue
			}
		}
		if q > bestQ || q == bestQ && q > 0 && name == "zstd" {
			best, bestQ = name, q
		}
	}
	return best
}

// Compressors are reused: a new one costs more than a page.
var (
	gzips = sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // it fails only for other levels
		return w
	}}
	zstds = sync.Pool{New: func() any {
		w, err := zstd.NewWriter(io.Discard, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10))
		if err != nil {
			panic(err) // the options are wrong
		}
		return w
	}}
)

// take takes a compressor out of a pool. It calls done when the compressor is closed.
func take(pool *sync.Pool, to io.Writer, done func()) compressor {
	w := pool.Get().(interface {
		compressor
		Reset(w io.Writer)
	})
	w.Reset(to)
	return &pooled{compressor: w, back: func() {
		w.Reset(io.Discard) // it must not keep the response
		pool.Put(w)
		done()
	}}
}

// A pooled compressor goes back to its pool when it is closed.
type pooled struct {
	compressor
	back func()
}

func (p *pooled) Close() error {
	err := p.compressor.Close()
	p.back()
	return err
}

type uncompressed struct{ io.Writer }

func (uncompressed) Flush() error { return nil }
func (uncompressed) Close() error { return nil }
