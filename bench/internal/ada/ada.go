//go:build ada && cgo

// Package ada runs ada, the C++ parser of the URL Standard, over many URLs in one call, so
// that the cost of calls from Go to C does not count. It uses ada's C interface, which
// allocates each result.
package ada

/*
#cgo CFLAGS: -O3
#cgo LDFLAGS: -Wl,--unresolved-symbols=ignore-all
#include <stdbool.h>
#include <stddef.h>

typedef struct { const char *data; size_t length; } ada_string;
typedef void *ada_url;
ada_url ada_parse(const char *, size_t);
bool ada_is_valid(ada_url);
ada_string ada_get_href(ada_url);
void ada_free(ada_url);

static size_t parse_all(const char *text, const size_t *ends, size_t n) {
	size_t start = 0, bytes = 0;
	for (size_t i = 0; i < n; i++) {
		ada_url u = ada_parse(text + start, ends[i] - start);
		if (ada_is_valid(u))
			bytes += ada_get_href(u).length;
		ada_free(u);
		start = ends[i];
	}
	return bytes;
}
*/
import "C"

import (
	"unsafe"

	_ "github.com/ada-url/goada" // it contains ada
)

// A List has URLs in the memory layout that parse_all wants.
type List struct {
	text []byte
	ends []C.size_t
}

// NewList returns a List of the texts in urls.
func NewList(urls []string) *List {
	l := &List{}
	for _, s := range urls {
		l.text = append(l.text, s...)
		l.ends = append(l.ends, C.size_t(len(l.text)))
	}
	return l
}

// Parse parses each text of the list, which must not be empty, and returns the number of bytes of
// all hrefs together. A text that is not a URL adds 0.
func (l *List) Parse() int {
	return int(C.parse_all((*C.char)(unsafe.Pointer(&l.text[0])), &l.ends[0], C.size_t(len(l.ends))))
}
