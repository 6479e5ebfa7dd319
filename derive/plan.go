package derive

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/state"
	"github.com/putget/putget/symtab"
)

// kind is part of the schema: new ones go at the end.
type kind uint8

const (
	kindStruct kind = iota
	kindBool
	kindByte    // int8, uint8
	kindInt     // the other signed integers, zigzag and LEB128
	kindUint    // the other unsigned integers, LEB128
	kindFloat   // 4 or 8 bytes
	kindComplex // twice that
	kindString  // length and bytes
	kindIntern  // id in a dictionary
	kindDelta   // difference from the last
	kindEnum    // place in a list
	kindBytes   // []byte and its like
	kindSlice
	kindArray
	kindMap
	kindPointer
	kindUnion
	kindUse
	kindVector // a slice of numbers of fixed size
	kindText   // a string where it stands, or the number of the same before
)

// tree reports whether pointers of the plan are edges of a tree.
func (pl *plan) tree() bool { return pl.mode == own || pl.mode == inline }

// isLeaf reports whether the plan is of a struct of one of two shapes, all
// numbers of 8 bytes: a Delta and an interned string, or two of one Delta, an
// Enum and an interned string.
func (pl *plan) isLeaf() bool {
	if pl.kind != kindStruct || pl.sparse > 0 || pl.slab < 0 {
		return false
	}
	var shape string
	for _, f := range pl.fields {
		switch {
		case f.kind == kindDelta && f.size == 8 && f.delta == pl.fields[0].delta:
			shape += "d"
		case f.kind == kindEnum && f.size == 8:
			shape += "e"
		case f.kind == kindIntern:
			shape += "s"
		default:
			return false
		}
	}
	return shape == "ds" || shape == "ddes"
}

// omissible reports whether a sparse struct leaves out fields of the plan that are zero.
func (pl *plan) omissible() bool {
	switch pl.kind {
	case kindStruct, kindArray:
		return false
	case kindUse:
		return pl.typ.Kind() == reflect.Pointer
	}
	return true
}

// isZero reports whether the value at p, of an omissible kind, is zero.
func (pl *plan) isZero(p unsafe.Pointer) bool {
	switch pl.kind {
	case kindString, kindIntern, kindText:
		return len(*(*string)(p)) == 0
	case kindSlice, kindBytes, kindVector, kindPointer, kindMap, kindUnion, kindUse:
		return *(*unsafe.Pointer)(p) == nil
	case kindComplex:
		if pl.size == 16 {
			c := (*[2]uint64)(p)
			return c[0]|c[1] == 0
		}
	}
	return loadUint(pl.size, p) == 0
}

// plan is how the values of one type are coded. Plans are made once and shared
// by all goroutines. What fastget.go and fastput.go want comes first: two cache
// lines.
type plan struct {
	kind    kind
	sized   bool
	quick   bool        // an owned pointer to a struct: fastget.go
	leaf    bool        // see isLeaf: fastget.go
	tight   bool        // a slice of owned pointers that may go without markers
	mode    pointerMode // of pointers
	sparse  int         // kindStruct: how many fields have a bit
	slab    int         // of what is allocated: its slab; -1 if never
	size    uintptr
	min     int      // the fewest bytes a value takes, once sized
	elem    *plan    // of slices, arrays, pointers, maps
	fields  []field  // kindStruct, in the order of declaration
	members []member // kindUnion
	tags    tagTable // kindUnion

	typ   reflect.Type
	key   *plan    // of maps
	refs  int      // of shared pointers and maps: their numbering in a unit
	self  int      // the numbering of shared pointers to the type itself; -1 if there is none
	set   int      // of owned: its set of those seen
	table anyTable // of pointers in mode table
	use   anyCodec // kindUse
	name  string   // of the caller's codec
	dict  *symtab.Strings
	last  *state.Local[Last]
	delta int // kindDelta: number of the Local in the program
	enum  *enum
}

