package ftp

import (
	"errors"
	"fmt"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A reading says which directory an operation goes to, and what it names there.
type reading func(v *scheme.FTP) error

// asItIs goes to every directory of the URL; an empty name is the last one
// itself.
func asItIs(*scheme.FTP) error { return nil }

// file is asItIs for what is a file.
func file(v *scheme.FTP) error {
	if v.Name == "" || v.Type == "d" {
		return errDirectory
	}
	return nil
}

// fileOrDirectory is asItIs without a type that is for listings.
func fileOrDirectory(v *scheme.FTP) error {
	if v.Type == "d" {
		return errDirectory
	}
	return nil
}

// named goes to the directory in which the thing is that the URL names, be it a
// directory.
func named(v *scheme.FTP) error {
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
	errNoName    = access.Reason("it names nothing in a directory", errors.ErrUnsupported)
)

// parse returns the view of u, and the same with names as they are sent. All of
// what is sent is fit for that.
func (c Client) parse(u url.URL, read reading) (view, sent scheme.FTP, err error) {
	if u.Scheme() != "ftp" && u.Scheme() != "ftps" {
		return view, sent, access.ErrNoScheme
	}
	if view, err = scheme.ParseFTP(u); err != nil {
		return view, sent, err
	}
	if sent, err = c.encoded(view); err != nil {
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
	return view, sent, read(&sent)
}

// encoded returns v with the names in Client.Charset.
func (c Client) encoded(v scheme.FTP) (scheme.FTP, error) {
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

// decode returns text of the server, such as a name, as it is in URLs. What is
// not in Client.Charset stays as it is.
func (c Client) decode(text string) string {
	if c.Charset == nil {
		return text
	}
	decoded, err := c.Charset.NewDecoder().String(text)
	if err != nil {
		return text
	}
	return decoded
}
