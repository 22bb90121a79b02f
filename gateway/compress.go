package gateway

import (
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A compressor is a Writer that compresses. Flush sends all bytes that were written before it.
// Close ends the compressed text, but does not close the Writer below.
type compressor interface {
	io.WriteCloser
	Flush() error
}

// compressorSize estimates how many bytes of memory a compressor uses.
const compressorSize = 1 << 20

// encodingFor returns the encoding of a response that the Accept-Encoding fields of the request
// prefer (RFC 9110 §12.5.3): "zstd", "gzip", or "" for an uncompressed response.
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

// Compressors are reused, because a new compressor costs more than a page.
var (
	gzips = sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // it fails only for other levels
		return w
	}}
	zstds = sync.Pool{New: func() any {
		w, err := zstd.NewWriter(io.Discard, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10))
		if err != nil {
			panic(err) // the options above are wrong
		}
		return w
	}}
)

// take returns a compressor from a pool, which passes its bytes on to the Writer to. Close gives
// the compressor back to the pool, and then calls done.
func take(pool *sync.Pool, to io.Writer, done func()) compressor {
	w := pool.Get().(interface {
		compressor
		Reset(w io.Writer)
	})
	w.Reset(to)
	return &pooled{compressor: w, back: func() {
		w.Reset(io.Discard) // the pool must not keep the response in memory
		pool.Put(w)
		done()
	}}
}

// A pooled compressor goes back to its pool when it is closed.
type pooled struct {
	compressor
	back func()
}

// Close ends the compressed data, and gives the compressor back to the pool.
func (p *pooled) Close() error {
	err := p.compressor.Close()
	p.back()
	return err
}

// An uncompressed is a compressor that passes bytes on unchanged. Its Flush and Close return nil.
type uncompressed struct{ io.Writer }

func (uncompressed) Flush() error { return nil }
func (uncompressed) Close() error { return nil }
