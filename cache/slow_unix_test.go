//go:build unix

package cache

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// While the metadata of one resource are read from a slow file, the metadata of other resources are renewed.
func TestSlowMetadata(t *testing.T) {
	dir := t.TempDir()
	write := func(f *Folder, key string) {
		w, err := f.create()
		if err != nil {
			t.Fatal(err)
		}
		w.finish(&metadata{Key: key})
	}
	before := folderIn(t, dir, 0)
	write(before, "slow")
	write(before, "quick")
	f := folderIn(t, dir, 0) // it has no metadata in memory
	quick, ok := f.find("quick")
	if !ok {
		t.Fatal("the resource is not stored")
	}
	slow := filepath.Join(dir, pathOf(nameOf("slow")))
	if err := os.Remove(slow); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(slow, 0o600); err != nil {
		t.Fatal(err)
	}
	found := make(chan bool)
	go func() {
		_, ok := f.find("slow") // it waits for a writer of the pipe
		found <- ok
	}()
	isRead := func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.order.Front().Value.(*item).name == nameOf("slow")
	}
	for deadline := time.Now().Add(10 * time.Second); !isRead(); {
		if time.Now().After(deadline) {
			t.Fatal("find did not begin")
		}
	}
	within(t, "a refresh", func() {
		for range 200 { // until find surely waits
			if err := f.refresh(quick); err != nil {
				t.Error(err)
				return
			}
		}
	})
	pipe, err := os.OpenFile(slow, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	pipe.Close()
	if <-found {
		t.Error("an empty file is a resource")
	}
}
