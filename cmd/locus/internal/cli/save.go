package cli

import (
	"errors"
	"fmt"
	"io"

	"locus/internal/savefile"
)

// SaveAs calls write to fill a file that the user named: see savefile.Write.
func (e *Env) SaveAs(name string, write func(io.Writer) error) error {
	return e.saving(name, savefile.Write(e.Path(name), write))
}

// SaveText writes a text to the file name, as SaveAs does.
func (e *Env) SaveText(name, text string) error {
	return e.SaveAs(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// CanSave returns an error if SaveAs would probably fail. It does not change the file.
func (e *Env) CanSave(name string) error { return e.saving(name, savefile.Check(e.Path(name))) }

// saving puts the name that the user typed into an error of saving it.
func (e *Env) saving(name string, err error) error {
	if errors.Is(err, savefile.ErrFolder) {
		return fmt.Errorf("write %q: %w", name, savefile.ErrFolder)
	}
	return e.asNamed(name, err)
}
