package archive_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"locus/archive"
)

// On a full disk an access fails, and the archive has only whole records. When the disk has
// space again, recording continues.
func TestFullDisk(t *testing.T) { inBothFormats(t, testFullDisk) }

func testFullDisk(t *testing.T, name string) {
	root, resize := smallDisk(t, "3m")
	w := create(t, root, name, archive.Options{})
	engine := w.Record(noises)
	if _, _, err := get(t, engine, small); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := get(t, engine, first); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("on a full disk: %v", err)
		}
	}
	if got, _, err := get(t, engine, "gopher://h/5-1000000"); err != nil {
		t.Errorf("a resource that fits on the disk: %d bytes, %v", len(got), err)
	}
	// A resource begins at the end of the archive, and must make room for another one.
	body := start(t, engine, "gopher://h/7-2500000")
	if _, _, err := get(t, engine, "gopher://h/6-90000"); err != nil {
		t.Errorf("beside a large one: %v", err)
	}
	if _, err := io.Copy(io.Discard, body); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a resource that does not fit beside the archive: %v, want ENOSPC", err)
	}
	body.Close()
	resize("12m")
	finish(t, start(t, engine, first))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, root, name, small, "gopher://h/5-1000000", "gopher://h/6-90000", first)
}

// If the disk has space for a response but not for its request, the archive has neither. A
// later response with the same payload is then not a revisit.
func TestFullDiskRevisit(t *testing.T) { inBothFormats(t, testFullDiskRevisit) }

func testFullDiskRevisit(t *testing.T, name string) {
	payload := string(noise(1, 60<<10))
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, payload)
	})
	root, resize := smallDisk(t, "128k")
	w := create(t, root, name, archive.Options{})
	transport := w.Transport(s.engine)
	post := func(size int) error {
		req, err := http.NewRequest(http.MethodPost, s.URL+"/same", bytes.NewReader(noise(2, size)))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	if err := post(100 << 10); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("on a full disk: %v", err)
	}
	resize("12m")
	if err := post(10); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := kinds(records(t, root, name)), "warcinfo response request"; got != want {
		t.Errorf("records %s, want %s", got, want)
	}
}

// Create fails if the disk lacks space for the record that describes the file. The file is
// then neither open nor locked.
func TestFullDiskCreate(t *testing.T) { inBothFormats(t, testFullDiskCreate) }

func testFullDiskCreate(t *testing.T, name string) {
	root, resize := smallDisk(t, "16k")
	filler, err := root.Create("filler")
	if err != nil {
		t.Fatal(err)
	}
	defer filler.Close()
	if _, err := io.Copy(filler, bytes.NewReader(noise(3, 1<<20))); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("fill the disk: %v", err)
	}
	if w, err := archive.Create(root, name, archive.Options{}); !errors.Is(err, syscall.ENOSPC) {
		if err == nil {
			w.Close()
		}
		t.Fatalf("Create on a full disk: %v", err)
	}
	resize("12m")
	w, err := archive.Create(root, name, archive.Options{})
	if err != nil {
		t.Fatalf("Create when there is room: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := kinds(records(t, root, name)); got != "warcinfo" {
		t.Errorf("records %s, want warcinfo", got)
	}
}

// smallDisk returns a disk of that size, and a function that changes the size.
func smallDisk(t *testing.T, size string) (root *os.Root, resize func(size string)) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	disk := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "mode=777,size="+size); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	return folderAt(t, disk), func(size string) {
		if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size="+size); err != nil {
			t.Fatal(err)
		}
	}
}
