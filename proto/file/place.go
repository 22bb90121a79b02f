package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// A place is where a URL leads.
type place struct {
	root *os.Root
	name string // "." for the root itself
	dir  bool   // the URL ends in "/": a file does not do
}

// place returns where u leads, without looking there.
func (s System) place(u url.URL) (place, error) {
	if u.Scheme() != "file" {
		return place{}, access.ErrNoScheme
	}
	view, err := scheme.ParseFile(u)
	if err != nil {
		return place{}, err
	}
	if !view.IsLocal() && !s.isNamed(view.Host.Text) {
		return place{}, &elsewhere{host: view.Host.Text}
	}
	root, segments := s.root(view.Segments)
	if root == nil {
		return place{}, access.Reason("no folder was given to read from", fs.ErrPermission)
	}
	return placeOf(root, segments)
}

func (s System) isNamed(host string) bool {
	return slices.ContainsFunc(s.Names, func(name string) bool { return strings.EqualFold(name, host) })
}

// root returns the folder that the segments are under, and those that lead on
// from there.
func (s System) root(segments []string) (*os.Root, []string) {
	if s.Drives == nil || len(segments) == 0 {
		return s.Root, segments
	}
	first := segments[0]
	if len(first) != 2 || first[1] != ':' && first[1] != '|' {
		return s.Root, segments
	}
	return s.Drives[first[0]&^0x20], segments[1:]
}

func placeOf(root *os.Root, segments []string) (place, error) {
	p := place{root: root, name: "."}
	var names []string
	for i, name := range segments {
		if strings.ContainsAny(name, never) {
			return place{}, fmt.Errorf("segment %q is not one name: %w", name, fs.ErrInvalid)
		}
		if name != "" {
			names = append(names, name)
		}
		p.dir = name == "" && i == len(segments)-1
	}
	if len(names) > 0 {
		p.name = strings.Join(names, "/")
	}
	return p, nil
}

// stat describes what is there, if it may be opened.
func (p place) stat() (fs.FileInfo, error) {
	info, err := p.root.Stat(p.name)
	if p.escapes(err) {
		info, err = p.statFromTop()
	}
	if err != nil {
		return nil, err
	}
	return info, p.judge(info)
}

// lstat returns where u leads and what is there, be it a symbolic link.
func (s System) lstat(ctx context.Context, u url.URL) (place, fs.FileInfo, error) {
	if err := ctx.Err(); err != nil {
		return place{}, nil, err
	}
	p, err := s.place(u)
	if err != nil {
		return place{}, nil, err
	}
	info, err := p.root.Lstat(p.name)
	if !p.escapes(err) {
		return p, info, err
	}
	if p.name, err = p.resolveFolder(); err != nil {
		return p, nil, err
	}
	info, err = p.root.Lstat(p.name)
	return p, info, err
}

// resolveFolder returns the name of p, of which all but the last is without
// symbolic links.
func (p place) resolveFolder() (string, error) {
	i := strings.LastIndexByte(p.name, '/')
	if i < 0 {
		return p.name, nil
	}
	folder, err := place{root: p.root, name: p.name[:i]}.resolve()
	return folder + p.name[i:], err
}

// judge refuses what is neither a file nor a directory.
func (p place) judge(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("it is a %s, no file: %w", kindOf(info.Mode()), errors.ErrUnsupported)
	case p.dir:
		return access.Reason("it is a file, no directory", fs.ErrNotExist)
	}
	return nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// open opens what seen describes, and nothing that took its place since.
func (p place) open(seen fs.FileInfo) (*os.File, error) {
	f, err := p.root.OpenFile(p.name, os.O_RDONLY|nonblock, 0)
	if p.escapes(err) {
		f, err = p.openFromTop()
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(seen, info) {
		err = errors.New("another file took its place")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
