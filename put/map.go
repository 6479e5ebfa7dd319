package put

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/putget/putget/internal/order"
	"github.com/putget/putget/internal/wire"
)

// Map puts the pairs of m in the order of their keys, so that equal maps are
// equal bytes. A nil map and an empty one differ. Keys that are not equal to
// themselves (NaN) are all put.
//
// Keys of numbers, strings, bools, and arrays and structs of those go in their
// natural order, floats in the order of their bits. Other keys (pointers,
// interfaces, and what contains them) go in the order that the key codec gives
// them by a method
//
//	Compare(x, y *K) int
//
// which tells every two keys apart, and without one in the order of the bytes of each key put as a bare unit of
// its own: which costs a unit a key, does not work for keys that need the
// tables of a document, and leaves the order of keys with equal bytes to
// chance. A compiler's map from symbols is better put as a slice of pairs in an
// order that the program knows.
//
// Bytes: 0 for a nil map, else the number of pairs + 1 as Uvarint, and each
// key followed by its value.
//
// A map that changes its size while it is put is an error. Pairs are copied
// before the first is put; kc and vc see the copies.
func Map[M ~map[K]V, K comparable, V any, CK Codec[K], CV Codec[V]](b *Builder, m M, kc CK, vc CV) {
	if b.rest.Err != nil {
		return
	}
	b.u().Mark("Map")
	if m == nil {
		b.Uvarint(0)
		return
	}
	n := len(m)
	b.Uvarint(uint64(n) + 1)
	if !b.u().Enter() {
		return
	}
	pairs := sorted(b, m, kc)
	start := b.u().Offset()
	for i := 0; i < len(pairs) && b.u().Affordable(i, b.u().Since(start), pairSize[K, V]()); i++ {
		kc.Put(b, &pairs[i].key)
		vc.Put(b, &pairs[i].value)
		if b.rest.Err != nil {
			b.u().At(fmt.Sprintf("[key %d]", i))
		}
	}
	if len(pairs) != n || len(m) != n {
		b.u().Failf(wire.ErrValue, "a %T of %d pairs had %d, then %d: it was changed while it was put", m, n, len(pairs), len(m))
	}
	b.u().Free(n, b.u().Since(start), pairSize[K, V]())
	b.u().Leave()
}

func pairSize[K, V any]() uintptr { return unsafe.Sizeof(*new(K)) + unsafe.Sizeof(*new(V)) }

// pair is a pair and what its key is ordered by.
type pair[K, V any] struct {
	key    K
	value  V
	number uint64
	text   string
}

func sorted[M ~map[K]V, K comparable, V any, CK Codec[K]](b *Builder, m M, kc CK) []*pair[K, V] {
	pairs := make([]pair[K, V], 0, len(m))
	for k, v := range m {
		pairs = append(pairs, pair[K, V]{key: k, value: v})
	}
	list := make([]*pair[K, V], len(pairs))
	for i := range pairs {
		list[i] = &pairs[i]
	}
	slices.SortFunc(list, comparison(b, pairs, kc))
	return list
}

// comparison gives the order of pairs, which it prepares for it.
func comparison[K, V any, CK Codec[K]](b *Builder, pairs []pair[K, V], kc CK) func(x, y *pair[K, V]) int {
	t := reflect.TypeFor[K]()
	switch c, ok := any(kc).(interface{ Compare(x, y *K) int }); {
	case order.Scalar(t):
		for i := range pairs {
			p := &pairs[i]
			p.number, p.text = order.Key(reflect.ValueOf(&p.key).Elem())
		}
	case order.Natural(t):
		return func(x, y *pair[K, V]) int {
			return order.Compare(reflect.ValueOf(&x.key).Elem(), reflect.ValueOf(&y.key).Elem())
		}
	case ok:
		return func(x, y *pair[K, V]) int { return c.Compare(&x.key, &y.key) }
	case b.u().Aside():
		b.u().Failf(wire.ErrValue, "the keys of a map lead to another map whose %v keys have no natural order; give their codec a method Compare", t)
	default:
		keyBytes(b, pairs, kc)
	}
	return func(x, y *pair[K, V]) int {
		return cmp.Or(cmp.Compare(x.number, y.number), strings.Compare(x.text, y.text))
	}
}

// keyBytes makes the text of each pair the bytes of its key.
func keyBytes[K, V any, CK Codec[K]](b *Builder, pairs []pair[K, V], kc CK) {
	var aside Builder
	for i := range pairs {
		aside.u().BeginAside(b.u())
		kc.Put(&aside, &pairs[i].key)
		data, err := aside.Done()
		if err != nil {
			b.Fail(err)
			return
		}
		pairs[i].text = string(data)
	}
}
