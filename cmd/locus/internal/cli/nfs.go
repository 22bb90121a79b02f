package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"

	"locus"
	"locus/proto/nfs"
)

// nfsClient returns the nfs client that o asks for, with a pool of connections. An invalid
// --nfs-user is a UsageError.
func nfsClient(o Protocols) (nfs.Client, error) {
	client := nfs.Client{Pool: &nfs.Pool{}, MountPort: o.NFSMount}
	if o.NFSUser == "" {
		return client, nil
	}
	id, err := nfs.ParseIdentity(o.NFSUser)
	if err != nil {
		return client, Misuse("--nfs-user must be UID:GID, such as 1000:1000, or with more groups 1000:1000,27, not %q", o.NFSUser)
	}
	client.Identity = id
	return client, nil
}

// lowPortKey is the key of a context whose connections come from a port below 1024.
type lowPortKey struct{}

// wantsLowPort reports whether ctx comes from a function of fromLowPort.
func wantsLowPort(ctx context.Context) bool { return ctx.Value(lowPortKey{}) != nil }

// fromLowPort returns a function that calls dial with a context that asks [Dial] for a local port
// below 1024. dial must pass its context on to Dial.
func fromLowPort(dial locus.Dial) locus.Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return dial(context.WithValue(ctx, lowPortKey{}, true), network, address)
	}
}

// dialForNFS connects from a local port below 1024. If that is not permitted, the error says that
// --nfs-low-port needs root.
func dialForNFS(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := DialLow(ctx, network, address)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("--nfs-low-port needs root: %w", err)
	}
	return conn, err
}

// DialLow connects from a local port below 1024: see [locus.DialLow].
func DialLow(ctx context.Context, network, address string) (net.Conn, error) {
	return locus.DialLow(dialer)(ctx, network, address)
}
