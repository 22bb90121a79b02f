package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"locus/cmd/locus/internal/clitest"
	"locus/cmd/locus/internal/command"
	"locus/demo"
)

var update = flag.Bool("u", false, "update the expected output in testdata/script")

func TestMain(m *testing.M) {
	// By default, a program with the race detector waits for a second before it exits.
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", "atexit_sleep_ms=10")
	}
	// The tests wait for servers and processes more than they use the processor.
	_ = flag.Set("test.parallel", strconv.Itoa(max(4, runtime.GOMAXPROCS(0)))) // the flag -parallel overrides it
	testscript.Main(tests{m}, map[string]func(){"locus": main})
}

// A tests runs the tests, for testscript.Main.
type tests struct{ *testing.M }

// Run runs the tests. If they have the race detector, scripts still find a command without it in
// $PATH, because they start hundreds of processes. The commands that run in this process have the
// race detector, and so have the processes of clitest.Process. Scripts about signals, pipes and
// real servers run without it.
func (t tests) Run() int {
	if !raceDetector {
		return t.M.Run()
	}
	dir, err := os.MkdirTemp("", "locus-test-")
	if err == nil {
		defer os.RemoveAll(dir)
		_, err = clitest.Build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return t.M.Run()
}

// TestScripts runs testdata/script. A script finds in its environment
//
//	$WEB, $GOPHER          servers that stall, lie and break off; see servers_test.go
//	$LOCUS_DIR              the directory of the command
//	$DEMO_HTTP, $DEMO_FTP … the roots of the demo's servers; in names "_" stands for "."
//	$HTTP_ADDR, $FTP_ADDR … their hosts and ports
//
// and has these commands:
//
//	run       runs the command in this process
//	terminal  does so with a terminal for stdout
//	await     waits until a path of $WEB was asked for
//	exits     wants a command to exit with a status
//	expand    puts the values of the environment into files
//	examples  runs the examples at the end of "help --all" of verbs
func TestScripts(t *testing.T) {
	t.Parallel()
	web, gopher := newWeb(t), newGopher(t)
	socks, proxy := newSOCKS(t), newHTTPProxy(t)
	d, err := demo.Start(context.Background(), demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	self, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("LOCUS_DIR", filepath.Dir(self))
			env.Setenv("WEB", web.url)
			env.Setenv("GOPHER", gopher)
			env.Setenv("SOCKS", socks)
			env.Setenv("PROXY", proxy)
			env.Setenv("WEB_PORT", web.url[strings.LastIndexByte(web.url, ':')+1:])
			for _, s := range d.Services() {
				name := strings.ReplaceAll(strings.ToUpper(s.Scheme), ".", "_")
				env.Setenv(name+"_ADDR", s.Addr)
				env.Setenv(name+"_PORT", s.Addr[strings.LastIndexByte(s.Addr, ':')+1:])
				env.Setenv("DEMO_"+name, strings.TrimSuffix(s.URL, "/"))
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"run":      runInProcess,
			"terminal": runAtTerminal,
			"await":    web.await,
			"examples": runExamples,
			"expand":   expandFiles,
			"pack":     packFolder,
			"exits":    exits,
		},
	})
}

// TestManual checks that doc/locus.1 is the output of "locus help --man".
func TestManual(t *testing.T) {
	const name = "../../doc/locus.1"
	var b bytes.Buffer
	if err := program().WriteManual(&b); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(got, b.Bytes()) {
		t.Errorf("%s is not the output of locus help --man (%v): go test ./cmd/locus -run TestManual -u", name, err)
	}
}

// runExamples runs the examples of each verb's help in a shell, except examples that need the
// network. $EXAMPLES has pairs of a text and its replacement.
func runExamples(ts *testscript.TestScript, _ bool, verbs []string) {
	here := strings.NewReplacer(strings.Fields(ts.Getenv("EXAMPLES"))...)
	for _, verb := range verbs {
		ts.Check(ts.Exec("locus", "help", "--all", verb))
		help := ts.ReadFile("stdout")
		_, lines, ok := strings.Cut(help, "\nexample:\n")
		if !ok || strings.TrimSpace(lines) == "" {
			ts.Fatalf("the help of %s has no example that can run here", verb)
		}
		for line := range strings.Lines(lines) {
			if needsNetwork(verb) && strings.Contains(line, "example.org") {
				continue
			}
			if err := ts.Exec("sh", "-c", here.Replace(line)); err != nil {
				ts.Fatalf("example %q: %v", line, err)
			}
		}
	}
}

// runInProcess runs the command in this process: run locus ARG… [<FILE].
func runInProcess(ts *testscript.TestScript, neg bool, args []string) {
	status, err := locusIn(ts, args[1:], nil)
	ts.Check(err)
	if neg != (status != 0) {
		ts.Fatalf("locus %q ends with %d", args, status)
	}
}

// locusIn runs the command in the folder and environment of a script, and returns its exit status.
// Its stdout goes to the file terminal, or to the script if terminal is nil.
func locusIn(ts *testscript.TestScript, args []string, terminal *os.File) (int, error) {
	dir, err := os.MkdirTemp("", "locus-script-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	var files [3]*os.File
	for i, name := range []string{"stdin", "stdout", "stderr"} {
		if files[i], err = os.Create(filepath.Join(dir, name)); err != nil {
			return 0, err
		}
		defer files[i].Close()
	}
	if last := len(args) - 1; last >= 0 && strings.HasPrefix(args[last], "<") && !strings.HasSuffix(args[last], ">") {
		if _, err := files[0].WriteAt([]byte(ts.ReadFile(args[last][1:])), 0); err != nil {
			return 0, err
		}
		args = args[:last]
	}
	stdout := files[1]
	if terminal != nil {
		stdout = terminal
	}
	e := command.NewEnv(files[0], stdout, files[2])
	e.Dir = ts.MkAbs(".")
	e.Program, _ = os.Executable()
	e.LookupEnv = func(name string) (string, bool) { value := ts.Getenv(name); return value, value != "" }
	status := program().Run(context.Background(), e, append([]string{"locus"}, args...))
	for i, to := range []io.Writer{ts.Stdout(), ts.Stderr()} {
		text, err := os.ReadFile(files[i+1].Name())
		if err != nil {
			return 0, err
		}
		if _, err := to.Write(text); err != nil {
			return 0, err
		}
	}
	return status, nil
}

// expandFiles replaces environment variables in files by their values.
func expandFiles(ts *testscript.TestScript, _ bool, files []string) {
	for _, file := range files {
		text := os.Expand(ts.ReadFile(file), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o666))
	}
}

// packFolder writes the files of a folder into a zip file: pack FILE FOLDER.
func packFolder(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	z := zip.NewWriter(f)
	ts.Check(errors.Join(z.AddFS(os.DirFS(ts.MkAbs(args[1]))), z.Close(), f.Close()))
}

// exits runs a command that must exit with the status of the first argument.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if args[1] == "locus" {
		status, err := locusIn(ts, args[2:], nil)
		ts.Check(err)
		if strconv.Itoa(status) != args[0] {
			ts.Fatalf("%q ended with %d, want exit status %s", args[1:], status, args[0])
		}
		return
	}
	err := ts.Exec(args[1], args[2:]...)
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || strconv.Itoa(exit.ExitCode()) != args[0] {
		ts.Fatalf("%q ended with %v, want exit status %s", args[1:], err, args[0])
	}
}

func needsNetwork(verb string) bool {
	return verb == "get" || verb == "open" || verb == "ls" || verb == "stat" || verb == "check"
}
