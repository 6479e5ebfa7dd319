package derive

import (
	"crypto/sha256"
	"fmt"
	"io"
)

const schemaPrefix = "derive1:"

// schema hashes the plans in their order of discovery, which depends on nothing
// but the types and the policies.
func (b *builder) schema() string {
	number := map[*plan]int{}
	for i, p := range b.program.plans {
		number[p] = i
	}
	h := sha256.New()
	for _, p := range b.program.plans {
		describe(h, p, number)
	}
	return fmt.Sprintf("%s%x", schemaPrefix, h.Sum(nil)[:16])
}

// describe writes one plan as a line: its kind, its parts by number.
func describe(w io.Writer, p *plan, number map[*plan]int) {
	ref := func(p *plan) int {
		if p == nil {
			return -1
		}
		if n, ok := number[p]; ok {
			return n
		}
		return -2 // of one field alone
	}
	size := p.size
	switch p.kind {
	case kindByte, kindInt, kindUint, kindFloat, kindComplex, kindDelta, kindEnum:
	default:
		size = 0 // depends on the machine
	}
	if k := p.typ.Kind().String(); k == "int" || k == "uint" || k == "uintptr" {
		size = 0
	}
	fmt.Fprintf(w, "%d %d %d %d %d %q", p.kind, size, ref(p.elem), ref(p.key), p.mode, p.name)
	if p.sparse > 0 {
		fmt.Fprintf(w, " sparse %d", p.sparse)
	}
	if p.kind == kindArray {
		fmt.Fprintf(w, " [%d]", p.typ.Len())
	}
	for _, f := range p.fields {
		fmt.Fprintf(w, " .%s %d %d %d %q", f.name, ref(f.plan), f.plan.kind, f.plan.delta, f.plan.name)
		if f.plan.kind == kindText {
			fmt.Fprintf(w, " after %t", f.plan.last != nil)
		}
	}
	for _, m := range p.members {
		fmt.Fprintf(w, " |%s %d", m.plan.typ.String(), ref(m.plan))
	}
	if p.enum != nil {
		fmt.Fprintf(w, " enum %d", p.enum.values)
	}
	if p.kind == kindIntern || p.kind == kindDelta {
		fmt.Fprintf(w, " state %d", p.delta)
	}
	if p.dict != nil {
		fmt.Fprintf(w, " dict %s", p.dict.Schema())
	}
	if p.mode == table && p.table != nil {
		fmt.Fprintf(w, " table %q", p.table.name())
	}
	fmt.Fprintln(w)
}
