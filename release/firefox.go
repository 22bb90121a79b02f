package main

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
)

// firefox packs the add-on for Firefox. Firefox keeps it after a restart only if it was
// signed at addons.mozilla.org.
func (r *release) firefox(context.Context) error {
	manifest, err := os.ReadFile(filepath.Join(r.root, "release/firefox/manifest.json"))
	if err != nil {
		return err
	}
	// The version of an add-on must consist of numbers.
	number := regexp.MustCompile(`^\d+\.\d+\.\d+`).FindString(r.version)
	manifest = bytes.Replace(manifest, []byte(`"version": "0.0.0"`), []byte(`"version": "`+number+`"`), 1)
	return create(r.file("firefox.xpi"), func(w io.Writer) error {
		z := zip.NewWriter(w)
		f, err := z.CreateHeader(&zip.FileHeader{Name: "manifest.json", Method: zip.Deflate, Modified: r.time})
		if err != nil {
			return err
		}
		if _, err := f.Write(manifest); err != nil {
			return err
		}
		return z.Close()
	})
}
