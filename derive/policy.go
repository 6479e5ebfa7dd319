package derive

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/putget/putget/get"
	"github.com/putget/putget/put"
	"github.com/putget/putget/state"
	"github.com/putget/putget/symtab"
)

// A Policy says how the values of one type, or one field, are coded. For takes
// any number of them; of two for the same type or field the later wins.
type Policy struct{ apply func(*builder) error }

// pointerMode is what becomes of the pointers to a type.
type pointerMode uint8

const (
	share  pointerMode = iota // identity in a unit
	own                       // a tree edge, checked
	inline                    // a tree edge, not checked
	table                     // identity across the document
)

func pointers(name string, t reflect.Type, m pointerMode) Policy {
	return Policy{func(b *builder) error {
		if err := notPointer(name, t); err != nil {
			return err
		}
		b.modes[t] = m
		delete(b.tables, t)
		return nil
	}}
}

// notPointer refuses the type of the pointers where that of the values is meant.
func notPointer(policy string, t reflect.Type) error {
	if t.Kind() != reflect.Pointer {
		return nil
	}
	return fmt.Errorf("derive: %s is for the type pointed to: write %s[%v]", policy, policy, t.Elem())
}

// Own makes pointers to T edges of a tree: no identity, no map. A value that is
// owned twice in a document, or in one value of a stream, is an error that names
// its type; so are owned pointers that lead back to themselves.
func Own[T any]() Policy { return pointers("Own", reflect.TypeFor[T](), own) }

// Share makes pointers to T keep their identity inside a unit. It is the default.
func Share[T any]() Policy { return pointers("Share", reflect.TypeFor[T](), share) }

// Inline makes pointers to T stand for their value: like Own, but a value that
// two pointers lead to is put twice and comes back as two.
func Inline[T any]() Policy { return pointers("Inline", reflect.TypeFor[T](), inline) }

// Table makes pointers to T keep their identity across the document: each value
// is an entry, of its own unit, of a symtab.Table with the name.
//
// Each entry is a unit: pointers that two entries share must have the policy
// Table, too, or what they lead to comes back as copies, one for each entry;
// graphtest.Diff finds that. A T that no pointer leads to is an error.
func Table[T any](name string) Policy {
	t := reflect.TypeFor[T]()
	return Policy{func(b *builder) error {
		if err := notPointer("Table", t); err != nil {
			return err
		}
		if t.Size() == 0 {
			return fmt.Errorf("derive: Table %q: values of %v have no size, and so no identity; let pointers to them Share", name, t)
		}
		b.modes[t] = table
		c := new(Codec[T])
		b.tables[t] = &entryTable[T]{symtab.NewTable(name, c), c, name}
		return nil
	}}
}

// entryTable is a symtab.Table whose type only its maker knew.
type entryTable[T any] struct {
	t *symtab.Table[T]
	c *Codec[T]
	n string
}

type anyTable interface {
	name() string
	bind(*builder, *plan)
	put(*put.Builder, unsafe.Pointer)
	get(*get.Reader) unsafe.Pointer
}

func (e *entryTable[T]) name() string                         { return e.n }
func (e *entryTable[T]) bind(b *builder, p *plan)             { e.c.program, e.c.plan = b.program, p }
func (e *entryTable[T]) put(b *put.Builder, p unsafe.Pointer) { e.t.Put(b, (*T)(p)) }
func (e *entryTable[T]) get(r *get.Reader) unsafe.Pointer     { return unsafe.Pointer(e.t.Get(r)) }

// Intern puts strings of type T by their id in a dictionary.
func Intern[T ~string](dict *symtab.Strings) Policy {
	t := reflect.TypeFor[T]()
	return Policy{func(b *builder) error {
		b.interned[t] = dict
		return nil
	}}
}

// Integer is a type that Delta applies to.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64
}

// Last is the state of a Delta in a unit, zero at its start. A codec around the
// derived one may set it: Value to a base that all values move by; on the
// writing side Outside to a function that replaces values less than Low or
// greater than High before they are put; on the reading side Low, and a High
// above it, to what values must lie between.
type Last struct {
	Value     int64
	Low, High int64
	Outside   func(int64) int64
}

// Delta puts integers of type T as the difference from the last one in the
// unit, which is kept in the Local; 0 stands for itself and leaves it. Source
// positions take one byte most of the time.
func Delta[T Integer](last *state.Local[Last]) Policy {
	t := reflect.TypeFor[T]()
	return Policy{func(b *builder) error {
		b.deltas[t] = last
		return nil
	}}
}

// Enum puts the values of T by their places in the list, one byte for the first
// 128: a numbering of its own, for constants whose values are not stable. A
// value that is not in the list is an error. The order is part of the format:
// add at the end.
func Enum[T Integer](values ...T) Policy {
	t := reflect.TypeFor[T]()
	return Policy{func(b *builder) error {
		e := &enum{}
		for _, v := range values {
			if !e.add(int64(v)) {
				return fmt.Errorf("derive: the value %v of the enum %v is named twice, or not from 0 to %d", v, t, maxEnum)
			}
		}
		b.enums[t] = e
		return nil
	}}
}

// enum is the numbering of a type's values.
type enum struct {
	values  []int64
	numbers []int32 // by value: number+1, 0 for none
}

const maxEnum = 1 << 16

func (e *enum) add(v int64) bool {
	if v < 0 || v > maxEnum || e.number(v) >= 0 {
		return false
	}
	for int64(len(e.numbers)) <= v {
		e.numbers = append(e.numbers, 0)
	}
	e.values = append(e.values, v)
	e.numbers[v] = int32(len(e.values))
	return true
}

