package nfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/xdr"
)

// The procedures of MOUNT version 3 (RFC 1813 §5.2), and of the port mapper (RFC 1833
// §3.2).
var (
	procMount   = procedure{mountProgram, mountVersion, 1, "MNT"}
	procUnmount = procedure{mountProgram, mountVersion, 3, "UMNT"}
	procExports = procedure{mountProgram, mountVersion, 5, "EXPORT"}
	procGetPort = procedure{portmapProgram, portmapVersion, 3, "GETPORT"}
)

const (
	portmapPort = 111
	leastPort   = 512 // servers of RPC have no ports below
	maxExports  = 10_000
	maxGroups   = 16
)

// A mounter is a connection to the MOUNT program of a server.
type mounter struct {
	*conn
	ownsConn bool // conn is not the connection of the operation
}

// close closes the connection, unless it belongs to the operation.
func (m *mounter) close() {
	if m.ownsConn {
		m.Close()
	}
}

// openMount connects to the MOUNT program. It uses Client.MountPort if that is set. Otherwise it
// uses the connection of the operation if MOUNT answers there, and else the port that the port
// mapper names. If the server closes the connection of the operation instead of answering,
// openMount replaces it. The caller closes the mounter.
func (o *operation) openMount() (*mounter, error) {
	if port := o.client.MountPort; port != 0 {
		c, err := o.dial(o.address(port))
		return &mounter{c, true}, err
	}
	err := o.conn.call(procedure{mountProgram, mountVersion, 0, "NULL"}, func(*xdr.Writer) {}, func(*xdr.Reader) error { return nil })
	if err == nil {
		return &mounter{o.conn, false}, nil
	}
	if _, refused := errors.AsType[*rpcError](err); !refused { // QUIRK: some servers close the connection instead
		if o.ctx.Err() != nil {
			return nil, err
		}
		if err := o.redial(); err != nil {
			return nil, err
		}
	}
	port, err := o.askPort()
	if err != nil {
		return nil, err
	}
	c, err := o.dial(o.address(port))
	return &mounter{c, true}, err
}

