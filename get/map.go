package get

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/putget/putget/internal/order"
	"github.com/putget/putget/internal/wire"
)

// Map gets the pairs of a map, nil where nil was put. Keys that have a natural
// order and are not in it are corrupt, as are keys that occur twice.
//
// A pair is inserted when its Gets have returned: a key is then compared and a
// value copied, so neither may be filled later, but for what pointers lead to.
// A map whose keys are to be compared by what their pointers lead to is made by
// the codec, from a slice of pairs, in Later.
func Map[K comparable, V any, CK Codec[K], CV Codec[V]](r *Reader, kc CK, vc CV) map[K]V {
	if r.rest.Err != nil {
		return nil
	}
	r.u().Mark("Map")
	n := r.Uvarint()
	if n == 0 {
		return nil
	}
	n--
	e, ok := r.u().Elements(n, 0, pairSize[K, V]())
	if !ok {
		return nil
	}
	m := make(map[K]V, e.First)
	if n == 0 {
		e.End(r.u())
		return m // before a key and a value are allocated, which may be large
	}
	keys := keyCheck[K]{natural: order.Natural(reflect.TypeFor[K]())}
	var k K
	var v V
	for i := 0; uint64(i) < n && e.Claim(r.u(), i); i++ {
		k, v = *new(K), *new(V)
		kc.Get(r, &k)
		vc.Get(r, &v)
		if fault := keys.check(&k); fault != "" {
			r.u().Failf(wire.ErrCorrupt, "key %d of a %T %s", i, m, fault)
		}
		if r.rest.Err != nil {
			r.u().At(fmt.Sprintf("[key %d]", i))
			break
		}
		m[k] = v
	}
	e.End(r.u())
	if r.rest.Err == nil && uint64(len(m)) != n {
		r.u().Failf(wire.ErrCorrupt, "a %T has %d different keys, %d were announced", m, len(m), n)
	}
	if r.rest.Err != nil {
		return nil
	}
	return m
}

func pairSize[K, V any]() uintptr { return unsafe.Sizeof(*new(K)) + unsafe.Sizeof(*new(V)) }

// keyCheck checks the keys of one map.
type keyCheck[K comparable] struct {
	natural bool
	some    bool
	last    K // the key before, if there was one
}

// check says what is wrong with a key, if anything is.
func (c *keyCheck[K]) check(k *K) string {
	v := reflect.ValueOf(k).Elem()
	if !c.natural {
		if !v.Comparable() {
			return "cannot be compared" // an interface that holds a slice, say
		}
		return ""
	}
	if c.some {
		switch d := order.Compare(reflect.ValueOf(&c.last).Elem(), v); {
		case d > 0:
			return "is out of order"
		case d == 0 && *k == *k: // every NaN is a key of its own
			return "occurs twice"
		}
	}
	c.some, c.last = true, *k
	return ""
}
