package check

import (
	"fmt"
	"strconv"
	"testing"
)

// The limits of all parts of a host are, in sum, those of the host.
func TestPartsOfHost(t *testing.T) {
	for _, tt := range []struct {
		policy Policy
		parts  int
	}{
		{Policy{Split: []string{"H.test"}}, 8},
		{Policy{Split: []string{"h.test"}, PerServer: 3}, 3},
		{Policy{Split: []string{"h.test"}, PerServer: 1}, 1},
		{Policy{Split: []string{"h.test"}, PerServer: 100}, maxParts},
		{Policy{Split: []string{"h.test"}, Rate: 2.5}, 2},
		{Policy{Split: []string{"h.test"}, Rate: 0.1}, 1},
		{Policy{Split: []string{"h.test"}, Rate: 1000}, 8},
		{Policy{Split: []string{"h.test"}, Hosts: []HostRule{{Host: "h.test", PerServer: 5}}}, 5},
		{Policy{Split: []string{"h.test"}, Hosts: []HostRule{{Host: "https://h.test", Rate: 4}}}, 4},
		{Policy{Split: []string{"other.test"}}, 1},
	} {
		s, err := newScope(tt.policy)
		if err != nil {
			t.Fatal(err)
		}
		pools, shards := make(map[string]bool), make(map[int]bool)
		for i := range 1000 {
			u := fmt.Sprintf("https://h.test/%d", i)
			pools[s.poolOf(u)] = true
			shards[tt.policy.Sharding(64).Of(u)] = true
			if tt.policy.Sharding(64).Of(u) != tt.policy.Sharding(64).Of(u+"#x") {
				t.Fatalf("%s has another shard with a fragment", u)
			}
		}
		if len(pools) != tt.parts || len(shards) != tt.parts {
			t.Errorf("%+v: %d pools in %d shards, want %d", tt.policy, len(pools), len(shards), tt.parts)
		}
		jobs, rate := 0, 0.0
		for pool := range pools {
			if got := serverIn(pool); got != "https://h.test:443" {
				t.Errorf("%s is a pool of %s", pool, got)
			}
			of := s.limitOf(pool)
			if of.jobs == 0 {
				t.Errorf("%+v: %s has no turn", tt.policy, pool)
			}
			jobs, rate = jobs+of.jobs, rate+of.rate
		}
		if wantJobs, wantRate := s.limits("https://h.test:443"); jobs != wantJobs || rate < 0.999*wantRate || rate > 1.001*wantRate {
			t.Errorf("%+v: %d jobs and %v a second in sum, want %d and %v", tt.policy, jobs, rate, wantJobs, wantRate)
		}
	}
}

// No part of a host is without a turn, at whatever port a rule names for it.
func TestPartsOfPorts(t *testing.T) {
	for _, tt := range []struct {
		rule HostRule
		url  string
	}{
		{HostRule{Host: "h.test:8080", PerServer: 1}, "http://h.test:8080/"},
		{HostRule{Host: "https://H.test:8443", PerServer: 2}, "https://h.test:8443/"},
		{HostRule{Host: "*.test:8080", Rate: 1}, "https://h.test:8080/"},
		{HostRule{Host: "ftp://h.test", PerServer: 1}, "ftp://h.test/"},
	} {
		s, err := newScope(Policy{Split: []string{"h.test"}, Hosts: []HostRule{{Host: "other.test:99", PerServer: 1}, tt.rule}})
		if err != nil {
			t.Fatal(err)
		}
		pools := make(map[string]bool)
		for i := range 1000 {
			pools[s.poolOf(tt.url+strconv.Itoa(i))] = true
		}
		jobs, rate := 0, 0.0
		for pool := range pools {
			of := s.limitOf(pool)
			if of.jobs == 0 {
				t.Errorf("%+v: %s has no turn", tt.rule, pool)
			}
			jobs, rate = jobs+of.jobs, rate+of.rate
		}
		if wantJobs, wantRate := s.limits(tt.url); jobs != wantJobs || rate < 0.999*wantRate || rate > 1.001*wantRate {
			t.Errorf("%+v: %d jobs and %v a second in sum, want %d and %v", tt.rule, jobs, rate, wantJobs, wantRate)
		}
		if pools := s.policy.partsOf()["h.test"]; tt.rule.Rate > 0 && pools != 1 {
			t.Errorf("%+v: %d parts for one request a second", tt.rule, pools)
		}
	}
}

func shardOf(u string, shards int) int { return Policy{}.Sharding(shards).Of(u) }

// A host belongs to one shard, however it is written.
func TestSharding(t *testing.T) {
	if got := shardOf("http://h/", 1); got != 0 {
		t.Errorf("shardOf is %d of one shard", got)
	}
	want := shardOf("http://h.example/", 256)
	for _, u := range []string{"http://H.Example/x", "https://h.example:8080/y?z", "ftp://u:p@h.EXAMPLE/", "http://h.example/#f", "http://h.example?q", "http://h.example#f", "http://h.example:80"} {
		if got := shardOf(u, 256); got != want {
			t.Errorf("shardOf(%q) = %d, want %d", u, got, want)
		}
	}
	for u, host := range map[string]string{"http://[::1]:80/": "[::1]", "http://[::1]/": "[::1]", "http://a@b@c:1/@d:2": "c", "mailto:A@b": "mailto:a@b", "http://": "", "": ""} {
		if got := hostOf(u); got != host {
			t.Errorf("hostOf(%q) = %q, want %q", u, got, host)
		}
	}
	shards := make(map[int]bool)
	for _, u := range []string{"http://a/", "http://b/", "http://c/", "mailto:x@y", "http://[::1/y", ""} {
		shards[shardOf(u, 256)] = true
	}
	if len(shards) < 4 {
		t.Errorf("6 hosts are in %d shards", len(shards))
	}
}
