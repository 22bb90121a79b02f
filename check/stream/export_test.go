package stream

// Shards returns how many shards this worker holds.
func (q *Queue) Shards() int { return len(q.held.numbers()) }
