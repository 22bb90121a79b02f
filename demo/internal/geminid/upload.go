package geminid

import (
	"io"
	"strconv"
	"strings"
	"sync"

	"locus/demo/internal/library"
	"locus/scheme"
)

// The folder of uploads, and its limits.
const (
	uploadsFolder = "uploads"
	maxUploads    = 32      // pages
	maxUpload     = 1 << 20 // bytes of a page
)

// uploads are the pages of the folder for uploads, by their names. The zero uploads has none. Several goroutines may use
// it at once.
type uploads struct {
	mu    sync.Mutex
	pages map[string]upload
}

// An upload is a page that a client has uploaded.
type upload struct {
	mediaType string
	content   []byte
}

// find returns the page of that name. It returns false if there is no such page.
func (u *uploads) find(name string) (upload, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	page, ok := u.pages[name]
	return page, ok
}

// store stores a page under a name, in place of an older one. It returns false, and stores no page, if the name is new
// and the folder has maxUploads pages.
func (u *uploads) store(name string, page upload) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, replaces := u.pages[name]; !replaces && len(u.pages) >= maxUploads {
		return false
	}
	if u.pages == nil {
		u.pages = make(map[string]upload)
	}
	u.pages[name] = page
	return true
}

// remove removes a page. It returns false if there is no such page.
func (u *uploads) remove(name string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, ok := u.pages[name]
	delete(u.pages, name)
	return ok
}

// uploadName returns the name of the page in the folder for uploads to which the segments of a path lead. ok is false
// for any other path.
func uploadName(segments []string) (name string, ok bool) {
	if len(segments) != 2 || segments[0] != uploadsFolder || segments[1] == "" || hasSlash(segments[1]) {
		return "", false
	}
	return segments[1], true
}

// change answers the upload of a titan URL: it stores the content, which it reads from in, or deletes the page if the
// size is 0. An error means that the content broke off.
func (a *answer) change(v scheme.Titan, in io.Reader) error {
	a.asks = v.Page()
	hidden := v
	if v.Token.Present {
		hidden.Token.Text = "xxxxx"
	}
	a.Log.Line(hidden.URL().String())
	name, ok := uploadName(v.Segments)
	size, err := strconv.ParseInt(v.Size.Text, 10, 64)
	switch {
	case !ok:
		a.status(59, "Uploads go into the folder /"+uploadsFolder+"/")
		return nil
	case err != nil:
		a.status(59, "The URL lacks ;size= and the number of bytes")
		return nil //nolint:nilerr // the answer names the error
	case size == 0 && !a.uploads.remove(name):
		a.status(51, "There is no such page")
		return nil
	case size == 0:
		a.status(20, "text/gemini; charset=utf-8; lang=en")
		_, _ = io.WriteString(a.out, "The page is deleted.\n") // Flush returns the error
		return nil
	case size > maxUpload:
		a.status(59, "A page may have "+strconv.Itoa(maxUpload)+" bytes")
		return nil
	}
	content := make([]byte, size)
	if _, err := io.ReadFull(in, content); err != nil {
		return err
	}
	if !a.uploads.store(name, upload{mediaTypeOf(v), content}) {
		a.status(50, "The folder is full: delete a page first")
		return nil
	}
	a.status(30, v.Page().URL().String())
	return nil
}

// mediaTypeOf returns the media type of an upload: the type in its URL, or text/gemini if the URL has none. A type with
// a control character, which could add a line to an answer, is replaced by the type of the name.
func mediaTypeOf(v scheme.Titan) string {
	switch {
	case !v.Type.Present || v.Type.Text == "":
		return "text/gemini"
	case strings.ContainsFunc(v.Type.Text, func(c rune) bool { return visible(c) != c }):
		return library.TypeOf(v.Segments[len(v.Segments)-1])
	}
	return v.Type.Text
}

// uploaded answers with a page that a client has uploaded.
func (a *answer) uploaded(page upload) {
	a.status(20, page.mediaType)
	_, _ = a.out.Write(page.content) // Flush returns the error
}
