package derive

import (
	"fmt"
	"math/bits"
	"reflect"
	"unsafe"
)

// iface is the two words of an interface value: what its dynamic type is (a
// pointer to the type in an empty interface, to the method table in another),
// and a pointer to the value, or, where the value is a pointer, the value. The
// gc compiler has laid interfaces out like this since Go 1.4; a test compares
// it with what reflect sees.
type iface struct{ tab, data unsafe.Pointer }

// member is a type that an interface may hold.
type member struct {
	elem    *plan          // of owned pointers to structs: the struct; nil for others
	tab     unsafe.Pointer // the first word of an interface that holds it
	plan    *plan
	pointer bool // the second word is the value, a pointer
	boxed   bool // the second word points to the value
}

func newMember(i, t reflect.Type, p *plan) (member, error) {
	if !t.Implements(i) {
		return member{}, fmt.Errorf("%v does not implement %v", t, i)
	}
	v := reflect.New(i)
	v.Elem().Set(reflect.Zero(t))
	w := (*iface)(v.UnsafePointer()) // a map, or a struct of one pointer, is its own second word: nil
	return member{tab: w.tab, plan: p, pointer: t.Kind() == reflect.Pointer, boxed: w.data != nil}, nil
}

// tagTable finds the member for the first word of an interface: a hash table
// without collisions, its multiplier found by trying.
type tagTable struct {
	slots []int32 // member+1
	mul   uint64
	shift uint
}

func newTagTable(members []member) tagTable {
	t := tagTable{shift: uint(64 - bits.Len(uint(4*len(members)+1)))}
	t.mul = 0x9e3779b97f4a7c15
	for try := 0; ; try++ {
		if try == 100 {
			t.shift, try = t.shift-1, 0
		}
		t.slots = make([]int32, 1<<(64-t.shift))
		if t.place(members) {
			return t
		}
		t.mul = t.mul*0xd1342543de82ef95 + 2
		t.mul |= 1
	}
}

func (t *tagTable) place(members []member) bool {
	for i, m := range members {
		s := &t.slots[t.hash(m.tab)]
		if *s != 0 {
			return false
		}
		*s = int32(i + 1)
	}
	return true
}

func (t *tagTable) hash(tab unsafe.Pointer) uint64 {
	return uint64(uintptr(tab)) * t.mul >> t.shift
}

// find is the index of the member that an interface holds, -1 for others.
func (p *plan) find(v *iface) int {
	i := int(p.tags.slots[p.tags.hash(v.tab)]) - 1
	if i >= 0 && p.members[i].tab == v.tab {
		return i
	}
	// A method table may exist twice where plugins are at work.
	t := reflect.NewAt(p.typ, unsafe.Pointer(v)).Elem().Elem().Type()
	for i := range p.members {
		if p.members[i].plan.typ == t {
			return i
		}
	}
	return -1
}
