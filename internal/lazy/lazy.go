// Package lazy has values that are made when they are first needed.
//
// Notable divergences: none; it implements no document.
package lazy

import "sync"

// A Value is made by the first call of Get. It is for the variables of packages: unlike one
// of [sync.OnceValue], it costs nothing when the program starts, because the linker lays it
// out. Use it by pointer. Goroutines may share it.
type Value[T any] struct {
	Make func() T // makes the value; it is called once, and must not panic

	once  sync.Once
	value T
}

// Get returns the value.
func (v *Value[T]) Get() T {
	v.once.Do(func() { v.value = v.Make() })
	return v.value
}
