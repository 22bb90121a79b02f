// Safefetch fetches URLs from strangers, one in each line of standard input. For each URL
// it prints the number of bytes, or the reason why it is refused:
//
//	go run ./examples/safefetch <urls.txt
//
// It does not connect to this machine or its network, even if a name resolves to such an
// address, or a redirect leads there.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"os"
	"time"

	"locus"
)

func main() {
	log.SetFlags(0)
	var dialer net.Dialer
	c := &locus.Client{
		Dial:       dialer.DialContext,
		Public:     true,               // only public addresses, and schemes that fetch over the network
		Interfaces: net.InterfaceAddrs, // whose networks are not public
		Limits:     locus.Limits{Bytes: 10 << 20, Total: 30 * time.Second},
	}
	defer c.Close()

	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		n, err := size(c, lines.Text())
		switch {
		case errors.Is(err, fs.ErrPermission):
			fmt.Println("refused:", err)
		case err != nil:
			fmt.Println("failed:", err)
		default:
			fmt.Printf("%d bytes: %s\n", n, lines.Text())
		}
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
}

// size fetches a URL, and returns the number of bytes of the resource.
func size(c *locus.Client, url string) (int64, error) {
	r, err := c.Open(context.Background(), url)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	return io.Copy(io.Discard, r.Body)
}
