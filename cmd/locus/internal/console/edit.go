package console

import (
	"errors"
	"os"
)

// Edit lets the user edit a text: it writes the text into a new file, calls run with its name, such
// as to start an editor, and returns what is in the file then. pattern is that of
// [os.CreateTemp], such as "locus-*.eml". Only this user can read the file, and Edit removes it.
// After an error of run it returns that error alone.
func Edit(text, pattern string, run func(name string) error) (string, error) {
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	if err := run(f.Name()); err != nil {
		return "", err
	}
	changed, err := os.ReadFile(f.Name())
	return string(changed), err
}
