package library

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// A tree is a read-only file system in memory.
type tree struct {
	nodes map[string]*node
	mod   time.Time // of directories
}

// A node is a file or a directory, and the fs.FileInfo and fs.DirEntry of it.
type node struct {
	name     string
	data     []byte
	mod      time.Time
	dir      bool
	children []fs.DirEntry // sorted by name
}

func newTree(mod time.Time) *tree {
	root := &node{name: ".", dir: true, mod: mod}
	return &tree{nodes: map[string]*node{".": root}, mod: mod}
}

// add puts a file into the tree, and the directories above it.
func (t *tree) add(name string, data []byte, mod time.Time) {
	t.put(name, &node{name: path.Base(name), data: data, mod: mod})
}

func (t *tree) put(name string, n *node) {
	t.nodes[name] = n
	above := path.Dir(name)
	if t.nodes[above] == nil {
		t.put(above, &node{name: path.Base(above), dir: true, mod: t.mod})
	}
	parent := t.nodes[above]
	at, _ := slices.BinarySearchFunc(parent.children, n.name, func(e fs.DirEntry, name string) int {
		return strings.Compare(e.Name(), name)
	})
	parent.children = slices.Insert(parent.children, at, fs.DirEntry(n))
}

// Open opens a file, which is then an io.ReadSeeker, or a directory.
func (t *tree) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	n, ok := t.nodes[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if n.dir {
		return &openDir{node: n, path: name}, nil
	}
	return &openFile{Reader: bytes.NewReader(n.data), node: n}, nil
}

type openFile struct {
	*bytes.Reader
	node *node
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.node, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	node *node
	path string
	read int
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.node, nil }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.path, Err: fs.ErrInvalid}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	left := d.node.children[d.read:]
	if n > 0 && len(left) == 0 {
		return nil, io.EOF
	}
	if n > 0 {
		left = left[:min(n, len(left))]
	}
	d.read += len(left)
	return slices.Clone(left), nil
}

func (n *node) Name() string               { return n.name }
func (n *node) IsDir() bool                { return n.dir }
func (n *node) Size() int64                { return int64(len(n.data)) }
func (n *node) ModTime() time.Time         { return n.mod }
func (n *node) Sys() any                   { return nil }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }
func (n *node) Type() fs.FileMode          { return n.Mode().Type() }

func (n *node) Mode() fs.FileMode {
	if n.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
