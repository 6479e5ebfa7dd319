package graphtest

import (
	"reflect"
	"unsafe"
)

// All that reads memory without the type system is in this file. Pointers are kept as
// unsafe.Pointers, so that what they point to stays alive, and are only moved within their object.

const wordSize = unsafe.Sizeof(uintptr(0))

func at(p unsafe.Pointer, offset uintptr) unsafe.Pointer { return unsafe.Add(p, offset) }

// word reads a value that is represented as one pointer: a pointer, map, chan or func.
func word(p unsafe.Pointer) unsafe.Pointer { return *(*unsafe.Pointer)(p) }

// bytesAt views memory as a string, which compares fastest. Comparing stays within size bytes.
func bytesAt(p unsafe.Pointer, size uintptr) string { return unsafe.String((*byte)(p), size) }

// sliceAt reads the header of a slice of any type; all of them have the same layout, and the length
// counts elements.
func sliceAt(p unsafe.Pointer) (data unsafe.Pointer, length int) {
	s := *(*[]byte)(p)
	return unsafe.Pointer(unsafe.SliceData(s)), len(s)
}

// valueAt is the addressable, fully accessible value of type t in place.
func valueAt(t reflect.Type, p unsafe.Pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }

// interfaceAt reads an interface of any type. All interfaces with methods have the same layout, so
// any of them can be loaded as one with some method that is not called; package reflect does the same.
func interfaceAt(t reflect.Type, p unsafe.Pointer) any {
	if t.NumMethod() == 0 {
		return *(*any)(p)
	}
	return *(*interface{ method() })(p)
}

// typeWord identifies the dynamic type of an interface, nil for a nil interface. An interface without
// methods is a type word and a data word.
func typeWord(v any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[0] }

// inInterface returns where the value held by the interface at p is. The data word, the second one of
// all interfaces, is the value itself for types represented as one pointer, and points to it for
// others. Structs and arrays around a pointer may be either; those are copied, which loses nothing,
// as only their address is new.
func inInterface(p unsafe.Pointer, dynamic *plan, v any) unsafe.Pointer {
	data := at(p, wordSize)
	switch dynamic.typ.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return data
	case reflect.Struct, reflect.Array:
		if dynamic.size == wordSize && !dynamic.plain {
			copied := reflect.New(dynamic.typ)
			copied.Elem().Set(reflect.ValueOf(v))
			return copied.UnsafePointer()
		}
	}
	return word(data)
}

// mapAt is the map of type t whose pointer is p.
func mapAt(t reflect.Type, p unsafe.Pointer) reflect.Value { return valueAt(t, unsafe.Pointer(&p)) }
