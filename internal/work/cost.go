package main

import (
	"bytes"
	"encoding/binary"
	"runtime/coverage"

	"locus/internal/growth"
)

// A cost counts work in three ways. Blocks of code do not show how much a library or a copy of bytes
// works, but mostly such work allocates memory.
type cost struct {
	blocks uint64
	memory growth.Cost
}

// costOf calls f and returns its cost.
func costOf(f func()) cost {
	must(coverage.ClearCounters())
	memory := growth.Of(f)
	return cost{blocks(), memory}
}

// exceeds reports whether c, the cost of a text that is four times as long, is much more than four
// times short, the cost of the short text.
func (c cost) exceeds(short cost) bool {
	const floor = 2000 // blocks
	return float64(c.blocks) > growth.Limit*float64(max(short.blocks, floor)) || c.memory.Exceeds(short.memory)
}

// blocks returns how many blocks of code were run since the counters were cleared. It reads the
// counters from a counter data file with one segment, whose format internal/coverage of the standard
// library describes.
func blocks() (n uint64) {
	var file bytes.Buffer
	must(coverage.WriteCounters(&file))
	const header, segment = 32, 16
	text := file.Bytes()[header:]
	functions := binary.LittleEndian.Uint64(text)
	strs, args := binary.LittleEndian.Uint32(text[8:]), binary.LittleEndian.Uint32(text[12:])
	text = text[(segment+strs+args+3)&^3:]
	next := func() uint64 {
		v, size := binary.Uvarint(text)
		text = text[size:]
		return v
	}
	for range functions {
		counters := next()
		next() // the package
		next() // the function
		for range counters {
			n += next()
		}
	}
	return n
}

// must panics if err is not nil.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