// field is a field of a struct. kind and size repeat the plan's: the loop over
// fields stays in one cache line a field.
type field struct {
	kind   kind
	size   uint8 // of numbers
	delta  int16
	bit    uint64 // in the mask of a sparse struct; all where the field has none
	offset uintptr
	plan   *plan
	name   string
}

// program is all plans of one derived codec.
type program struct {
	root       *plan
	plans      []*plan    // in order of discovery, which the schema follows
	slabs      []slabType // by slab number
	deltas     []*state.Local[Last]
	dicts      []*symtab.Strings
	refs       int // how many numberings a unit has
	sets       int
	schema     string
	slot       int       // of the state in a unit
	run        int       // of the state in a session
	spare      sync.Pool // of *slabs
	spareRun   sync.Pool // of *encoderRun
	census     int       // table key of the numbers of values
	censusName string
}

// slabType is what the memory of a slab is allocated as, and the fewest bytes
// that a value in it takes.
type slabType struct {
	size  uintptr
	slice reflect.Type
	min   int
}

type builder struct {
	layouts  map[layout]int       // slab numbers
	numbered map[reflect.Type]int // numberings, by pointer and map types without a name
	program  *program
	modes    map[reflect.Type]pointerMode
	tables   map[reflect.Type]anyTable
	interned map[reflect.Type]*symtab.Strings
	deltas   map[reflect.Type]*state.Local[Last]
	enums    map[reflect.Type]*enum
	sparse   map[reflect.Type]bool
	unions   map[reflect.Type][]reflect.Type
	used     map[reflect.Type]*user
	fields   map[fieldKey]*user // nil: skipped

	plans map[reflect.Type]*plan
	maps  []mapPath
	path  []string
}

func newBuilder() *builder {
	return &builder{
		program:  &program{slot: unit.Slots.Next(), run: unit.Sessions.Next(), census: unit.Tables.Next()},
		modes:    map[reflect.Type]pointerMode{},
		tables:   map[reflect.Type]anyTable{},
		interned: map[reflect.Type]*symtab.Strings{},
		deltas:   map[reflect.Type]*state.Local[Last]{},
		layouts:  map[layout]int{},
		numbered: map[reflect.Type]int{},
		sparse:   map[reflect.Type]bool{},
		enums:    map[reflect.Type]*enum{},
		unions:   map[reflect.Type][]reflect.Type{},
		used:     map[reflect.Type]*user{},
		fields:   map[fieldKey]*user{},
		plans:    map[reflect.Type]*plan{},
	}
}

// build makes the program for root.
func (b *builder) build(root reflect.Type) error {
	b.path = []string{root.String()}
	p, err := b.plan(root)
	if err != nil {
		return err
	}
	b.program.root = p
	for _, p := range b.program.plans {
		b.sizes(p)
	}
	b.owners()
	for _, p := range b.program.plans {
		p.tight = p.kind == kindSlice && p.elem.kind == kindPointer && p.elem.tree() && p.elem.elem.min > 0
		p.leaf = p.isLeaf()
		p.quick = p.kind == kindPointer && p.mode == own && p.elem.kind == kindStruct && p.elem.size > 0
		p.self = b.self(p)
	}
	for _, p := range b.program.plans {
		for i := range p.members {
			if m := &p.members[i]; m.plan.quick {
				m.elem = m.plan.elem
			}
		}
	}
	b.leasts()
	for _, m := range b.maps {
		b.path = []string{m.path}
		if err := b.checkKey(m.plan.key, map[*plan]bool{}); err != nil {
			return err
		}
	}
	for t, e := range b.tables {
		tp, ok := b.plans[t]
		if !ok {
			return fmt.Errorf("derive: %v has the policy Table, but %v does not lead to it", t, root)
		}
		if !slices.ContainsFunc(b.program.plans, func(p *plan) bool { return p.table == e }) {
			return fmt.Errorf("derive: %v has the policy Table, but %v does not lead to it by a pointer", t, root)
		}
		e.bind(b, tp)
	}
	b.program.schema = b.schema()
	b.program.censusName = "census:" + b.program.schema[len(schemaPrefix):][:8]
	return nil
}

