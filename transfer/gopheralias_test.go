package transfer

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"locus"
	"locus/url"
)

// startGopher starts a gopher server with menus and texts by their selectors. In a menu, "@" stands for the port of the
// server. It returns its address.
func startGopher(t *testing.T, replies map[string]string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			selector, _ := bufio.NewReader(conn).ReadString('\n')
			text := replies[strings.TrimRight(selector, "\r\n")]
			_, _ = conn.Write([]byte(strings.ReplaceAll(strings.ReplaceAll(text, "@", port), "\n", "\r\n") + ".\r\n"))
			conn.Close()
		}
	}()
	return l.Addr().String()
}

// A menu may name its server by another name. Items of a name that resolves to the dialled address are in
// the copy, and OtherHosts allows other names. A mirror that copies nothing for that reason fails.
func TestMirrorGopherAlias(t *testing.T) {
	address := startGopher(t, map[string]string{
		"/docs": "0one\t/docs/one\talias.example\t@\n1sub\t/docs/sub\tAlias.Example\t@\n0out\t/other\talias.example\t@\n" +
			"0port\t/docs/port\talias.example\t1\n1one again\t/docs/sub\talias.example\t@\nhweb\tURL:http://alias.example/\talias.example\t@\n",
		"/docs/sub": "0two\t/docs/sub/two\talias.example\t@\n",
		"/docs/one": "1\n", "/docs/sub/two": "2\n",
		"/mixed":      "0here\t/mixed/here\t127.0.0.1\t@\n0there\t/mixed/there\talias.example\t@\n0far\t/mixed/far\tfar.example\t@\n",
		"/mixed/here": "here\n", "/mixed/there": "there\n", "/mixed/far": "far\n",
		"/only": "iNo files here\t\terror.host\t1\n0far\t/elsewhere\tfar.example\t@\n",
	})
	whole := map[string]string{"one": "1\r\n", "sub/": "", "sub/two": "2\r\n"}
	for _, test := range []struct {
		name, menu string
		lookup     string // the address of alias.example; "": it has none
		others     []string
		want       map[string]string
		elsewhere  int
		fails      bool
	}{
		{name: "the same address", menu: "/docs", lookup: "127.0.0.1", want: whole, elsewhere: 1},
		{name: "the same address in IPv6", menu: "/docs", lookup: "::ffff:127.0.0.1", want: whole, elsewhere: 1},
		{name: "another address", menu: "/docs", lookup: "192.0.2.1", want: map[string]string{}, elsewhere: 3, fails: true},
		{name: "no address", menu: "/docs", want: map[string]string{}, elsewhere: 3, fails: true},
		{name: "allowed", menu: "/docs", others: []string{"*.example"}, want: whole, elsewhere: 0},
		{name: "others", menu: "/mixed", want: map[string]string{"here": "here\r\n"}, elsewhere: 2},
		{name: "some of the others", menu: "/mixed", others: []string{"far.example"}, want: map[string]string{"here": "here\r\n", "far": "far\r\n"}, elsewhere: 1},
		{name: "nothing below the menu", menu: "/only", want: map[string]string{}},
	} {
		root, name := folder(t)
		client := &locus.Client{Retries: -1, Dial: func(ctx context.Context, network, to string) (net.Conn, error) {
			host, port, _ := net.SplitHostPort(to)
			if host != "127.0.0.1" && port == "1" {
				return nil, errors.New("no such port")
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		}}
		var log eventLog
		opts := MirrorOptions{TreeOptions: TreeOptions{Retry: never, Event: log.add}, OtherHosts: test.others}
		opts.Lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
			if test.lookup == "" || !strings.EqualFold(host, "alias.example") {
				return nil, errors.New("no such host")
			}
			return []netip.Addr{netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr(test.lookup)}, nil
		}
		if slices.Contains(test.others, "*.example") {
			opts.OtherHosts = append(opts.OtherHosts, "alias.example") // a whole name needs no public address
		}
		report, err := Mirror(t.Context(), client, url.MustParse("gopher://"+address+"/1"+test.menu), root, opts)
		failed := 0
		if len(opts.OtherHosts) > 1 {
			failed = 1 // the item at port 1
		}
		if (err != nil) != test.fails || report.Failed != failed || report.OmittedElsewhere != test.elsewhere || len(log.of(Omitted)) != test.elsewhere {
			t.Errorf("%s: Mirror = %+v, %v, want %d links elsewhere, %d failed and an error %t", test.name, report, err, test.elsewhere, failed, test.fails)
		}
		got := contents(t, name)
		for file := range got {
			if strings.HasPrefix(file, stateDir) {
				delete(got, file)
			}
		}
		compareTrees(t, got, test.want)
		client.Close()
	}
}