// number is v's place in the list, negative if it has none.
func (e *enum) number(v int64) int {
	if uint64(v) >= uint64(len(e.numbers)) {
		return -1
	}
	return int(e.numbers[v]) - 1
}

// Union names the types that the interface I may hold, as zero values (typed
// nil pointers will do). A nil interface and typed nils are kept. The order is
// part of the format: add at the end.
func Union[I any](members ...I) Policy {
	t := reflect.TypeFor[I]()
	return Policy{func(b *builder) error {
		if t.Kind() != reflect.Interface {
			return fmt.Errorf("derive: Union is for interfaces, %v is none", t)
		}
		if len(members) == 0 {
			return fmt.Errorf("derive: the union %v has no members; name the types that it may hold", t)
		}
		var types []reflect.Type
		for i, m := range members {
			mt := reflect.TypeOf(m)
			if mt == nil {
				return fmt.Errorf("derive: member %d of the union %v is nil; give a typed zero value", i, t)
			}
			for _, have := range types {
				if have == mt {
					return fmt.Errorf("derive: %v is named twice in the union %v", mt, t)
				}
			}
			types = append(types, mt)
		}
		b.unions[t] = types
		return nil
	}}
}

// Both is what Use wants: the two directions of a type.
type Both[T any] interface {
	Put(*put.Builder, *T)
	Get(*get.Reader, *T)
}

// Use puts values of type T by a codec of the caller's. The schema of the
// derived codec knows of it only that it is there, and the name: change the name when
// what the codec writes changes.
func Use[T any](name string, c Both[T]) Policy {
	t := reflect.TypeFor[T]()
	return Policy{func(b *builder) error {
		if c == nil {
			return fmt.Errorf("derive: Use %q: the codec for %v is nil", name, t)
		}
		b.used[t] = &user{name: name, min: 0, c: &foreign[T]{c}}
		return nil
	}}
}

// UseField is Use for one field of the struct S.
func UseField[S, T any](field, name string, c Both[T]) Policy {
	s, t := reflect.TypeFor[S](), reflect.TypeFor[T]()
	return Policy{func(b *builder) error {
		f, err := fieldOf(s, field)
		if err != nil {
			return err
		}
		if f.Type != t {
			return fmt.Errorf("derive: UseField: %v.%s is of type %v, the codec is for %v", s, field, f.Type, t)
		}
		if c == nil {
			return fmt.Errorf("derive: UseField %q: the codec for %v.%s is nil", name, s, field)
		}
		b.fields[fieldKey{s, field}] = &user{name: name, min: 0, c: &foreign[T]{c}}
		return nil
	}}
}

// Sparse puts the struct T as a bit for each field, eight a byte, and behind
// them the fields that are not zero: right where most fields are mostly zero.
// Fields that are structs, arrays or the business of a codec of their own have
// no bit and are always put.
func Sparse[T any]() Policy {
	t := reflect.TypeFor[T]()
	return Policy{func(b *builder) error {
		if t.Kind() != reflect.Struct {
			return fmt.Errorf("derive: Sparse is for structs, %v is none", t)
		}
		b.sparse[t] = true
		return nil
	}}
}

// Text puts a string field of the struct S where it stands, and a string that
// the unit has had in such a field by its number: right for long texts that are
// mostly unlike each other, as comments are. Strings come back as parts of one
// copy of the unit's bytes: one allocation, and keeping one keeps them all.
//
// If after is not nil, its Value grows by the length of each string: the next
// position is likely behind the text.
func Text[S any](field string, after *state.Local[Last]) Policy {
	s := reflect.TypeFor[S]()
	return Policy{func(b *builder) error {
		f, err := fieldOf(s, field)
		if err != nil {
			return err
		}
		if f.Type.Kind() != reflect.String {
			return fmt.Errorf("derive: Text: %v.%s is of type %v, not a string", s, field, f.Type)
		}
		b.fields[fieldKey{s, field}] = &user{name: "text", text: true, after: after}
		return nil
	}}
}

// Skip leaves fields of the struct S out: they come back zero.
func Skip[S any](fields ...string) Policy {
	s := reflect.TypeFor[S]()
	return Policy{func(b *builder) error {
		for _, name := range fields {
			if _, err := fieldOf(s, name); err != nil {
				return err
			}
			b.fields[fieldKey{s, name}] = nil
		}
		return nil
	}}
}

func fieldOf(s reflect.Type, name string) (reflect.StructField, error) {
	if s.Kind() != reflect.Struct {
		return reflect.StructField{}, fmt.Errorf("derive: %v is not a struct", s)
	}
	f, ok := s.FieldByName(name)
	if !ok || len(f.Index) != 1 {
		return reflect.StructField{}, fmt.Errorf("derive: %v has no field %s of its own", s, name)
	}
	return f, nil
}

type fieldKey struct {
	s    reflect.Type
	name string
}

// user is a codec of the caller's, with the type that its maker knew.
type user struct {
	name  string
	min   int // the fewest bytes that it puts
	c     anyCodec
	text  bool // there is no codec: the policy is Text
	after *state.Local[Last]
}

type anyCodec interface {
	put(*put.Builder, unsafe.Pointer)
	get(*get.Reader, unsafe.Pointer)
}

type foreign[T any] struct{ c Both[T] }

func (f *foreign[T]) put(b *put.Builder, p unsafe.Pointer) { f.c.Put(b, (*T)(p)) }
func (f *foreign[T]) get(r *get.Reader, p unsafe.Pointer)  { f.c.Get(r, (*T)(p)) }