func (b *builder) fail(format string, args ...any) error {
	return fmt.Errorf("derive: %s: %s", strings.Join(b.path, ""), fmt.Sprintf(format, args...))
}

// step plans t, which is reached by a step from the type before.
func (b *builder) step(step string, t reflect.Type) (*plan, error) {
	b.path = append(b.path, step)
	p, err := b.plan(t)
	b.path = b.path[:len(b.path)-1]
	return p, err
}

// plan gives the plan of t, which is not complete before build returns where
// the type is recursive.
func (b *builder) plan(t reflect.Type) (*plan, error) {
	if p, ok := b.plans[t]; ok {
		return p, nil
	}
	p := &plan{typ: t, size: t.Size(), slab: -1}
	b.plans[t] = p
	b.program.plans = append(b.program.plans, p)
	return p, b.fillIn(p)
}

func (b *builder) fillIn(p *plan) (err error) {
	t := p.typ
	if u, ok := b.used[t]; ok {
		p.useCodec(u)
		return nil
	}
	if last, ok := b.deltas[t]; ok {
		p.kind, p.last = kindDelta, last
		p.delta = index(&b.program.deltas, last)
		return nil
	}
	if e, ok := b.enums[t]; ok {
		p.kind, p.enum = kindEnum, e
		return nil
	}
	if dict, ok := b.interned[t]; ok {
		p.kind, p.dict = kindIntern, dict
		p.delta = index(&b.program.dicts, dict)
		return nil
	}
	if u, err := leaf(t); err != nil {
		return b.fail("%v", err)
	} else if u != nil {
		p.useCodec(u)
		return nil
	}
	switch t.Kind() {
	case reflect.Bool:
		p.kind = kindBool
	case reflect.Int8, reflect.Uint8:
		p.kind = kindByte
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64:
		p.kind = kindInt
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		p.kind = kindUint
	case reflect.Float32, reflect.Float64:
		p.kind = kindFloat
	case reflect.Complex64, reflect.Complex128:
		p.kind = kindComplex
	case reflect.String:
		p.kind = kindString
	case reflect.Slice:
		p.kind = kindSlice
		if p.elem, err = b.step("[]", t.Elem()); err != nil {
			return err
		}
		switch {
		case p.elem.kind == kindByte:
			p.kind = kindBytes
		case p.elem.sizedNumber():
			p.kind = kindVector
		default:
			b.allocate(p.elem)
		}
	case reflect.Array:
		p.kind = kindArray
		p.elem, err = b.step("[]", t.Elem())
	case reflect.Map:
		return b.mapOf(p)
	case reflect.Pointer:
		return b.pointer(p)
	case reflect.Interface:
		return b.union(p)
	case reflect.Struct:
		return b.structOf(p)
	default:
		return b.fail("%v cannot be put; leave the field out with derive.Skip, or give a codec with derive.Use", t)
	}
	return err
}

func (p *plan) useCodec(u *user) { p.kind, p.use, p.name, p.min = kindUse, u.c, u.name, u.min }

// useField is what a policy for a field alone makes of its plan.
func (b *builder) useField(p *plan, u *user) {
	if p.useCodec(u); u.text {
		p.kind, p.last, p.delta = kindText, u.after, -1
		if u.after != nil {
			p.delta = index(&b.program.deltas, u.after)
		}
	}
}

// index gives x's place in the list, at its end if it is new.
func index[T comparable](list *[]T, x T) int {
	i := slices.Index(*list, x)
	if i < 0 {
		i = len(*list)
		*list = append(*list, x)
	}
	return i
}

// allocate gives values of p's type a slab: one that they share with all types
// of the same size that have pointers in the same places.
func (b *builder) allocate(p *plan) {
	if p.slab >= 0 {
		return
	}
	l := layoutOf(p.typ)
	i, ok := b.layouts[l]
	if !ok {
		i = len(b.program.slabs)
		b.layouts[l] = i
		b.program.slabs = append(b.program.slabs, slabType{size: p.size, slice: reflect.SliceOf(p.typ)})
	}
	p.slab = i
}

