package derive

import (
	"encoding/binary"
	"math"

	"github.com/putget/putget/internal/unit"
)

// census is a table of a document that says how many values of each slab there
// are, so that a reader allocates each slab once and exactly: entry 0 for the
// root, entry 1 for all other units, each a list of Uvarints by slab number.
// Streams have none; their readers take memory a little at a time.
type census struct {
	program *program
	run     *encoderRun
}

func (c *census) Name() string         { return c.program.censusName }
func (c *census) Drain() (bool, error) { return false, nil }

// Entries is asked for when everything is put.
func (c *census) Entries() *unit.Entries {
	var e unit.Entries
	for _, counts := range c.run.counts {
		for _, n := range counts {
			e.Blob = binary.AppendUvarint(e.Blob, n)
		}
		e.End()
	}
	return &e
}

// reserve prepares slabs of the sizes that the document states: of the root's
// values, or of all. A census that is missing or claims more values than the
// document's bytes can pay for is not followed.
func (d *decoder) reserve(all bool) {
	src := d.u.Source
	if src == nil {
		return
	}
	sec, err := src.Section(d.program.censusName)
	if err != nil || sec == nil || sec.Len() != 2 {
		return
	}
	counts := d.run.slabs.counts
	clear(counts)
	for i := range 2 {
		if i == 1 && !all {
			break
		}
		data, err := sec.Entry(i)
		if err != nil {
			return
		}
		for j := range counts {
			n, k := binary.Uvarint(data)
			if k <= 0 || n > uint64(src.Size) {
				return
			}
			data = data[k:]
			counts[j] += n
		}
	}
	cost := uint64(0)
	for j, n := range counts {
		s := &d.program.slabs[j]
		if cost += n * uint64(s.min); cost > uint64(src.Size) || n > math.MaxInt/uint64(max(s.size, 1)) {
			return
		}
	}
	for j, n := range counts {
		p := &d.run.slabs.plans[j]
		p.next, p.exact = int(n), n > 0
	}
}
