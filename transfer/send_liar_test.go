package transfer

import (
	"context"
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/faulty"
)

// Real servers whose replies are changed on the way: no file has its name that is not whole,
// the failure is reported, and Send ends. Without the lies the next run completes the tree.
func TestLiveSendLiars(t *testing.T) {
	files := map[string]string{"a": "a", "large": noise(2 << 20), "sub/": "", "sub/b": "b"}
	for what, lie := range map[string]func(line string) string{
		"a SIZE that is too small": func(line string) string { return changeSize(line, -1) },
		"a SIZE that is too large": func(line string) string { return changeSize(line, 1000) },
		"226 before the data": func(line string) string {
			if strings.HasPrefix(line, "150 ") || strings.HasPrefix(line, "125 ") {
				return "226 Transfer complete."
			}
			return line
		},
		"550 to each rename": func(line string) string {
			if strings.HasPrefix(line, "350 ") {
				return "550 No such file."
			}
			return line
		},
	} {
		for _, server := range targetServers[1:4] {
			t.Run(what+"/"+server.name, func(t *testing.T) {
				d := deploy(t, server, files)
				_, root := folder(t)
				s := server.start(t, root)
				honest := clientEndpoint(t, server, s)
				proxy := faulty.StartFTP(t, s.Addr, func(faulty.Conn) faulty.Fault {
					return faulty.Fault{Answer: func(line string) (string, bool) { return lie(line), false }}
				})
				s.Addr, s.Port = proxy.Addr, netip.MustParseAddrPort(proxy.Addr).Port()
				d.to, d.target = clientEndpoint(t, server, s), filepath.Join(root, "www")
				var log eventLog
				report, err := Send(t.Context(), d.from, d.to, SendOptions{TreeOptions: TreeOptions{Event: log.add, Retry: never}, Manifest: Manifest{Dir: d.state, Name: "sent"}})
				if err == nil && report.Failed == 0 {
					t.Errorf("Send = %+v, want failures", report)
				}
				checkNoPartial(t, d.target, files)
				d.to = honest
				report, err = Send(t.Context(), d.from, d.to, SendOptions{TreeOptions: TreeOptions{Event: log.add, Retry: hasty}, Manifest: Manifest{Dir: d.state, Name: "sent"}})
				if err != nil || report.Failed > 0 {
					t.Errorf("Send without lies = %+v, %v: %v", report, err, log.of(Failed))
				}
				compareTrees(t, contents(t, d.target), files)
				if t.Failed() {
					for _, e := range log.events {
						t.Logf("%v %s: %v", e.Kind, e.Name, e.Err)
					}
				}
			})
		}
	}
}

// checkNoPartial reports the files of a folder that are there, but not whole. The server may still
// be deleting parts that Send has given up: no other file is read.
func checkNoPartial(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, want := range files {
		if strings.HasSuffix(name, "/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil && string(text) != want {
			t.Errorf("%s has %d bytes, want %d", name, len(text), len(want))
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

// changeSize changes the reply to SIZE.
func changeSize(line string, by int) string {
	digits, ok := strings.CutPrefix(line, "213 ")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || len(digits) == 14 { // a time
		return line
	}
	return "213 " + strconv.Itoa(max(n+by, 0))
}

// A target whose listing has wrong facts: a file that it lists wrongly after an upload has failed,
// and no file is deleted. A source with wrong facts is copied unchanged.
func TestSendWrongFacts(t *testing.T) {
	files := map[string]string{"a": "a", "b": "bb", "sub/": "", "sub/c": "ccc"}
	lying := func(e access.Engine) access.Engine {
		return engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
			r, err := e.Do(ctx, req)
			if err == nil && r.List != nil {
				r.List = &wrongFacts{r.List}
			}
			return r, err
		})
	}
	d := deployFiles(t, files)
	d.to.Engine = lying(d.to.Engine)
	report, _ := d.sendOnce(t, SendOptions{TreeOptions: TreeOptions{Delete: true}})
	if report.Failed != 3 || report.NotDeleted == nil {
		t.Errorf("Send to wrong facts = %+v, want three failures", report)
	}
	compareTrees(t, contents(t, d.target), files)

	d = deployFiles(t, files)
	d.from.Engine = lying(d.from.Engine)
	report, _ = d.sendOnce(t, SendOptions{})
	if report.Files != 3 {
		t.Errorf("Send from wrong facts = %+v", report)
	}
	compareTrees(t, contents(t, d.target), files)
}

// wrongFacts is a listing with sizes that are too large.
type wrongFacts struct{ access.Lister }

func (w *wrongFacts) Next() (access.Entry, error) {
	e, err := w.Lister.Next()
	if e.Size >= 0 {
		e.Size++
	}
	return e, err
}
