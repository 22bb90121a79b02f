package readmetest

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"locus/internal/certtest"
	"locus/internal/peers"
)

// The hosts that README.md names.
const (
	webHost = "example.org"
	wwwHost = "www.example.org"
	ftpHost = "ftp.example.org"
)

// greeting is the text that the telnet server shows.
const greeting = "login: "

// internet starts servers for the hosts that README.md names, and a SOCKS proxy that connects to
// them. It returns the address of the proxy, and the file of the servers' certificate.
func internet(t *testing.T) (proxy, certificate string) {
	t.Helper()
	private, public := t.TempDir(), t.TempDir()
	for _, dir := range []string{filepath.Join(private, "www"), filepath.Join(public, "pub")} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(public, "pub", "a.txt"), []byte("a text\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	pair, _ := certtest.New(t, webHost, wwwHost)
	certificates := t.TempDir()
	certtest.Write(t, certificates, pair)
	web := httptest.NewUnstartedServer(http.HandlerFunc(serveWeb))
	web.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	web.StartTLS()
	t.Cleanup(web.Close)
	hosts := map[string]string{
		webHost + ":443": web.Listener.Addr().String(),
		wwwHost + ":443": web.Listener.Addr().String(),
		webHost + ":21":  peers.ProFTPD(t, private).Addr,
		ftpHost + ":21":  peers.VSFTPD(t, public).Addr,
		webHost + ":23":  listen(t, func(c net.Conn) { _, _ = io.WriteString(c, greeting); _, _ = io.Copy(io.Discard, c) }),
	}
	return listen(t, func(c net.Conn) { serveSOCKS(c, hosts) }), filepath.Join(certificates, "cert.pem")
}

// listen serves connections until the test ends.
func listen(t *testing.T, serve func(net.Conn)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
	return l.Addr().String()
}

// disc returns the content of the file with a name.
func disc(name string) string { return strings.Repeat(name+"\n", 10_000) }

// sums returns the checksums of the three discs, in the format of sha256sum.
func sums() string {
	var lines strings.Builder
	for _, name := range []string{"disc1.iso", "disc2.iso", "disc3.iso"} {
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256([]byte(disc(name))), name)
	}
	return lines.String()
}

// serveWeb serves three discs and two pages.
func serveWeb(w http.ResponseWriter, r *http.Request) {
	switch name := filepath.Base(r.URL.Path); {
	case strings.HasSuffix(name, ".iso"):
		http.ServeContent(w, r, name, time.Unix(1e9, 0), strings.NewReader(disc(name)))
	case strings.HasPrefix(r.URL.Path, "/docs/"):
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>Documents</title><a href="/docs/">all</a> <a href="/docs/one">one</a>`)
	default:
		http.NotFound(w, r)
	}
}

// serveSOCKS is a SOCKS5 proxy (RFC 1928) that connects only to hosts. Data connections of ftp go
// to another port of the same host, which is a port of this machine.
func serveSOCKS(c net.Conn, hosts map[string]string) {
	var head [262]byte
	if _, err := io.ReadFull(c, head[:2]); err != nil {
		return
	}
	if _, err := io.ReadFull(c, head[:head[1]]); err != nil { // the methods
		return
	}
	_, _ = c.Write([]byte{5, 0}) // no login
	if _, err := io.ReadFull(c, head[:5]); err != nil {
		return
	}
	kind, size := head[3], int(head[4])
	var host string
	switch kind {
	case 1: // an IPv4 address, whose first byte was already read
		if _, err := io.ReadFull(c, head[5:10]); err != nil {
			return
		}
		host = net.IP(head[4:8]).String()
		copy(head[:2], head[8:10])
	case 3: // a name
		if _, err := io.ReadFull(c, head[5:5+size+2]); err != nil {
			return
		}
		host = string(head[5 : 5+size])
		copy(head[:2], head[5+size:])
	default:
		return
	}
	port := strconv.Itoa(int(binary.BigEndian.Uint16(head[:2])))
	to, ok := hosts[host+":"+port]
	if _, isFTP := hosts[host+":21"]; !ok && (isFTP || host == "127.0.0.1") && len(port) > 3 {
		to, ok = "127.0.0.1:"+port, true
	}
	answer := []byte{5, 4, 0, 1, 0, 0, 0, 0, 0, 0} // the host is unreachable
	if !ok {
		_, _ = c.Write(answer)
		return
	}
	server, err := net.Dial("tcp", to)
	if err != nil {
		_, _ = c.Write(answer)
		return
	}
	defer server.Close()
	answer[1] = 0
	_, _ = c.Write(answer)
	go func() {
		_, _ = io.Copy(server, c)
		_ = server.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(c, server)
}
