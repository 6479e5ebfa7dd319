// Package graphtest compares two Go values as graphs, for tests: shape, content and identity.
//
//	if d := graphtest.Diff(want, got); d != "" {
//		t.Error(d) // .Decls[3].(*ast.FuncDecl).Name.Name: want "put", got "get"
//	}
//
// Two values are isomorphic when a walk over both, from the roots along the same edges, meets the
// same content and pairs their nodes one to one. reflect.DeepEqual asks for less: to it a node shared
// by two parents and two equal nodes are the same.
//
//   - Nodes are what pointers and maps refer to. A node is known by its type and address, so a struct
//     and its first field are two nodes. Pointees of size zero are not nodes: of a pointer to one,
//     only nil or not is compared. A pointer to a field or to an element of a slice is related to
//     other pointers of its type only, not to the struct or slice around it.
//   - Slices are values, compared by length and elements. Which array backs them, whether two of them
//     overlap, and their capacity, are not compared. The same holds for values boxed in interfaces.
//   - Nil differs from empty, for slices and maps alike. An interface holding a nil pointer differs
//     from a nil interface. Dynamic types must be identical.
//   - Floats and complex numbers are compared by their bits: -0 differs from 0, a NaN equals a NaN of
//     the same payload. This includes those in the keys of maps.
//   - Unexported fields are compared; blank fields are not.
//   - Functions, channels and unsafe.Pointers are equal when both are nil or both the same pointer.
//     What they refer to is not looked at.
//
// # Keys of maps
//
// Keys without pointers are matched by their value. Equal keys, of which a map can hold several
// only if they contain a NaN, are matched by what they map to.
//
// Keys with pointers in them are matched last, when most of what they point to has been paired on
// other ways; a paired node matches its partner only. The rest are matched by structure: by a hash
// of what is found first, breadth first, from the key, up to a fixed number of values. Keys alike in
// that are matched by what they map to, too, one after the other, each time following what the choice
// implies. There is no backtracking, as the problem would be exponential: keys which look alike, but
// are not interchangeable (different only far away, or by who else points to what they point to), may
// be matched wrongly. The result is then a difference where there is none, never the opposite.
//
// # Cost
//
// Time and memory are linear in the number of nodes and elements reached; each pair is visited once.
// Keys of one map that look alike and reach one another can make it quadratic in their number. There
// is no recursion, so neither long lists nor deep trees are a problem. On 64-bit computers a pair
// of nodes takes 60 to 100 bytes.
//
// Diff and Equal read both values without a lock and never write to them. They may be called from many
// goroutines, as long as nobody writes to the values.
package graphtest

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Diff describes the first difference between want and got. It returns "" if they are isomorphic,
// and only then. "First" is depth first, in the order of fields and elements, except that all
// fields of a node are compared before what they refer to.
//
// The text starts with the path to the difference, without the dereferences; long paths are cut in
// the middle. It is for people, and may change.
func Diff(want, got any, opts ...Option) string {
	c := newComparer(opts)
	c.run(&want, &got)
	return c.difference
}

// Equal reports whether want and got are isomorphic: whether [Diff] finds nothing.
func Equal(want, got any, opts ...Option) bool {
	return Diff(want, got, opts...) == ""
}

// An Option changes what is compared.
type Option func(*rules)

type rules struct {
	ignored map[field]bool
	opaque  map[reflect.Type]func(want, got unsafe.Pointer) string
}

type field struct {
	in   reflect.Type
	name string
}

// IgnoreField leaves the named field of the struct type T out of the comparison, with all that is
// reached through it only. It panics if T has no field of that name.
func IgnoreField[T any](name string) Option {
	t := reflect.TypeFor[T]()
	if !hasField(t, name) {
		panic(fmt.Sprintf("graphtest: type %v has no field %q of its own", t, name))
	}
	return func(r *rules) { r.ignored[field{t, name}] = true }
}

func hasField(t reflect.Type, name string) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for f := range t.Fields() {
		if f.Name == name {
			return true
		}
	}
	return false
}

// Opaque compares values of type T by a function instead of by their content. The function returns
// "" for equal values, or a text to report. It sees the values in place and must not modify them.
//
// The function must be an equivalence once want's values are translated to got's, as "shifted by 7"
// is and "closer than 7" is not: what follows from two answers may not be asked again. T may be any
// type, also a pointer type, whose nodes then have no identity. When the keys of a map are matched,
// all values of T inside them look alike.
func Opaque[T any](compare func(want, got *T) string) Option {
	return func(r *rules) {
		r.opaque[reflect.TypeFor[T]()] = func(want, got unsafe.Pointer) string {
			return compare((*T)(want), (*T)(got))
		}
	}
}