// layoutOf describes a type's memory to the garbage collector: its size, and a
// byte for each word, 1 where the collector follows the word. Package unsafe
// allows a pointer to a type to be converted to one to another of the same
// layout.
func layoutOf(t reflect.Type) layout {
	const word, most = unsafe.Sizeof(uintptr(0)), 1 << 10
	if t.Size() > most {
		return layout{typ: t} // not worth comparing
	}
	words := make([]byte, (t.Size()+word-1)/word)
	markPointers(t, 0, words)
	return layout{size: t.Size(), align: t.Align(), pointers: string(words)}
}

type layout struct {
	size     uintptr
	align    int
	pointers string
	typ      reflect.Type // of large values, which share with none
}

func markPointers(t reflect.Type, offset uintptr, words []byte) {
	const word = unsafe.Sizeof(uintptr(0))
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.String, reflect.Slice:
		words[offset/word] = 1
	case reflect.Interface:
		// The first word, which leads to a type, is none to the collector.
		words[offset/word], words[offset/word+1] = 2, 1
	case reflect.Array:
		for i := range t.Len() {
			markPointers(t.Elem(), offset+uintptr(i)*t.Elem().Size(), words)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			markPointers(f.Type, offset+f.Offset, words)
		}
	}
}

func (b *builder) structOf(p *plan) error {
	t := p.typ
	p.kind = kindStruct
	exported := 0
	for i := range t.NumField() {
		f := t.Field(i)
		u, have := b.fields[fieldKey{t, f.Name}]
		if have && u == nil {
			exported++
			continue
		}
		if f.Name == "_" || !f.IsExported() && !have && !(f.Anonymous && embeds(f.Type)) {
			continue
		}
		exported++
		var fp *plan
		if have {
			fp = &plan{typ: f.Type, size: f.Type.Size(), slab: -1}
			b.useField(fp, u)
		} else {
			var err error
			if fp, err = b.step("."+f.Name, f.Type); err != nil {
				return err
			}
		}
		p.fields = append(p.fields, field{plan: fp, offset: f.Offset, name: f.Name})
	}
	if b.sparse[t] && len(p.fields) > 64 {
		return b.fail("%v has more than 64 fields, too many for Sparse", t)
	}
	if exported == 0 && t.NumField() > 0 {
		return b.fail("%v has no exported field; give a codec with derive.Use, or leave what holds it out with derive.Skip", t)
	}
	return nil
}

