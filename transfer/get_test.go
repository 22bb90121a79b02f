package transfer

import (
	"os"
	"testing"

	"locus/access"
)

// Received is called once, when the octets are here and the file has not got its
// name; not at all if they do not come.
func TestReceived(t *testing.T) {
	text := noise(10_000)
	for _, tt := range []struct {
		name  string
		store *store
		opts  Options
		want  int
	}{
		{"all goes well", &store{text: text}, Options{}, 1},
		{"it breaks off", &store{text: text, next: []step{{cut: 5000}}}, Options{Retry: hasty}, 1},
		{"begun again", &store{text: text, version: access.Validator{ETag: "1"}, next: []step{{cut: 5000}, {change: text + "."}}}, Options{Retry: hasty}, 1},
		{"not there", &store{text: text, next: []step{{err: os.ErrNotExist}}}, Options{}, 0},
	} {
		root, _ := folder(t)
		called := 0
		tt.opts.Received = func() {
			called++
			if _, err := root.Lstat("f"); err == nil {
				t.Errorf("%s: the file has its name already", tt.name)
			}
		}
		_, err := Get(t.Context(), tt.store, request("http://h/"), root, "f", tt.opts)
		if called != tt.want || (err == nil) != (tt.want == 1) {
			t.Errorf("%s: called %d times, %v; want %d", tt.name, called, err, tt.want)
		}
	}
}
