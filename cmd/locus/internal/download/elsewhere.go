package download

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"locus/limit"
	"locus/transfer"
	"locus/url"
)

// maxServers is the number of other servers that are reported by name.
const maxServers = 5

// An elsewhere counts the links of a tree that lead to other servers, by server. The zero elsewhere is
// ready to use.
type elsewhere struct{ links map[string]int }

// count counts the link in e if it was omitted because it leads to another host. It ignores other
// events.
func (w *elsewhere) count(e transfer.Event) {
	if e.Kind != transfer.Omitted || !errors.Is(e.Err, transfer.ErrOtherHost) {
		return
	}
	if w.links == nil {
		w.links = make(map[string]int)
	}
	w.links[limit.Server(e.URL)]++
}

// report tells the user how many links lead to each server, the server with the most links first. After maxServers
// servers it only says how many servers are left. from is the URL of the tree.
func (w *elsewhere) report(r *reporter, from url.URL) {
	servers := slices.SortedFunc(maps.Keys(w.links), func(a, b string) int {
		return cmp.Or(w.links[b]-w.links[a], strings.Compare(a, b))
	})
	for i, server := range servers {
		if i == maxServers {
			r.report(fmt.Errorf("%s: links to %d more servers", from.Redacted(), len(servers)-i))
			return
		}
		r.report(fmt.Errorf("%s: links to %s: %d", from.Redacted(), server, w.links[server]))
	}
}
