package archive

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// A Writer remembers payloads only until the URLs of their records take too much memory.
func TestSeenMemory(t *testing.T) {
	// attack: Clients of a gateway that records open very many long URLs
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	w, err := Create(root, "a.warc", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	target := "http://h/" + strings.Repeat("x", 1<<20) // one text, so that the test needs little memory
	for i := range 1000 {
		w.remember(entry{kind: typeResponse, method: "POST", target: target, digest: strconv.Itoa(i)})
	}
	if n := len(w.seen); n < 100 || n > 256 {
		t.Errorf("the Writer remembers %d payloads with URLs of 1 MiB, want 100 to 256", n)
	}
}
