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
	size_t start = 0, octets = 0;
	for (size_t i = 0; i < n; i++) {
		ada_url u = ada_parse(text + start, ends[i] - start);
		if (ada_is_valid(u))
			octets += ada_get_href(u).length;
		ada_free(u);
		start = ends[i];
	}
	return octets;
}
*/
import "C"

import (
	"unsafe"

	_ "github.com/ada-url/goada" // it contains ada
)

// A List is a list of URLs in the memory layout for ada.
type List struct {
	text []byte
	ends []C.size_t
}

// NewList makes a list.
func NewList(urls []string) *List {
	l := &List{}
	for _, s := range urls {
		l.text = append(l.text, s...)
		l.ends = append(l.ends, C.size_t(len(l.text)))
	}
	return l
}

// Parse parses each URL and returns how many bytes their hrefs have.
func (l *List) Parse() int {
	return int(C.parse_all((*C.char)(unsafe.Pointer(&l.text[0])), &l.ends[0], C.size_t(len(l.ends))))
}
