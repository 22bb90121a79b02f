package web

import "testing"

func TestWithVia(t *testing.T) {
	ctx := WithVia(t.Context(), "")
	if Via(ctx) != "" {
		t.Errorf("Via = %q, want none", Via(ctx))
	}
	if got := Via(WithVia(WithVia(ctx, "1.1 a"), "")); got != "1.1 a" {
		t.Errorf("Via = %q, want the earlier value", got)
	}
	if got := Via(WithVia(WithVia(ctx, "1.1 a"), "1.1 a, 1.1 b")); got != "1.1 a, 1.1 b" {
		t.Errorf("Via = %q, want the last", got)
	}
}
