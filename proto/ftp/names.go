package ftp

import (
	"errors"
	"fmt"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A target checks the view of a URL for one kind of operation. It may move the
// last directory into Name.
type target func(v *scheme.FTP) error

// anyTarget accepts every URL. An empty name means the last directory itself.
func anyTarget(*scheme.FTP) error { return nil }

// fileTarget accepts files only.
func fileTarget(v *scheme.FTP) error {
	if v.Name == "" || v.Type == "d" {
		return errDirectory
	}
	return nil
}

// appendTarget accepts files and directories, but not ";type=d".
func appendTarget(v *scheme.FTP) error {
	if v.Type == "d" {
		return errDirectory
	}
	return nil
}

// childTarget moves to the parent directory of what the URL names. So a
// directory is a name in its parent.
func childTarget(v *scheme.FTP) error {
	if v.Name == "" && len(v.Dirs) > 0 {
		last := len(v.Dirs) - 1
		v.Dirs, v.Name = v.Dirs[:last], v.Dirs[last]
	}
	if v.Name == "" {
		return errNoName
	}
	return nil
}

var (
	errDirectory = access.Reason("it is a directory", errors.ErrUnsupported)
	errNoName    = access.Reason("the URL has no file name", errors.ErrUnsupported)
)

// parse returns the view of u, and the same view with names in the server's
// character set. It checks that everything can be sent.
func (c Client) parse(u url.URL, target target) (view, sent scheme.FTP, err error) {
	if u.Scheme() != "ftp" && u.Scheme() != "ftps" {
		return view, sent, access.ErrNoScheme
	}
	if view, err = scheme.ParseFTP(u); err != nil {
		return view, sent, err
	}
	if sent, err = c.encodeNames(view); err != nil {
		return view, sent, err
	}
	args := []struct{ what, text string }{
		{"user name", sent.User.Text},
		{"password", sent.Password.Text},
		{"file name", sent.Name},
		{"account", c.Account},
		{"mode", c.Mode},
	}
	for _, dir := range sent.Dirs {
		args = append(args, struct{ what, text string }{"directory name", dir})
	}
	for _, arg := range args {
		if err := wire.CheckArgument(arg.what, arg.text, ""); err != nil {
			return view, sent, err
		}
	}
	return view, sent, target(&sent)
}

// encodeNames returns v with the names in Client.Charset.
func (c Client) encodeNames(v scheme.FTP) (scheme.FTP, error) {
	if c.Charset == nil {
		return v, nil
	}
	encode := c.Charset.NewEncoder()
	name, err := encode.String(v.Name)
	dirs := make([]string, len(v.Dirs))
	for i := range v.Dirs {
		if err == nil {
			dirs[i], err = encode.String(v.Dirs[i])
		}
	}
	if err != nil {
		return v, fmt.Errorf("the name cannot be written in the server's character set: %w", err)
	}
	v.Name, v.Dirs = name, dirs
	return v, nil
}

// decodeName returns a name from the server as it appears in URLs. If it is
// invalid in Client.Charset, it stays as it is.
func (c Client) decodeName(text string) string {
	if c.Charset == nil {
		return text
	}
	decoded, err := c.Charset.NewDecoder().String(text)
	if err != nil {
		return text
	}
	return decoded
}
