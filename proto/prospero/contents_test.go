package prospero

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
)

const (
	isObject  = "ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\nFAILURE NOT-A-DIRECTORY\n"
	dataStart = "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA "
)

// paced returns a client of a server that sends each reply in packets of n bytes, one
// each pause, after a first packet with isObject.
func paced(reply string, n int, pause time.Duration) Client {
	asked := make(map[string]bool)
	return Client{Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		var e *endpoint
		e = newEndpoint(address, func(d []byte) {
			p, err := parsePacket(d)
			if err != nil || asked[string(p.text)] || p.number == 0 {
				return
			}
			asked[string(p.text)] = true
			if !strings.Contains(string(p.text), " CONTENTS ") {
				e.deliver(append([]byte{3, d[1], d[2]}, isObject...))
				return
			}
			total := (len(reply) + n - 1) / n
			for i := range total {
				part := reply[i*n : min((i+1)*n, len(reply))]
				h := binary.BigEndian.AppendUint16([]byte{9, d[1], d[2]}, uint16(i+1))
				h = append(binary.BigEndian.AppendUint16(h, uint16(total)), 0, 1)
				time.AfterFunc(time.Duration(i)*pause, func() { e.deliver(append(h, part...)) })
			}
		})
		return e, nil
	}}
}

func openPaced(ctx context.Context, t *testing.T, c Client, offset int64) (*access.Resource, error) {
	t.Helper()
	return c.Do(ctx, &access.Request{URL: parseURL(t, "prospero://h/x"), Offset: offset})
}

// Contents are the same wherever packets divide the reply.
func TestContents(t *testing.T) {
	for _, test := range []struct {
		reply, want string
		err         error
	}{
		{dataStart + "'it''s'\n", "it's", nil},
		{dataStart + "This' is\na ''text''.\n'\n", "This is\na 'text'.\n", nil},
		{"ATTRIBUTE OBJECT FIELD OWNER SEQUENCE me\n" + dataStart + "a\n" + dataStart + "b", "ab", nil},
		{dataStart + "''\n", "", nil},
		{"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE TAGGED key 'a value'\n", "key: a value", nil},
		{dataStart + "DATA\n", "DATA", nil},
		{"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE DATA x\n" + dataStart + "y\n", "y", nil},
		{dataStart + "a b\n", "", access.ErrProtocol},
		{"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA\n", "", access.ErrProtocol},
		{dataStart + "'a\n", "", errQuote},
		{"FAILURE NOT-FOUND\n", "", fs.ErrNotExist},
		{"\n", "", errNoMethod},
		{dataStart + "a\nFAILURE NOT-AUTHORIZED\n", "", fs.ErrPermission},
	} {
		for n := 1; n <= len(test.reply); n++ {
			synctest.Test(t, func(t *testing.T) {
				got, err := readPaced(t, paced(test.reply, n, time.Millisecond))
				if !errors.Is(err, test.err) || err == nil && got != test.want {
					t.Errorf("%q in packets of %d bytes: %q, %v, want %q, %v", test.reply, n, got, err, test.want, test.err)
				}
			})
		}
	}
}

func readPaced(t *testing.T, c Client) (string, error) {
	r, err := openPaced(t.Context(), t, c, 0)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return string(text), err
}

// The contents of a slow server are read as they come. The server may be silent for Idle
// again and again, and so may the reader.
func TestSlowContents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 100_000
		c := paced(dataStart+"'"+strings.Repeat("x", size)+"'\n", 1000, 4*time.Second)
		c.Idle = 5 * time.Second
		begin := time.Now()
		r, err := openPaced(t.Context(), t, c, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if took := time.Since(begin); took > time.Second || r.Size != -1 {
			t.Errorf("opened after %v with size %d, want at once, without a size", took, r.Size)
		}
		half := make([]byte, size/2)
		if _, err := io.ReadFull(r.Body, half); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if rest, err := io.ReadAll(r.Body); err != nil || len(rest) != size/2 {
			t.Errorf("%d bytes, %v, want %d", len(rest), err, size/2)
		}
	})
}

// A server that stops in the middle ends the reading after Idle. So does one that only
// acknowledges, after Timeout.
func TestContentsStop(t *testing.T) {
	for _, test := range []struct {
		name string
		acks bool
		want time.Duration
	}{{"silence", false, 20 * time.Second}, {"acknowledgements", true, 3 * time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			c := paced(dataStart+strings.Repeat("x", 2000), 1000, time.Hour)
			if test.acks {
				c.Dial = acknowledged(c.Dial)
			}
			c.Idle, c.Timeout = 20*time.Second, 3*time.Minute
			begin := time.Now()
			_, err := readPaced(t, c)
			if took := time.Since(begin); err == nil || took < test.want || took > test.want+time.Second {
				t.Errorf("%s: %v after %v, want an error after %v", test.name, err, took, test.want)
			}
		})
	}
}

