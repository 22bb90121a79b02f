package transfer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/internal/peers"
)

// An upload that repairs a directory lists it as often for many missing files as for a few. Without
// MLST, a server can only be asked about a missing file by a listing.
func TestLiveRepairListings(t *testing.T) {
	listings := func(n int) (lists int) {
		files := make(map[string]string)
		for i := range n {
			files[fmt.Sprintf("f%03d", i)] = "text"
		}
		var server *peers.Server
		target := targetServer{start: func(t testing.TB, root string) *peers.Server {
			server = peers.VSFTPD(t, root)
			return server
		}, url: "ftp://@@/www", dir: "www"}
		d := deploy(t, target, files)
		d.send(t, SendOptions{}, n, 0, 0)
		for i := range n / 2 {
			if err := os.Remove(filepath.Join(d.target, fmt.Sprintf("f%03d", 2*i))); err != nil {
				t.Fatal(err)
			}
		}
		server.Commands(t, "")
		d.send(t, SendOptions{}, n/2, n-n/2, 0)
		compareTrees(t, contents(t, d.target), files)
		for _, c := range server.Commands(t, "") {
			if verb, _, _ := strings.Cut(c, " "); verb == "LIST" || verb == "NLST" || verb == "MLSD" {
				lists++
			}
		}
		return lists
	}
	if few, many := listings(10), listings(40); few == 0 || many > few {
		t.Errorf("repairing a directory of 10 files takes %d listings, and of 40 files %d, want as many", few, many)
	}
}
