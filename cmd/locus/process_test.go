package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

func TestReadLine(t *testing.T) {
	long := strings.Repeat("a", 100)
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"\n", []string{""}},
		{"\n\n", []string{"", ""}},
		{"a", []string{"a"}},
		{"a\n", []string{"a"}},
		{"a\r\n b \n\rc", []string{"a\r", " b ", "\rc"}},
		{"a\x00b\n\xff", []string{"a\x00b", "\xff"}},
		{long + "\n" + long, []string{long, long}},
		{long[:15] + "\n" + long[:16] + "\n" + long[:17] + "\n", []string{long[:15], long[:16], long[:17]}},
	}
	for _, test := range tests {
		in := bufio.NewReaderSize(strings.NewReader(test.in), 16)
		for i := 0; ; i++ {
			line, err := readLine(in)
			if errors.Is(err, io.EOF) && line == "" {
				if i != len(test.want) {
					t.Errorf("readLine, %q: %d lines, want %d", test.in, i, len(test.want))
				}
				break
			}
			if i >= len(test.want) || line != test.want[i] {
				t.Errorf("readLine, %q: line %d is %q, want %q", test.in, i, line, test.want)
				break
			}
		}
	}
}

func TestLimited(t *testing.T) {
	errLarge := errors.New("too large")
	for size := range 5 {
		r := &limited{strings.NewReader("abc"[:min(size, 3)]), 2, errLarge}
		got, err := io.ReadAll(r)
		wantErr := error(nil)
		if size > 2 {
			wantErr = errLarge
		}
		if !errors.Is(err, wantErr) || string(got) != "abc"[:min(size, 2)] {
			t.Errorf("limited to 2, of %d bytes = %q, %v, want error %v", size, got, err, wantErr)
		}
	}
}

func TestMeter(t *testing.T) {
	var out, err bytes.Buffer
	m := &meter{w: &out, stderr: &err, size: 200}
	m.Write(make([]byte, 100)) // next is long ago: shown
	m.Write(make([]byte, 50))  // too soon
	m.clear()
	want := "\rlocus: 100 of 200 bytes, 50%\r" + strings.Repeat(" ", 28) + "\r"
	if err.String() != want || out.Len() != 150 {
		t.Errorf("meter showed %q of %d bytes, want %q", err.String(), out.Len(), want)
	}

	err.Reset()
	quick := &meter{w: &out, stderr: &err, next: time.Now().Add(time.Hour)}
	quick.Write([]byte("x"))
	quick.clear()
	if err.Len() > 0 {
		t.Errorf("meter showed %q within its first second, want nothing", err.String())
	}
}

func TestVersionText(t *testing.T) {
	tests := []struct {
		in   *debug.BuildInfo
		want string
	}{
		{nil, "(unknown)"},
		{&debug.BuildInfo{GoVersion: "go1.26.0"}, "(devel) (go1.26.0)"},
		{&debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.0"}}, "v1.2.0 (go1.26.0)"},
		{
			&debug.BuildInfo{GoVersion: "go1.26.0", Settings: []debug.BuildSetting{
				{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"},
			}},
			"(devel) 0123456789ab+changes (go1.26.0)",
		},
	}
	for _, test := range tests {
		if got := versionText(test.in, test.in != nil); got != test.want {
			t.Errorf("versionText(%v) = %q, want %q", test.in, got, test.want)
		}
	}
}
