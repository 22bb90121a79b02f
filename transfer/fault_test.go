package transfer

import (
	"net"
	"strings"
	"testing"
	"time"

	"locus"
	"locus/access"
	"locus/internal/faulty"
	"locus/retry"
	"locus/url"
)

// overNetwork returns an engine for the network. A server that is silent for idle has
// failed; 0 means a minute.
func overNetwork(idle time.Duration) access.Engine {
	return &locus.Client{Retries: -1, Dial: new(net.Dialer).DialContext, Idle: idle}
}

// A file is complete after every transient fault. Any other fault gives an error and leaves no
// file.
func TestGetFaults(t *testing.T) {
	// attack: A server breaks off, so that a part looks like the whole file
	source := t.TempDir()
	big := noise(1 << 20)
	fill(t, source, map[string]string{"big": big})
	at := serve(t, source)
	const piece = 64 << 10
	once := func(f faulty.Fault) func(faulty.Conn) faulty.Fault {
		return func(c faulty.Conn) faulty.Fault {
			if c.N > 0 {
				return faulty.Fault{}
			}
			return f
		}
	}
	onData := func(plan func(faulty.Conn) faulty.Fault) func(faulty.Conn) faulty.Fault {
		return func(c faulty.Conn) faulty.Fault {
			if !c.Data {
				return faulty.Fault{}
			}
			return plan(c)
		}
	}
	onControl := func(f faulty.Fault) func(faulty.Conn) faulty.Fault {
		return func(c faulty.Conn) faulty.Fault {
			if c.Data || c.N > 0 {
				return faulty.Fault{}
			}
			return f
		}
	}
	answer := func(command, instead string, hangUp bool) func(string) (string, bool) {
		return func(line string) (string, bool) {
			if strings.HasPrefix(line, command) {
				return instead, hangUp
			}
			return line, false
		}
	}
	cut := func(faulty.Conn) faulty.Fault { return faulty.Fault{Cut: piece} }
	reset := func(c faulty.Conn) faulty.Fault { // and the bytes on their way are lost
		if c.N > 2 {
			return faulty.Fault{}
		}
		return faulty.Fault{Cut: piece, Reset: true}
	}
	stall := once(faulty.Fault{Stall: piece})
	for _, test := range []struct {
		name   string
		scheme string
		plan   func(faulty.Conn) faulty.Fault
		retry  retry.Policy
		fails  bool
		idle   time.Duration // the client's idle timeout
	}{
		{"cut", "http", cut, hasty, false, 0},
		{"cut", "ftp", onData(cut), hasty, false, 0},
		{"reset", "http", reset, hasty, false, 0},
		{"reset", "ftp", onData(reset), hasty, false, 0},
		{"stall", "http", stall, restless, false, silence},
		{"stall", "ftp", onData(stall), restless, false, silence},
		{"refused for a while", "http", once(faulty.Fault{Refuse: true}), hasty, false, 0},
		{"refused for a while", "ftp", once(faulty.Fault{Refuse: true}), restless, false, silence},
		{"slow to begin", "http", once(faulty.Fault{Delay: 2 * silence}), restless, false, silence},
		{"always refused", "http", func(faulty.Conn) faulty.Fault { return faulty.Fault{Refuse: true} }, hasty, true, 0},
		{"421 at first", "ftp", onControl(faulty.Fault{Answer: answer("220", "421 Too many users.", true)}), hasty, false, 0},
		{"421 in the middle", "ftp", onControl(faulty.Fault{Answer: answer("226", "421 Going down.", true)}), hasty, false, 0},
		{"always 421", "ftp", func(faulty.Conn) faulty.Fault { return faulty.Fault{Answer: answer("220", "421 Full.", true)} }, hasty, true, 0},
		{"a SIZE too large", "ftp", func(faulty.Conn) faulty.Fault {
			return faulty.Fault{Answer: answer("213 1048576", "213 1048577", false)}
		}, hasty, true, 0},
		{"a SIZE too small", "ftp", func(faulty.Conn) faulty.Fault {
			return faulty.Fault{Answer: answer("213 1048576", "213 1048575", false)}
		}, hasty, true, 0},
		{"no data connection at first", "ftp", onData(once(faulty.Fault{Refuse: true})), restless, false, silence},
		{"never a data connection", "ftp", onData(func(faulty.Conn) faulty.Fault { return faulty.Fault{Refuse: true} }), hasty, true, silence},
		{"no REST", "ftp", func(c faulty.Conn) faulty.Fault {
			if c.Data {
				return once(faulty.Fault{Cut: piece})(c)
			}
			return faulty.Fault{Answer: answer("350", "502 No REST here.", false)}
		}, hasty, false, 0},
	} {
		t.Run(test.scheme+" "+test.name, func(t *testing.T) {
			t.Parallel()
			root, dir := folder(t)
			fill(t, dir, map[string]string{"out": "what was there"})
			var log eventLog
			u := test.scheme + "://" + proxied(t, test.scheme, at[test.scheme], test.plan) + "/big"
			result, err := Get(t.Context(), overNetwork(test.idle), request(u), root, "out", Options{Retry: test.retry, Event: log.add})
			want := map[string]string{"out": big}
			if test.fails {
				want["out"] = "what was there"
			}
			if (err != nil) != test.fails {
				t.Errorf("Get = %+v, %v; want failed %v", result, err, test.fails)
			}
			got := contents(t, dir)
			for _, left := range []string{"out.part", "out.part.json"} { // for a later run
				if test.fails {
					delete(got, left)
				}
			}
			compareTrees(t, got, want)
			if n := len(log.of(Done)) + len(log.of(Failed)); n != 1 {
				t.Errorf("%d last events, want 1", n)
			}
		})
	}
}

