package unit

import "slices"

// deferred is a body that waits until the outermost pointer is done, with what
// flows down the tree to it.
type deferred struct {
	body   Body
	scopes []any
	chain  chain
}

// Body is a deferred body: Run puts it into, or gets it from, the unit that it
// was deferred in.
type Body interface{ Run() }

// queue holds deferred bodies in the order of the tree, the first one last:
// what a body defers goes before all that waited already. So a chain of
// pointers keeps the queue at one item, and structures in which owned pointers
// lead back are followed along one path, on which the cycle shows, and not in
// their whole breadth.
type queue struct{ items []deferred }

func (q *queue) push(d deferred) { q.items = append(q.items, d) }

func (q *queue) empty() bool { return len(q.items) == 0 }

// pop takes the first item. What it defers is to be turned at the number of
// items that are left.
func (q *queue) pop() (d deferred, left int) {
	left = len(q.items) - 1
	d = q.items[left]
	q.items[left] = deferred{}
	q.items = q.items[:left]
	return d, left
}

// turn gives the items from the given one on, which were pushed in order, their place.
func (q *queue) turn(from int) {
	if from+1 < len(q.items) {
		slices.Reverse(q.items[from:])
	}
}

// drop empties the queue. A large one goes.
func (q *queue) drop() {
	if cap(q.items) > 1<<12 {
		q.items = nil
	}
	clear(q.items)
	q.items = q.items[:0]
}
