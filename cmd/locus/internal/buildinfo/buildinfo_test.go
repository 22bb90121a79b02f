package buildinfo_test

import (
	"encoding/json"
	"runtime/debug"
	"testing"

	"locus/cmd/locus/internal/buildinfo"
)

func TestBuild(t *testing.T) {
	for _, test := range []struct {
		in                  *debug.BuildInfo
		want, product, json string
	}{
		{nil, "locus (unknown)", "locus/(unknown)", `{"version":"(unknown)","commit":"","date":"","changed":false,"go":"","modules":[]}`},
		{
			&debug.BuildInfo{GoVersion: "go1.26.0"}, "locus (devel) (go1.26.0)", "locus/(devel)",
			`{"version":"(devel)","commit":"","date":"","changed":false,"go":"go1.26.0","modules":[]}`,
		},
		{
			&debug.BuildInfo{
				GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.0"},
				Deps: []*debug.Module{
					{Path: "example.org/a", Version: "v1.0.0"},
					{Path: "example.org/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/c", Version: "v1.1.0"}},
				},
			},
			"locus v1.2.0 (go1.26.0)", "locus/1.2.0",
			`{"version":"v1.2.0","commit":"","date":"","changed":false,"go":"go1.26.0","modules":[` +
				`{"path":"example.org/a","version":"v1.0.0"},{"path":"example.org/c","version":"v1.1.0"}]}`,
		},
		{
			&debug.BuildInfo{GoVersion: "go1.26.0", Settings: []debug.BuildSetting{
				{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-11-23T04:00:00Z"}, {Key: "vcs.modified", Value: "true"},
			}},
			"locus (devel) 0123456789ab+changes (go1.26.0)", "locus/(devel)",
			`{"version":"(devel)","commit":"0123456789abcdef","date":"2026-11-23T04:00:00Z","changed":true,"go":"go1.26.0","modules":[]}`,
		},
	} {
		b := buildinfo.Of(test.in)
		if got := b.String(); got != test.want {
			t.Errorf("Of(%v) = %q, want %q", test.in, got, test.want)
		}
		if got := b.Product(); got != test.product {
			t.Errorf("Of(%v).Product() = %q, want %q", test.in, got, test.product)
		}
		if got, err := json.Marshal(b); err != nil || string(got) != test.json {
			t.Errorf("Of(%v) = %s, %v, want %s", test.in, got, err, test.json)
		}
	}
}
