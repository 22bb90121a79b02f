package serve

import (
	"testing"
	"time"
)

// What others ask for takes no longer than half an hour unless somebody says so.
func TestTimeout(t *testing.T) {
	for _, tt := range []struct {
		options Options
		want    time.Duration
	}{
		{Options{}, 0},
		{Options{RequestTimeout: 5 * time.Second}, 5 * time.Second},
		{Options{Policy: "public"}, 30 * time.Minute},
		{Options{Policy: "any"}, 30 * time.Minute},
		{Options{Policy: "public", RequestTimeout: 2 * time.Hour}, 2 * time.Hour},
	} {
		if got := tt.options.timeout(); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.options, got, tt.want)
		}
	}
}
