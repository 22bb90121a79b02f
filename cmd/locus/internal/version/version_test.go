package version

import (
	"runtime/debug"
	"testing"
)

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
