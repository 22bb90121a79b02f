package check

import (
	"fmt"
	"strconv"
	"testing"
)

// The limits of the parts of a host add up to the limits of the host.
func TestPartsOfHost(t *testing.T) {
	for _, test := range []struct {
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
		s, err := newScope(test.policy)
		if err != nil {
			t.Fatalf("newScope(%+v): %v", test.policy, err)
		}
		pools, shards := make(map[string]bool), make(map[int]bool)
		for i := range 1000 {
			u := fmt.Sprintf("https://h.test/%d", i)
			pools[s.poolOf(u)] = true
			shards[test.policy.Sharding(64).Of(u)] = true
			if test.policy.Sharding(64).Of(u) != test.policy.Sharding(64).Of(u+"#x") {
				t.Fatalf("%s is in another shard with a fragment", u)
			}
		}
		if len(pools) != test.parts || len(shards) != test.parts {
			t.Errorf("with %+v, the URLs are in %d pools and %d shards, want %d", test.policy, len(pools), len(shards), test.parts)
		}
		jobs, rate := 0, 0.0
		for pool := range pools {
			if got := serverIn(pool); got != "https://h.test:443" {
				t.Errorf("the pool %s is a part of %s", pool, got)
			}
			of := s.limitOf(pool)
			if of.jobs == 0 {
				t.Errorf("with %+v, the pool %s gets no turn", test.policy, pool)
			}
			jobs, rate = jobs+of.jobs, rate+of.rate
		}
		if wantJobs, wantRate := s.limits("https://h.test:443"); jobs != wantJobs || rate < 0.999*wantRate || rate > 1.001*wantRate {
			t.Errorf("with %+v, the parts have %d jobs and %v a second in sum, want %d and %v", test.policy, jobs, rate, wantJobs, wantRate)
		}
	}
}

// Every part of a host gets a turn, at every port that a rule names for the host.
func TestPartsOfPorts(t *testing.T) {
	for _, test := range []struct {
		rule HostRule
		url  string
	}{
		{HostRule{Host: "h.test:8080", PerServer: 1}, "http://h.test:8080/"},
		{HostRule{Host: "https://H.test:8443", PerServer: 2}, "https://h.test:8443/"},
		{HostRule{Host: "*.test:8080", Rate: 1}, "https://h.test:8080/"},
		{HostRule{Host: "ftp://h.test", PerServer: 1}, "ftp://h.test/"},
	} {
		s, err := newScope(Policy{Split: []string{"h.test"}, Hosts: []HostRule{{Host: "other.test:99", PerServer: 1}, test.rule}})
		if err != nil {
			t.Fatalf("newScope with the rule %+v: %v", test.rule, err)
		}
		pools := make(map[string]bool)
		for i := range 1000 {
			pools[s.poolOf(test.url+strconv.Itoa(i))] = true
		}
		jobs, rate := 0, 0.0
		for pool := range pools {
			of := s.limitOf(pool)
			if of.jobs == 0 {
				t.Errorf("with %+v, the pool %s gets no turn", test.rule, pool)
			}
			jobs, rate = jobs+of.jobs, rate+of.rate
		}
		if wantJobs, wantRate := s.limits(test.url); jobs != wantJobs || rate < 0.999*wantRate || rate > 1.001*wantRate {
			t.Errorf("with %+v, the parts have %d jobs and %v a second in sum, want %d and %v", test.rule, jobs, rate, wantJobs, wantRate)
		}
		if pools := s.policy.partsOf()["h.test"]; test.rule.Rate > 0 && pools != 1 {
			t.Errorf("with %+v, the host has %d parts for one request a second", test.rule, pools)
		}
	}
}

// A port without a rule has the general limits, so every part of the host must get a turn there, however much the rules
// for the default ports allow.
func TestPartsOfOtherPorts(t *testing.T) {
	for _, test := range []Policy{
		{PerServer: 2, Hosts: []HostRule{{Host: "h.test", PerServer: 16}}},
		{PerServer: 1, Hosts: []HostRule{{Host: "h.test", PerServer: -1}}},
		{Rate: 1, Hosts: []HostRule{{Host: "h.test", Rate: 100}}},
		{Rate: 1, Hosts: []HostRule{{Host: "h.test", Rate: -1}}},
	} {
		test.Split = []string{"h.test"}
		s, err := newScope(test)
		if err != nil {
			t.Fatalf("newScope(%+v): %v", test, err)
		}
		for i := range 1000 {
			pool := s.poolOf("http://h.test:8080/" + strconv.Itoa(i))
			if of := s.limitOf(pool); of.jobs == 0 {
				t.Fatalf("with %+v, the pool %s gets no turn", test, pool)
			}
		}
		if parts := s.policy.partsOf()["h.test"]; test.Rate > 0 && parts != 1 {
			t.Errorf("with %+v, the host has %d parts, but its port 8080 gets one request a second", test, parts)
		}
	}
}

func shardOf(u string, shards int) int { return Policy{}.Sharding(shards).Of(u) }

// A host belongs to one shard, whatever the case, the port and the scheme of its URLs are.
func TestSharding(t *testing.T) {
	if got := shardOf("http://h/", 1); got != 0 {
		t.Errorf("shardOf for one shard = %d, want 0", got)
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