// embeds reports whether an embedded field of an unexported type has exported
// fields to give: a struct, or a pointer to one.
func embeds(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

func (b *builder) pointer(p *plan) (err error) {
	t := p.typ.Elem()
	p.kind, p.mode = kindPointer, b.modes[t]
	if p.elem, err = b.step("*", t); err != nil {
		return err
	}
	b.allocate(p.elem)
	switch p.mode {
	case table:
		p.table = b.tables[t]
	case share:
		p.refs = b.numbering(reflect.PointerTo(t))
	}
	return nil
}

// numbering is the numbering of the pointers or maps of a type: one for a type
// with a name and the one without.
func (b *builder) numbering(t reflect.Type) int {
	n, ok := b.numbered[t]
	if !ok {
		n = b.program.refs
		b.numbered[t] = n
		b.program.refs++
	}
	return n
}

// self is the numbering of shared pointers to values of plan p, -1 if there is none.
func (b *builder) self(p *plan) int {
	if n, ok := b.numbered[reflect.PointerTo(p.typ)]; ok && p.size > 0 {
		return n
	}
	return -1
}

func (b *builder) union(p *plan) error {
	types, ok := b.unions[p.typ]
	if !ok {
		return b.fail("%v is an interface; name the types that it may hold with derive.Union, give a codec with derive.Use, or leave the field out with derive.Skip", p.typ)
	}
	p.kind = kindUnion
	for _, t := range types {
		mp, err := b.step(".("+t.String()+")", t)
		if err != nil {
			return err
		}
		m, err := newMember(p.typ, t, mp)
		if err != nil {
			return b.fail("%v", err)
		}
		p.members = append(p.members, m)
	}
	p.tags = newTagTable(p.members)
	return nil
}

// sizedNumber reports whether slices of p's type are moved as a whole.
func (p *plan) sizedNumber() bool {
	switch p.kind {
	case kindInt, kindUint:
		k := p.typ.Kind()
		return k != reflect.Int && k != reflect.Uint && k != reflect.Uintptr
	}
	return p.kind == kindFloat || p.kind == kindComplex
}

// sizes fills in what depends on finished plans: the fields' kinds and the
// fewest bytes.
func (b *builder) sizes(p *plan) int {
	if p.sized {
		return p.min
	}
	const most = 1 << 20
	n := 1
	switch p.kind {
	case kindUse:
		n = p.min
	case kindFloat, kindComplex:
		n = int(p.size)
	case kindArray:
		if e := b.sizes(p.elem); e > 0 && p.typ.Len() > most/e {
			n = most
		} else {
			n = e * p.typ.Len()
		}
	case kindStruct:
		sparse := b.sparse[p.typ]
		n = 0
		for i := range p.fields {
			f := &p.fields[i]
			f.kind, f.delta = f.plan.kind, int16(f.plan.delta)
			f.bit = math.MaxUint64
			if f.plan.size <= 16 {
				f.size = uint8(f.plan.size)
			}
			if sparse && f.plan.omissible() {
				f.bit = 1 << p.sparse
				p.sparse++
				continue
			}
			n = min(n+b.sizes(f.plan), most)
		}
	}
	n += (p.sparse + 7) / 8
	p.min, p.sized = n, true
	return n
}

// leasts finds the fewest bytes that a value of each slab takes: none where it
// is a pointer in a slice that goes without markers.
func (b *builder) leasts() {
	for i := range b.program.slabs {
		b.program.slabs[i].min = math.MaxInt
	}
	for _, p := range b.program.plans {
		if p.slab >= 0 {
			s := &b.program.slabs[p.slab]
			s.min = min(s.min, max(p.min, 1))
		}
	}
	for _, p := range b.program.plans {
		if p.tight {
			b.program.slabs[p.elem.slab].min = 0
		}
	}
}

// owners gives each owned type a set of those seen. Types share set 0, unless
// a value of one can lie in one granule with the start of a value of another
// that holds it, or is so small that two lie in one granule of the set.
func (b *builder) owners() {
	b.program.sets = 1
	owned := map[reflect.Type]bool{}
	for _, p := range b.program.plans {
		if p.kind == kindPointer && p.mode == own {
			owned[p.typ.Elem()] = true
		}
	}
	inner := map[reflect.Type]bool{} // owned types that others hold in their first granule
	for t := range owned {
		for f := range front(t, 0) {
			if owned[f] {
				inner[f] = true
			}
		}
	}
	for _, p := range b.program.plans {
		if p.kind == kindPointer && p.mode == own {
			switch t := p.typ.Elem(); {
			case t.Size() < granule, t.Kind() == reflect.Array: // pointers to arrays may overlap
				p.set = -1
			case inner[t]:
				p.set = b.program.sets
				b.program.sets++
			}
		}
	}
}

// front gives the types of the parts of a value of type t, which lies at an
// offset in another, as far as they begin in the first granule of that.
func front(t reflect.Type, offset uintptr) iter.Seq[reflect.Type] {
	return func(yield func(reflect.Type) bool) {
		part := func(f reflect.Type, at uintptr) bool {
			if at >= granule {
				return true
			}
			if !yield(f) {
				return false
			}
			for g := range front(f, at) {
				if !yield(g) {
					return false
				}
			}
			return true
		}
		switch t.Kind() {
		case reflect.Struct:
			for i := range t.NumField() {
				if f := t.Field(i); !part(f.Type, offset+f.Offset) {
					return
				}
			}
		case reflect.Array:
			for i := range min(t.Len(), granule) {
				if !part(t.Elem(), offset+uintptr(i)*t.Elem().Size()) {
					return
				}
			}
		}
	}
}