// acknowledged makes the server acknowledge every packet without text.
func acknowledged(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		e := conn.(*endpoint)
		write := e.write
		e.write = func(d []byte) {
			write(d)
			e.deliver([]byte{9, d[1], d[2], 0, 0, 0, 0, 0, 1})
		}
		return e, err
	}
}

// An Offset skips bytes. One at or beyond the end is an error.
func TestContentsOffset(t *testing.T) {
	for offset, want := range map[int64]error{0: nil, 1: nil, 2999: nil, 3000: access.ErrRange, 9999: access.ErrRange} {
		synctest.Test(t, func(t *testing.T) {
			r, err := openPaced(t.Context(), t, paced(dataStart+strings.Repeat("x", 3000), 100, time.Millisecond), offset)
			if !errors.Is(err, want) {
				t.Fatalf("offset %d: %v, want %v", offset, err, want)
			}
			if err != nil {
				return
			}
			defer r.Body.Close()
			if text, err := io.ReadAll(r.Body); err != nil || int64(len(text)) != 3000-offset || r.Offset != offset {
				t.Errorf("offset %d: %d bytes from %d, %v, want %d", offset, len(text), r.Offset, err, 3000-offset)
			}
		})
	}
}

// Close ends a Read that waits for the server.
func TestContentsClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := openPaced(t.Context(), t, paced(dataStart+strings.Repeat("x", 3000), 1000, time.Hour), 0)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		time.AfterFunc(time.Second, func() { r.Body.Close() })
		_, err = io.ReadAll(r.Body)
		if !errors.Is(err, fs.ErrClosed) || time.Since(begin) != time.Second {
			t.Errorf("%v after %v, want %v after 1s", err, time.Since(begin), fs.ErrClosed)
		}
	})
}

// A server with a full queue acknowledges a request and forgets it. It is sent anew, with
// another id, three times.
func TestFullQueue(t *testing.T) {
	for _, full := range []int{0, 1, 3, 4} {
		synctest.Test(t, func(t *testing.T) {
			var ids []uint16
			c := answering(func(p packet) []byte {
				if len(ids) == 0 || ids[len(ids)-1] != p.id {
					ids = append(ids, p.id)
				}
				if len(ids) > full {
					return append([]byte{3, byte(p.id >> 8), byte(p.id)}, "reply"...)
				}
				return []byte{9, byte(p.id >> 8), byte(p.id), 0, 0, 0, 0, 0, 1}
			})
			got, err := c.do(t.Context(), "h:1525", "x")
			if full <= maxRestarts && (string(got) != "reply" || err != nil || len(ids) != full+1) {
				t.Errorf("forgotten %d times: %q, %v after %d requests, want the reply to the next", full, got, err, len(ids))
			}
			if full > maxRestarts && !errors.Is(err, access.ErrTemporary) {
				t.Errorf("forgotten %d times: %v, want %v", full, err, access.ErrTemporary)
			}
		})
	}
}

// A packet that others overtake is not asked for at once. One that is lost is.
func TestGap(t *testing.T) {
	for _, test := range []struct {
		name   string
		order  []int
		resent int // acknowledgements
	}{
		{"in order", []int{1, 2, 3, 4, 5}, 0},
		{"overtaken", []int{2, 1, 4, 3, 5}, 0},
		{"lost", []int{1, 3, 4, 5, 2}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			acks := 0
			var e *endpoint
			c := Client{Dial: func(context.Context, string, string) (net.Conn, error) {
				e = newEndpoint("", func(d []byte) {
					if p, err := parsePacket(d); err != nil || p.number == 0 {
						acks++
						return
					}
					for i, n := range test.order {
						h := []byte{9, d[1], d[2], 0, byte(n), 0, 5, 0, 1}
						time.AfterFunc(time.Duration(1+i)*time.Millisecond, func() { e.deliver(append(h, fmt.Sprint(n)...)) })
					}
				})
				return e, nil
			}}
			got, err := c.do(t.Context(), "h:1525", "x")
			if string(got) != "12345" || err != nil || acks != test.resent {
				t.Errorf("%s: %q, %v with %d acknowledgements, want %d", test.name, got, err, acks, test.resent)
			}
		})
	}
}
