package ftp

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"locus/access"
	"locus/internal/sentinel"
	"locus/proto/internal/wire"
	"locus/scheme"
)

var (
	errNotLatin1 = sentinel.New("the server reads names as Latin-1, and this name has other characters", errors.ErrUnsupported)
	errDirectory = sentinel.New("it is a directory", errors.ErrUnsupported)
	errNoName    = sentinel.New("the URL has no file name", errors.ErrUnsupported)
)

// checkTarget returns an error if op cannot be applied to the name in v. For Delete and MakeDir it
// moves the last directory into v.Name, so that a directory is a name in its parent.
func checkTarget(op access.Op, v *scheme.FTP) error {
	switch op {
	case access.Get, access.Stat:
	case access.Put, access.Append:
		if v.Type == "d" || v.Name == "" && op == access.Put {
			return errDirectory
		}
	case access.Delete, access.MakeDir:
		if last := len(v.Dirs) - 1; v.Name == "" && last >= 0 {
			v.Dirs, v.Name = v.Dirs[:last], v.Dirs[last]
		}
		if v.Name == "" {
			return errNoName
		}
	default:
		return errors.ErrUnsupported
	}
	return nil
}

// parse returns the parts of the URL, and the same parts with names in the server's character set.
// It returns an error if a part cannot be sent in a command, or if req.Op cannot be applied to the
// URL.
func (c Client) parse(req *access.Request) (view, sent scheme.FTP, err error) {
	if name := req.URL.Scheme(); name != "ftp" && name != "ftps" && name != "ftpes" {
		return view, sent, access.ErrNoScheme
	}
	if view, err = scheme.ParseFTP(req.URL); err != nil {
		return view, sent, err
	}
	if sent, err = c.encodeNames(view); err != nil {
		return view, sent, err
	}
	args := []struct{ kind, text string }{
		{"user name", sent.User.Text},
		{"password", sent.Password.Text},
		{"file name", sent.Name},
		{"account", c.Account},
		{"mode", c.Mode},
	}
	for _, dir := range sent.Dirs {
		args = append(args, struct{ kind, text string }{"directory name", dir})
	}
	for _, arg := range args {
		if err := wire.CheckArgument(arg.kind, arg.text, ""); err != nil {
			return view, sent, err
		}
	}
	return view, sent, checkTarget(req.Op, &sent)
}

// encodeNames returns v with the names in Client.Charset. It returns an error if the character set
// lacks a character.
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

// decodeName converts a name from Client.Charset to UTF-8, the form that URLs have. It returns text
// unchanged if Charset is nil or text is not valid in it.
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

// toLatin1 converts a command from UTF-8 to Latin-1. It returns a command that is not UTF-8
// unchanged, because its name is in another character set already.
func toLatin1(command string) (string, error) {
	if !utf8.ValidString(command) {
		return command, nil
	}
	b := make([]byte, 0, len(command))
	for _, r := range command {
		if r > 0xff {
			return "", errNotLatin1
		}
		b = append(b, byte(r))
	}
	return string(b), nil
}
