package sftp_test

import (
	"context"
	"fmt"
	"net"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"locus/access"
	"locus/proto/sftp"
	"locus/url"
)

func ExampleClient() {
	var dialer net.Dialer
	c := sftp.Client{
		Dial:       dialer.DialContext,
		KnownHosts: func() (ssh.HostKeyCallback, error) { return knownhosts.New("/home/ada/.ssh/known_hosts") },
	}
	_, err := c.Do(context.Background(), &access.Request{URL: url.MustParse("sftp://host.example/plan.txt")})
	fmt.Println(err)
	fmt.Println("hint:", access.Hint(err))
	// Output:
	// open sftp://host.example/plan.txt: the URL has no user
	// hint: put a user name before the host: sftp://user@host/
}
