package board

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	var out, err bytes.Buffer
	m := &Meter{w: &out, terminal: &err, name: "locus: ", size: 200}
	m.Write(make([]byte, 100)) // enough time has passed, so it is shown
	m.Write(make([]byte, 50))  // too soon
	m.Clear()
	want := "\rlocus: 100 of 200 bytes, 50%\r" + strings.Repeat(" ", 28) + "\r"
	if err.String() != want || out.Len() != 150 {
		t.Errorf("meter showed %q of %d bytes, want %q", err.String(), out.Len(), want)
	}

	err.Reset()
	quick := &Meter{w: &out, terminal: &err, next: time.Now().Add(time.Hour)}
	quick.Write([]byte("x"))
	quick.Clear()
	if err.Len() > 0 {
		t.Errorf("meter showed %q within its first second, want nothing", err.String())
	}
}
