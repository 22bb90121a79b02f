package upload

import (
	"context"
	"io"
	"os"

	"locus/access"
	"locus/cmd/locus/internal/cli"
)

// A Source is a file, or the body of a resource, that is uploaded.
type Source struct {
	io.ReadCloser        // the one that was opened last
	From          string // the argument that named it
	Name          string // its file name; "": unknown
	Size          int64  // -1: unknown
	access.Validator

	// Again opens it again at its start; nil if it can be read only once.
	Again func(context.Context) (io.ReadCloser, error)

	file *os.File // nil: it is the body of a resource
}

// Open opens a file to upload, or stdin for "-".
func Open(e *cli.Env, name string) (*Source, error) {
	in, err := e.OpenInput(name)
	if err != nil {
		return nil, err
	}
	s := &Source{ReadCloser: in, From: name, Size: -1, file: in.File}
	if in.Info == nil {
		return s, nil
	}
	s.Name, s.ModTime = in.Info.Name(), in.Info.ModTime()
	if in.Info.Mode().IsRegular() { // else its size is 0
		s.Size = in.Info.Size()
		s.Again = func(context.Context) (io.ReadCloser, error) {
			_, err := in.Seek(0, io.SeekStart)
			return in, err
		}
	}
	return s, nil
}
