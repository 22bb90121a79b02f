package stream

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A worker holds shards that are spread evenly over all numbers. The parts of a host of
// check.Policy.Split are in shards next to each other, so several workers share them.

// mostCrowded returns n of the held shards: one after the other the one whose neighbors among
// those that stay held are nearest. Of several such ones it is the one farthest from those
// chosen before.
func mostCrowded(n int, held []int, shards int) (chosen []int) {
	held = slices.Clone(held)
	slices.Sort(held)
	for range n {
		place, least, most := 0, math.MaxInt, -1
		for i, shard := range held {
			before, after := held[(i+len(held)-1)%len(held)], held[(i+1)%len(held)]
			room, far := steps(before, shard, shards)+steps(shard, after, shards), distance(shard, chosen, shards)
			if room < least || room == least && far > most {
				place, least, most = i, room, far
			}
		}
		chosen = append(chosen, held[place])
		held = slices.Delete(held, place, place+1)
	}
	return chosen
}

// mostDistant returns n of the free shards, or all: one after the other the one that is farthest
// from those that are held or were chosen before.
func mostDistant(n int, free, held []int, shards int) (chosen []int) {
	held, free = slices.Clone(held), slices.Clone(free)
	rand.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] }) // workers rarely want the same ones
	for range min(n, len(free)) {
		place, most := 0, -1
		for i, shard := range free {
			if d := distance(shard, held, shards); d > most {
				place, most = i, d
			}
		}
		chosen = append(chosen, free[place])
		held = append(held, free[place])
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
