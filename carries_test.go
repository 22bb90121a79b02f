package locus

import (
	"testing"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/cache"
	"locus/limit"
)

// The wrappers of the stack pass on every field, alone and together.
func TestStackCarries(t *testing.T) {
	for name, c := range map[string]*Client{
		"a Client":    {},
		"retries":     {Retries: 2},
		"limits":      {Limits: Limits{Bytes: 1 << 20, Total: time.Minute}, Limiter: &limit.Limiter{PerServer: 1}, Rate: new(limit.Rate)},
		"logins":      {Login: noLogin},
		"public":      {Public: true},
		"no redirect": {NoRedirects: true},
		"a cache":     {Cache: new(cache.Cache)},
	} {
		t.Run(name, func(t *testing.T) {
			accesstest.Carries(t, func(e access.Engine) access.Engine {
				c.Engines = func(Dial) map[string]Scheme { return map[string]Scheme{"gopher": {Engine: e}} }
				return c
			})
		})
	}
}
