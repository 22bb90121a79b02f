package console

import (
	"errors"
	"os"
)

// Edit lets the user edit a text. It writes the text into a new file, calls run with the name of the file, and
// returns the text of the file after run. pattern is the pattern for [os.CreateTemp], such as "locus-*.eml". Only this
// user can read the file, and Edit removes it. If run fails, Edit returns only the error of run.
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
