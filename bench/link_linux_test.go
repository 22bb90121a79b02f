package bench

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A link is a network with a round-trip time. Packets to far come back, after half of that time, as packets from far
// to near. So a server that listens at near is reached at far, with TCP of the kernel on both sides.
type link struct{ near, far netip.Addr }

// newLink makes a link in the network namespace of the process, which must have no other network: the benchmark is
// skipped unless it runs under `unshare --net`. For a round trip of 0 the link is loopback.
func newLink(b *testing.B, roundTrip time.Duration) link {
	b.Helper()
	if all, err := net.Interfaces(); err != nil || len(all) != 1 {
		b.Skip("run it as root in a network namespace of its own: unshare --net go test …")
	}
	ip(b, "link set lo up")
	if roundTrip == 0 {
		local := netip.MustParseAddr("127.0.0.1")
		return link{local, local}
	}
	l := link{netip.MustParseAddr("10.9.0.1"), netip.MustParseAddr("10.9.0.2")}
	device, err := openTUN("slow0")
	if err != nil {
		b.Fatal(err)
	}
	ip(b, "addr add "+l.near.String()+"/24 dev slow0")
	ip(b, "link set slow0 up mtu 1500 txqueuelen 10000")
	b.Cleanup(func() { device.Close() })
	go reflect(device, roundTrip/2)
	return l
}

// ip runs a command of ip(8).
func ip(b *testing.B, command string) {
	b.Helper()
	if out, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
		b.Fatalf("ip %s: %v\n%s", command, err, out)
	}
}

// openTUN creates a TUN device of that name.
func openTUN(name string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		return nil, err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	err = errors.Join(unix.IoctlIfreq(fd, unix.TUNSETIFF, request), unix.SetNonblock(fd, true))
	return os.NewFile(uintptr(fd), "tun"), err // after the ioctl, because a new device cannot be polled
}

// A delayed packet is sent at a later time.
type delayed struct {
	at     time.Time
	packet []byte
}

// reflect sends each packet of IPv4 back after a delay, with source and destination exchanged. The checksums stay valid. It
// returns when the device is closed.
func reflect(device *os.File, delay time.Duration) {
	waiting := make(chan delayed, 100_000)
	defer close(waiting)
	go func() {
		for next := range waiting {
			time.Sleep(time.Until(next.at))
			_, _ = device.Write(next.packet) // the kernel drops packets that it cannot take, as a network does
		}
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := device.Read(buffer)
		if err != nil {
			return
		}
		if p := append([]byte(nil), buffer[:n]...); n >= 20 && p[0]>>4 == 4 {
			source, destination := binary.BigEndian.Uint32(p[12:]), binary.BigEndian.Uint32(p[16:])
			binary.BigEndian.PutUint32(p[12:], destination)
			binary.BigEndian.PutUint32(p[16:], source)
			waiting <- delayed{time.Now().Add(delay), p}
		}
	}
}
