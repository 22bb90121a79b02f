package stream

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A worker holds shards that are spread evenly over all numbers. The parts of a split host are in shards next to each
// other, so several workers share the host.

// mostCrowded returns n of the held shards, or all if there are fewer. It chooses one shard after the other: the shard
// with the smallest gap between its neighbors. Of several such shards it chooses the one farthest from the shards that
// it chose before. shards is the number of shards of the run.
func mostCrowded(n int, held []int, shards int) (chosen []int) {
	held = slices.Clone(held)
	slices.Sort(held)
	for range min(n, len(held)) {
		index, smallestGap, farthest := 0, math.MaxInt, 0
		for _, i := range rand.Perm(len(held)) { // in random order, so that workers rarely choose shards next to each other
			before, after := held[(i+len(held)-1)%len(held)], held[(i+1)%len(held)]
			gap, far := steps(before, held[i], shards)+steps(held[i], after, shards), distance(held[i], chosen, shards)
			if gap < smallestGap || gap == smallestGap && far > farthest {
				index, smallestGap, farthest = i, gap, far
			}
		}
		chosen = append(chosen, held[index])
		held = slices.Delete(held, index, index+1)
	}
	return chosen
}

// mostDistant returns n of the free shards, or all if there are fewer. It chooses one shard after the other: the shard
// that is farthest from the held shards and from the shards that it chose before. Of several such shards it chooses the
// first. shards is the number of shards of the run.
func mostDistant(n int, free, held []int, shards int) (chosen []int) {
	held, free = slices.Clone(held), slices.Clone(free)
	for range min(n, len(free)) {
		index, farthest := 0, -1
		for i, shard := range free {
			if far := distance(shard, held, shards); far > farthest {
				index, farthest = i, far
			}
		}
		chosen, held = append(chosen, free[index]), append(held, free[index])
		free = slices.Delete(free, index, index+1)
	}
	return chosen
}

// distance returns the number of steps, in either direction, between a shard and the nearest of others. shards is the
// number of shards of the run, and the result if others is empty.
func distance(shard int, others []int, shards int) int {
	least := shards
	for _, n := range others {
		least = min(least, steps(n, shard, shards), steps(shard, n, shards))
	}
	return least
}

// steps returns how many steps upward lead from one shard to another. The first shard follows the last.
func steps(from, to, shards int) int { return (to - from + shards) % shards }
