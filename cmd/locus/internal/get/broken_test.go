package get

import (
	"bufio"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// cutting is a gopher server that sends only the beginning of a reply for the first requests, and
// then the whole reply. It counts the requests for other selectors than /whole, whose reply is
// never cut.
func cutting(t *testing.T, reply string, cuts ...int) (address string, asked *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	asked = new(atomic.Int64)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			selector, _ := bufio.NewReader(conn).ReadString('\n')
			switch n := int(asked.Load()); {
			case strings.HasPrefix(selector, "/whole"):
				_, _ = io.WriteString(conn, "whole\r\n.\r\n")
			case n < len(cuts):
				asked.Add(1)
				_, _ = io.WriteString(conn, reply[:cuts[n]])
			default:
				asked.Add(1)
				_, _ = io.WriteString(conn, reply)
			}
			conn.Close()
		}
	}()
	return l.Addr().String(), asked
}

// A reply that a gopher server cuts is requested again from the start, compared, and written once:
// texts of a server that sends periods, menus, and Gopher+ with a period or a size. If the server
// cuts every reply, get fails and leaves no file under the name.
func TestCutGopher(t *testing.T) {
	const lines = "iOne\tx\tx\t1\r\niTwo\tx\tx\t1\r\n"
	for _, test := range []struct {
		name, path, reply, want string
		cuts                    []int
	}{
		{"a text", "/0text", "one\r\ntwo\r\n.\r\n", "one\r\ntwo\r\n", []int{5, 7}},
		{"a text without its period", "/0text", "one\r\ntwo\r\n.\r\n", "one\r\ntwo\r\n", []int{10}},
		{"a menu", "/1menu", lines + ".\r\n", lines, []int{20}},
		{"a menu without its last line", "/1menu", lines + ".\r\n", lines, []int{13}},
		{"+-1", "/0text%09%09+", "+-1\r\none\r\ntwo\r\n.\r\n", "one\r\ntwo\r\n", []int{10, 12}},
		{"a menu, +-1", "/1menu%09%09+", "+-1\r\n" + lines + ".\r\n", lines, []int{20}},
		{"+N", "/0text%09%09+", "+10\r\none\r\ntwo\r\n", "one\r\ntwo\r\n", []int{10, 9}},
	} {
		for _, toFile := range []bool{false, true} {
			address, asked := cutting(t, test.reply, test.cuts...)
			dir := t.TempDir()
			args := []string{"--retry-wait", "1ms", "--jobs", "1"}
			if toFile {
				args = append(args, "--output-dir", ".", "gopher://"+address+"/0/whole", "gopher://"+address+test.path)
			} else {
				args = append(args[:2], "gopher://"+address+"/0/whole", "gopher://"+address+test.path)
			}
			status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir}, args...)
			if toFile {
				name := strings.TrimSuffix(test.path[2:], "%09%09+")
				text, err := os.ReadFile(filepath.Join(dir, name))
				stdout = "whole\r\n" + string(text)
				if err != nil {
					t.Errorf("%s: %v", test.name, err)
				}
			}
			if status != 0 || stdout != "whole\r\n"+test.want || asked.Load() < int64(len(test.cuts)+1) {
				t.Errorf("get of %s, to a file %v = %d, %q, %q after %d requests, want %q", test.name, toFile, status, stdout, stderr, asked.Load(), test.want)
			}
		}
	}
	for _, test := range []struct{ path, reply string }{
		{"/0text", "one\r\ntw"}, {"/0text%09%09+", "+-1\r\none\r\n"}, {"/1menu", "iOne\tx"}, {"/0text%09%09+", "+99\r\none\r\n"},
	} {
		address, _ := cutting(t, test.reply)
		dir := t.TempDir()
		args := []string{"--retries", "1", "--retry-wait", "1ms", "--jobs", "1", "--output-dir", ".", "gopher://" + address + "/0/whole", "gopher://" + address + test.path}
		status, _, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir}, args...)
		names, err := filepath.Glob(dir + "/[^w]*")
		if status != 1 || !strings.Contains(stderr, "EOF") && !strings.Contains(stderr, "closed") || err != nil || len(names) > 0 && filepath.Ext(names[0]) == "" {
			t.Errorf("%s is %q each time: %d, %q, the files %q, want an error and no file", test.path, test.reply, status, stderr, names)
		}
	}
}
