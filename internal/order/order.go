// Package order has the one order in which the keys of a map are put, whatever
// order Go gives them in.
package order

import (
	"cmp"
	"math"
	"reflect"
	"strings"
	"unsafe"
)

// Natural reports whether the values of type t alone say in which order they
// go: all but pointers, channels, interfaces, and what contains those.
func Natural(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return Natural(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if !Natural(f.Type) {
				return false
			}
		}
		return true
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan, reflect.Interface:
		return false
	}
	return true
}

// Scalar reports whether Key gives the whole order of the values of type t.
func Scalar(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array, reflect.Struct, reflect.Complex64, reflect.Complex128:
		return false
	}
	return Natural(t)
}

// Key is what the order of a scalar depends on: numbers in the order of their
// values, false before true; floats in the order of their bits, which is that
// of their values, with negative NaNs before and positive ones after all
// others. v is addressable.
func Key(v reflect.Value) (number uint64, text string) {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return 1, ""
		}
		return 0, ""
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return uint64(v.Int()) ^ 1<<63, ""
	case reflect.Float32: // not through Float, which makes signalling NaNs quiet
		return floatKey(uint64(math.Float32bits(*(*float32)(unsafe.Pointer(v.UnsafeAddr())))) << 32), ""
	case reflect.Float64:
		return floatKey(math.Float64bits(v.Float())), ""
	case reflect.String:
		return 0, v.String()
	}
	return v.Uint(), ""
}

func floatKey(bits uint64) uint64 {
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

// Compare orders two values of one natural type: scalars by Key, composites
// part by part. Both are addressable.
func Compare(x, y reflect.Value) int {
	switch x.Kind() {
	case reflect.Array:
		for i := range x.Len() {
			if c := Compare(x.Index(i), y.Index(i)); c != 0 {
				return c
			}
		}
		return 0
	case reflect.Struct:
		for i := range x.NumField() {
			if c := Compare(x.Field(i), y.Field(i)); c != 0 {
				return c
			}
		}
		return 0
	case reflect.Complex64:
		return Compare(parts[[2]float32](x), parts[[2]float32](y))
	case reflect.Complex128:
		return Compare(parts[[2]float64](x), parts[[2]float64](y))
	}
	i, s := Key(x)
	j, t := Key(y)
	return cmp.Or(cmp.Compare(i, j), strings.Compare(s, t))
}

// parts views a complex number as the array of its parts, which has the same
// memory layout.
func parts[A any](v reflect.Value) reflect.Value {
	return reflect.ValueOf((*A)(unsafe.Pointer(v.UnsafeAddr()))).Elem()
}
