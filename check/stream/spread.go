package stream

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A worker holds shards that are spread evenly over all numbers. A host that is split has its
// parts in shards next to each other, so several workers share them.

// mostCrowded returns n of the held shards, or all. It chooses one after the other: the shard with
// the smallest gap between its neighbors, and of several such ones the farthest from those chosen
// before.
func mostCrowded(n int, held []int, shards int) (chosen []int) {
	held = slices.Clone(held)
	slices.Sort(held)
	for range min(n, len(held)) {
		place, smallestGap, farthest := 0, math.MaxInt, 0
		for _, i := range rand.Perm(len(held)) { // workers rarely choose shards next to each other
			before, after := held[(i+len(held)-1)%len(held)], held[(i+1)%len(held)]
			gap, far := steps(before, held[i], shards)+steps(held[i], after, shards), distance(held[i], chosen, shards)
			if gap < smallestGap || gap == smallestGap && far > farthest {
				place, smallestGap, farthest = i, gap, far
			}
		}
		chosen = append(chosen, held[place])
		held = slices.Delete(held, place, place+1)
	}
	return chosen
}

// mostDistant returns n of the free shards, or all. It chooses one after the other: the shard that
// is farthest from those that are held or were chosen before; of several such ones the first.
func mostDistant(n int, free, held []int, shards int) (chosen []int) {
	held, free = slices.Clone(held), slices.Clone(free)
	for range min(n, len(free)) {
		place, farthest := 0, -1
		for i, shard := range free {
			if far := distance(shard, held, shards); far > farthest {
				place, farthest = i, far
			}
		}
		chosen, held = append(chosen, free[place]), append(held, free[place])
		free = slices.Delete(free, place, place+1)
	}
	return chosen
}

// distance returns how far a shard is from the nearest of other ones.
func distance(shard int, others []int, shards int) int {
	least := shards
	for _, n := range others {
		least = min(least, steps(n, shard, shards), steps(shard, n, shards))
	}
	return least
}

// steps returns how many numbers up from one shard another is. After the last shard comes the
// first.
func steps(from, to, shards int) int { return (to - from + shards) % shards }