// A mirror with faults is right, or reports a failure and keeps all local files.
func TestMirrorFaults(t *testing.T) {
	source := t.TempDir()
	files := map[string]string{
		"a": "a", "pub/": "", "pub/b": noise(200_000), "pub/deep/": "", "pub/deep/c d": "c", "empty/": "",
	}
	fill(t, source, files)
	at := serve(t, source)
	for _, test := range []struct {
		name  string
		plan  func(faulty.Conn) faulty.Fault
		fails bool
	}{
		{"none", func(faulty.Conn) faulty.Fault { return faulty.Fault{} }, false},
		{"every second data connection cut", func(c faulty.Conn) faulty.Fault {
			if !c.Data || c.N%2 == 0 {
				return faulty.Fault{}
			}
			return faulty.Fault{Cut: 40}
		}, false},
		{"listings cut short", func(c faulty.Conn) faulty.Fault {
			if !c.Data || c.N == 0 {
				return faulty.Fault{}
			}
			return faulty.Fault{Cut: 40, Reset: true}
		}, true},
		{"426 after listings", func(faulty.Conn) faulty.Fault {
			return faulty.Fault{Answer: func(line string) (string, bool) {
				if strings.HasPrefix(line, "226") {
					return "426 Broken.", false
				}
				return line, false
			}}
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root, dir := folder(t)
			fill(t, dir, map[string]string{"old": "old", "pub/old": "old"})
			addr := proxied(t, "ftp", at["ftp"], test.plan)
			var log eventLog
			policy := hasty
			if !test.fails {
				policy.Retries = 1000 // a job may have the second one each time, while the other has work
			}
			report, err := Mirror(t.Context(), overNetwork(0), url.MustParse("ftp://"+addr+"/"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: policy, Event: log.add, Jobs: 2, Delete: true}})
			if err != nil || (report.Failed > 0) != test.fails {
				t.Errorf("Mirror = %+v, %v, %+v; want failed %v", report, err, log.of(Failed), test.fails)
			}
			got := contents(t, dir)
			if !test.fails {
				compareTrees(t, got, files)
				return
			}
			if got["old"] == "" || got["pub/old"] == "" || report.Deleted > 0 || report.NotDeleted == nil {
				t.Errorf("something was deleted: %v, %+v", got, report)
			}
			for name, text := range got {
				if want, ok := files[name]; ok && text != want {
					t.Errorf("%q has %d bytes, want %d", name, len(text), len(want))
				}
			}
		})
	}
}

// A file is right if the connection of each of its ranges breaks.
func TestSplitFaults(t *testing.T) {
	source := t.TempDir()
	big := noise(1 << 20)
	fill(t, source, map[string]string{"big": big})
	at := serve(t, source)
	for _, scheme := range []string{"http", "ftp"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			addr := proxied(t, scheme, at[scheme], func(c faulty.Conn) faulty.Fault {
				if scheme == "ftp" && !c.Data {
					return faulty.Fault{}
				}
				return faulty.Fault{Cut: 64 << 10}
			})
			root, dir := folder(t)
			result, err := Get(t.Context(), overNetwork(0), request(scheme+"://"+addr+"/big"), root, "big", Options{Retry: hasty, Split: 4, SplitSize: 64 << 10})
			if err != nil {
				t.Errorf("Get = %+v, %v", result, err)
			}
			compareTrees(t, contents(t, dir), map[string]string{"big": big})
		})
	}
}

// A silent server ends a transfer without retries.
func TestGetSilent(t *testing.T) {
	source := t.TempDir()
	fill(t, source, map[string]string{"big": noise(1 << 20)})
	at := serve(t, source)
	for _, scheme := range []string{"http", "ftp"} {
		for name, piece := range map[string]int64{"at once": 1, "in the middle": 64 << 10} {
			t.Run(scheme+" "+name, func(t *testing.T) {
				t.Parallel()
				addr := proxied(t, scheme, at[scheme], func(c faulty.Conn) faulty.Fault {
					if scheme == "ftp" && !c.Data && piece > 1 {
						return faulty.Fault{}
					}
					return faulty.Fault{Stall: piece}
				})
				root, dir := folder(t)
				_, err := Get(t.Context(), overNetwork(silence), request(scheme+"://"+addr+"/big"), root, "big", Options{Retry: retry.Policy{Retries: -1}})
				if err == nil || !strings.Contains(err.Error(), "the server sent nothing for 300ms") || !retry.Transient(err) {
					t.Errorf("Get = %v, want it to say that the server sent nothing", err)
				}
				if _, ok := contents(t, dir)["big"]; ok {
					t.Error("the file has its name")
				}
			})
		}
	}
}
