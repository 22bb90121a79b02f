package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Targets without a corpus run first, each is listed with its executions, and a second run
// skips those in the list.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                    "module m\n\ngo 1.26\n",
		"m_test.go":                 "package m\n\nimport \"testing\"\n\n" + fuzzes("FuzzKnown") + fuzzes("FuzzNew"),
		"testdata/fuzz/FuzzKnown/a": "go test fuzz v1\nint(1)\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	o := options{packages: []string{"./..."}, time: "20x", done: filepath.Join(dir, "done")}
	var out strings.Builder
	if err := o.run(&out); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(o.done)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(list), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "m FuzzNew 20x ") || !strings.HasPrefix(lines[1], "m FuzzKnown 20x ") {
		t.Errorf("run wrote the list %q, want FuzzNew and FuzzKnown", list)
	}
	out.Reset()
	if err := o.run(&out); err != nil || out.Len() > 0 {
		t.Errorf("the second run printed %q, %v, want nothing", &out, err)
	}
}

func fuzzes(name string) string {
	return "func " + name + "(f *testing.F) {\n\tf.Fuzz(func(t *testing.T, n int) {})\n}\n\n"
}

// A failing target is in the error and not in the list. The targets after it run.
func TestRunFails(t *testing.T) {
	dir := t.TempDir()
	text := "package m\n\nimport \"testing\"\n\nfunc FuzzBad(f *testing.F) {\n\tf.Fuzz(func(t *testing.T, n int) { t.Fatal(\"oh\") })\n}\n\n" + fuzzes("FuzzGood")
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m_test.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	o := options{packages: []string{"./..."}, time: "20x", done: filepath.Join(dir, "done")}
	err := o.run(&strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "m FuzzBad") || !strings.Contains(err.Error(), "oh") {
		t.Errorf("run = %v, want an error with the target and its output", err)
	}
	if list, err := os.ReadFile(o.done); err != nil || !strings.HasPrefix(string(list), "m FuzzGood 20x ") || strings.Contains(string(list), "FuzzBad") {
		t.Errorf("run wrote the list %q, %v, want FuzzGood alone", list, err)
	}
}

func TestLastExecutions(t *testing.T) {
	for _, test := range []struct{ out, want string }{
		{"", "0"},
		{"fuzz: elapsed: 0s, gathering baseline coverage: 0/1 completed\n", "0"},
		{"fuzz: elapsed: 3s, execs: 10 (3/sec)\nfuzz: elapsed: 6s, execs: 25 (5/sec), new interesting: 1\nPASS\n", "25"},
	} {
		if got := lastExecutions(test.out); got != test.want {
			t.Errorf("lastExecutions(%q) = %q, want %q", test.out, got, test.want)
		}
	}
}
