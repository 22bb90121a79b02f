package notebook

import (
	"strings"
	"testing"
)

// isCell accepts the path of an object in the array of cells, which is three levels deep.
func TestIsCell(t *testing.T) {
	for path, want := range map[string]bool{
		"": false, ",cells": false, ",cells,": true, ",cells,x": true, ",other,": false, ",metadata,cells,": false, ",cells,,source": false, "cells,cells,": true,
	} {
		if got := isCell(strings.Split(path, ",")); got != want {
			t.Errorf("isCell(%q) = %v, want %v", strings.Split(path, ","), got, want)
		}
	}
}

// next skips the white space of JSON.
func TestNext(t *testing.T) {
	for _, test := range []struct {
		in   string
		at   int
		want byte
	}{
		{`"a" : 1`, 3, ':'},
		{"\"a\"\r\n\t:", 3, ':'},
		{`"a"`, 2, '"'},
		{`"a"  `, 3, 0},
		{"", 0, 0},
		{"x", 9, 0},
	} {
		if got := next([]byte(test.in), test.at); got != test.want {
			t.Errorf("next(%q, %d) = %q, want %q", test.in, test.at, got, test.want)
		}
	}
}
