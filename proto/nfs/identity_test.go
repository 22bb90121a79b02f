package nfs_test

import (
	"reflect"
	"testing"

	"locus/proto/nfs"
)

func TestParseIdentity(t *testing.T) {
	for text, want := range map[string]*nfs.Identity{
		"1000:100":        {UID: 1000, GID: 100, Groups: []uint32{}},
		"0:0":             {Groups: []uint32{}},
		"1:2,3,4":         {UID: 1, GID: 2, Groups: []uint32{3, 4}},
		"4294967295:1":    {UID: 1<<32 - 1, GID: 1, Groups: []uint32{}},
		"1000":            nil,
		"":                nil,
		"ada:users":       nil,
		"-1:1":            nil,
		"4294967296:1":    nil,
		"1:2,":            nil,
		"1:":              nil,
		"1:2:3":           nil,
		"1 : 2":           nil,
		"0x10:0":          nil,
		"1:1,\u0661":      nil,
		"18446744073:1,2": nil,
	} {
		got, err := nfs.ParseIdentity(text)
		if !reflect.DeepEqual(got, want) || (err == nil) != (want != nil) {
			t.Errorf("ParseIdentity(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
}