// address returns the address of another port of the server. It uses the IP address of the
// connection, because the server chooses the port, and the name of the host might lead to
// another host the next time.
func (o *operation) address(port uint16) string {
	host := o.view.Name
	if peer := o.conn.RemoteAddr(); peer != nil {
		if a, err := netip.ParseAddrPort(peer.String()); err == nil {
			host = a.Addr().Unmap().String()
		}
	}
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// askPort asks the port mapper for the port of MOUNT. A server without MOUNT is an error.
func (o *operation) askPort() (uint16, error) {
	address := o.address(portmapPort)
	c, err := o.dial(address)
	if err != nil {
		return 0, fmt.Errorf("the server has no public directory, and its port mapper (%s) does not answer: %w", address, err)
	}
	defer c.Close()
	c.identity = nil
	var port uint32
	err = c.call(procGetPort, func(w *xdr.Writer) {
		const tcp = 6
		for _, v := range []uint32{mountProgram, mountVersion, tcp, 0} {
			w.Uint32(v)
		}
	}, func(r *xdr.Reader) error {
		port = r.Uint32()
		return nil
	})
	switch {
	case err != nil:
		return 0, err
	case port == 0:
		return 0, engine.Reason("the server has neither a public directory nor a MOUNT program", errors.ErrUnsupported)
	case port < leastPort || port > 1<<16-1:
		return 0, fmt.Errorf("%w: port %d for MOUNT", access.ErrProtocol, port)
	}
	return uint16(port), nil
}

// mount returns the handle of an exported directory. It sends UMNT at once, because the handle
// stays valid, and the server's list of clients is then correct even if this program is killed.
func (m *mounter) mount(path string) (h handle, err error) {
	err = m.call(procMount, func(w *xdr.Writer) { w.String(path) }, func(r *xdr.Reader) error {
		if err := refusal(status(r.Uint32())); err != nil {
			return err
		}
		h = readHandle(r)
		return nil
	})
	if hasStatus(err, statusAccess) {
		return "", access.WithRemedy(err, lowPort)
	}
	if err != nil {
		return "", withLowPort(err)
	}
	err = m.call(procUnmount, func(w *xdr.Writer) { w.String(path) }, func(*xdr.Reader) error { return nil })
	if _, refused := errors.AsType[*rpcError](err); refused {
		err = nil // the server keeps no list of clients
	}
	return h, err
}

// exports returns the paths that the server exports.
//
//	exports = *( TRUE path *( TRUE group ) FALSE ) FALSE (RFC 1813 §5.2.5)
func (m *mounter) exports() (paths []string, err error) {
	err = m.call(procExports, func(*xdr.Writer) {}, func(r *xdr.Reader) error {
		for r.Bool() {
			if len(paths) == maxExports {
				return fmt.Errorf("%w: more than %d exports", access.ErrTooLong, maxExports)
			}
			paths = append(paths, r.String(maxPath))
			for r.Bool() {
				r.Opaque(255) // MNTNAMLEN
			}
		}
		return nil
	})
	return paths, err
}

// An exportList is the list of the exported directories of a server.
type exportList []string

// find returns the longest export that is path or above it, and the names of path below the export.
// ok is false if the list has no such export.
func (l exportList) find(path []string) (export string, below []string, ok bool) {
	longest := -1
	for _, e := range l {
		parts := split(e)
		if len(parts) > longest && hasPrefix(path, parts) {
			export, below, ok, longest = e, path[len(parts):], true, len(parts)
		}
	}
	return export, below, ok
}

// children returns the next names after path in the exports below path, each once.
func (l exportList) children(path []string) (names []string) {
	seen := map[string]bool{}
	for _, e := range l {
		parts := split(e)
		if len(parts) <= len(path) || !hasPrefix(parts, path) || seen[parts[len(path)]] {
			continue
		}
		seen[parts[len(path)]] = true
		names = append(names, parts[len(path)])
	}
	return names
}

// hasPrefix reports whether path begins with the names of prefix.
func hasPrefix(path, prefix []string) bool {
	if len(prefix) > len(path) {
		return false
	}
	for i, p := range prefix {
		if path[i] != p {
			return false
		}
	}
	return true
}

// split splits a path into its names. It ignores repeated slashes, and slashes at both ends.
func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// listExports returns the exports of the server. It asks for them, and keeps the list in o.server,
// unless an earlier request has done so. If the server lacks EXPORT, the list is "/".
func (o *operation) listExports(m *mounter) (exportList, error) {
	if o.server.hasExports {
		return o.server.exports, nil
	}
	list, err := m.exports()
	if _, refused := errors.AsType[*rpcError](err); refused && !errors.Is(err, fs.ErrPermission) {
		list, err = []string{"/"}, nil
	}
	if err != nil {
		return nil, withLowPort(err)
	}
	o.server.exports, o.server.hasExports = list, true
	return list, nil
}

// mountFor mounts the longest export that is path or above it. It returns the directory of the
// export as root, and the names of path below root. If no export is above path, but some are below
// it, isList is true and root is zero. Otherwise the error is errNoExport.
func (o *operation) mountFor(path []string) (root rootDir, below []string, isList bool, err error) {
	var m *mounter
	defer func() {
		if m != nil && m.conn != nil {
			m.close()
		}
	}()
	if !o.server.hasExports {
		if m, err = o.openMount(); err != nil {
			return root, nil, false, err
		}
		if _, err = o.listExports(m); err != nil {
			return root, nil, false, err
		}
	}
	export, below, ok := o.server.exports.find(path)
	if !ok {
		if len(path) > 0 && len(o.server.exports.children(path)) == 0 {
			return root, nil, false, access.WithRemedy(errNoExport, access.Advice("list "+o.exportsURL()+" to see what is exported"))
		}
		return root, nil, true, nil
	}
	if root, ok := o.server.roots[export]; ok {
		return root, below, false, nil
	}
	if m == nil {
		if m, err = o.openMount(); err != nil {
			return root, nil, false, err
		}
	}
	h, err := m.mount(export)
	if err != nil {
		return root, nil, false, err
	}
	root = rootDir{node: node{handle: h}, path: split(export), hasPath: true}
	o.server.roots[export] = root
	return root, below, false, nil
}

// exportsURL returns the URL whose listing is the list of exports, as text.
func (o *operation) exportsURL() string {
	v := o.view
	v.Segments = []string{""}
	return v.URL().String()
}

// dial opens another RPC connection to a server, in the context of o.
func (o *operation) dial(address string) (*conn, error) { return o.client.connect(o.ctx, address) }

// connect opens a connection for RPC to address, with the identity of c.
func (c Client) connect(ctx context.Context, address string) (*conn, error) {
	opened, err := c.dialer().DialPlain(ctx, address)
	if err != nil {
		return nil, err
	}
	return newConn(opened, c.identity(), firstXID()), nil
}
