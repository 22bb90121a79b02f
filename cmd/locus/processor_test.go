package main

import (
	"runtime"
	"testing"
)

func TestOneProcessor(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Setenv("GOMAXPROCS", "")
	end := oneProcessor()
	if n := runtime.GOMAXPROCS(0); n != 1 {
		t.Errorf("%d processors, want 1", n)
	}
	end()
	if n := runtime.GOMAXPROCS(0); n != before {
		t.Errorf("%d processors afterwards, want %d", n, before)
	}
	t.Setenv("GOMAXPROCS", "2")
	defer oneProcessor()()
	if n := runtime.GOMAXPROCS(0); n != before {
		t.Errorf("with GOMAXPROCS set: %d processors, want %d", n, before)
	}
}
