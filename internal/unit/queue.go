package unit

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

// queue holds deferred bodies, first in, first out.
type queue struct {
	items []deferred
	head  int // items before it are done
}

func (q *queue) push(d deferred) { q.items = append(q.items, d) }

func (q *queue) empty() bool { return q.head == len(q.items) }

// pop takes the first item. A chain of pointers keeps the queue at one item,
// and what is done is moved out once it is the larger half.
func (q *queue) pop() deferred {
	d := q.items[q.head]
	q.items[q.head] = deferred{}
	q.head++
	if q.empty() {
		q.items, q.head = q.items[:0], 0
	} else if q.head >= 1024 && q.head > len(q.items)/2 {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	return d
}

func (q *queue) drop() {
	clear(q.items)
	q.items, q.head = q.items[:0], 0
}
