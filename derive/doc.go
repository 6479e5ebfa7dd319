// Package derive makes codecs from Go types.
//
//	var moduleCodec = derive.Must(derive.For[Module](
//		derive.Own[Expr](),
//		derive.Union[Stmt]((*Assign)(nil), (*Return)(nil))))
//
//	data, err := putget.Append(nil, &module, moduleCodec, nil)
//
// [For] looks at a type and all that it leads to, once, by reflection, and says
// at that moment what cannot be put: the path of the field and the ways out. The
// codec is one like those written by hand: for documents, streams and bare
// units, in put.Slice, as the codec of a table. putget.Marshal is For without
// policies.
//
// # Policies
//
// A [Policy] is for one type, wherever it occurs, or for one field:
//
//   - [Share], the default for pointers: identity within a unit, cycles.
//   - [Own]: pointers are edges of a tree. A value with two owners is an error.
//   - [Inline]: pointers stand for their value, which may be doubled.
//   - [Table]: identity across the document; each value is an entry, to be had alone.
//   - [Intern]: strings by their number in a dictionary.
//   - [Text]: strings that stand where they are, and again by their number in the unit.
//   - [Delta]: integers as the difference from the last one.
//   - [Enum]: constants by their places in a list.
//   - [Sparse]: structs without their zero fields.
//   - [Union]: the types that an interface may hold.
//   - [Use], [UseField]: a codec written by hand.
//   - [Skip]: fields that come back zero.
//
// Policies for types that are not reached change nothing, so that one list serves
// several codecs; only a Table must be reached.
//
// # Parts of a codec
//
// A codec written by hand around a derived one, such as the root of a document
// that keeps parts in tables, has three more things to say: [Part] gives the codec
// of a type that another codec leads to, of one program with it; [Codec.Reserve]
// makes ready for all values of a document, table entries included, where all
// are about to be read; [Codec.Claim] notes that what the caller holds is an owner of
// a value, so that one with an owner by the policy Own, too, is an error.
//
// # What is put
//
//   - Exported fields, and those of embedded structs. Other fields are left out,
//     as by encoding/gob and encoding/json, unless UseField names them. A struct
//     that has fields, none of them exported, is an error.
//   - Pointers to values of one type that have one address are one pointer
//     again. So are maps, and pointers that lead to the first value of a unit,
//     its root.
//   - Nil and empty slices and maps, nil and typed nils in interfaces, every bit
//     of a float, strings that are not UTF-8: all stay what they are.
//   - time.Time, big.Int, big.Rat and big.Float as packages put and get do them,
//     other types with MarshalBinary (or AppendBinary) and UnmarshalBinary by
//     these. What UnmarshalBinary makes of hostile bytes is that type's affair.
//     A struct that may have the methods from an embedded field is an error.
//   - Maps in the order of their keys: natural for numbers, strings, and arrays and
//     structs of those. Pointers and interfaces go in the order of what they lead
//     to, or of their numbers where the unit has met them before. Keys alike in all
//     that, with values alike, are the one case in which equal graphs may come to
//     different bytes.
//
// # What it does not do
//
//   - Functions, channels and unsafe.Pointers are errors, as are interfaces
//     without Union.
//   - Pointers into the middle of a value (a field, an element of a slice) come
//     back as pointers to copies, or, to a struct's first field, likewise. Slices
//     of one array are separate afterwards, their capacity is their length.
//   - Values of size zero, equal values, and values of two units have no
//     identity in common, but for Table.
//   - Keys of maps are put as a whole: structs with fields that are left out, and
//     unions of types that cannot be compared, are errors.
//   - Slices, maps, and values in interfaces do nest on the stack, to Limits.Depth
//     on both sides. Pointers do not: any depth of them works.
//   - Types do not evolve: a codec reads what one of the same [Codec.Schema] put.
//   - A slice that comes from a stream grows as its elements arrive, so that they
//     move. What a codec of the caller fills in later (get.Reader.Later) in such an
//     element, or in a key or value of a map, goes into memory that was copied from,
//     and is lost. Behind a pointer it arrives, and in a member of a union, unless
//     that is a struct or array of nothing but one pointer.
//   - What leads back to the root of a unit leads to where the codec's Get filled
//     it. Where that is returned as a copy, by get.Value or get.Maybe, or moves, as
//     the first element of a get.Slice that grows, it leads to the original, not
//     the copy.
//   - To put keys of maps in order that are or hold pointers or interfaces costs up
//     to their number times all that each reaches, where they are alike for long:
//     give keys a natural order, or keep them few.
//
// What is put with Own must stay alive until the document, or the value of a
// stream, is complete: a codec that makes nodes up keeps them.
//
// # Memory
//
// A document states how many values there are of each type, so that decoding
// allocates them at once: all values of types that look the same to the garbage
// collector lie in one slab. Keeping one of them keeps its slab. Streams and bare
// units are decoded in slabs of up to 8 KiB.
//
// Hostile bytes cost at most the size of a value for each of the fewest bytes
// that one takes: 4 bytes are a struct of four strings, 64 bytes large. A struct
// of a large array that is skipped costs what it costs.
//
// # Errors
//
// Those of For are said by package derive; all others are a *putget.Error with
// the path of the value. Bytes that no Put makes are refused: keys out of order,
// zeros in a Sparse struct, markers where there need be none.
//
// # Concurrency
//
// Codecs are immutable and safe for concurrent use. For takes some tens of
// microseconds, and the codec takes a few bytes in every unit for as long as the
// program runs: keep it in a package-level variable.
//
// # Cost
//
// Nanoseconds a node, put into and got from a document in memory: a binary tree
// of 32,767 structs of an integer and two pointers, and a map of 10,000 strings.
// AMD EPYC (Zen 5) virtual machine, go1.26.8, go test -bench 'Tree|Map' ./derive
//
//	           put    get   allocations of get
//	Own         20     40     10
//	Share       42     73     10
//	Inline      45     61      9
//	Table      110    135    269
//	a map      285    124  10095
//
// # Format
//
// In the grammar, uvarint and varint are as in package put; * repeats.
//
//	int8, uint8, bool     1 byte
//	other integers        varint, or uvarint where unsigned
//	float, complex        4, 8 or 16 bytes, little-endian
//	string                uvarint length, bytes
//	Intern                uvarint number in the dictionary
//	Text                  uvarint: 2*length and the bytes, or 2*n + 1 for the unit's
//	                      Text number n again
//	Delta                 uvarint: 0 for zero, else 1 + zigzag of the difference
//	Enum                  uvarint place in the list
//	struct                fields, in the order of their declaration
//	Sparse                a bit for each field, the first the lowest of its byte,
//	                      and the fields that are not zero
//	array                 elements
//	slice                 uvarint: 0 for nil, else 1 + length; elements
//	  of bytes, numbers   the same, as put.Builder.Bytes and put.Vector do
//	  of Own and Inline   uvarint: 0 for nil, 1 for empty, else 2*length, and bodies,
//	                      if none is nil or deferred, or 2*length + 1 and pointers
//	pointer               0 nil; 1 and the body; 2, the body comes later;
//	                      3 + n for number n of the type, in Share
//	  of Table            uvarint: 0 for nil, 1 + entry
//	map                   a pointer, in Share; its body: uvarint length, key and
//	                      value in turns
//	interface             0 nil; 1 m, a body of member m that comes later; 2 m, a nil
//	                      of member m; 3 m n, number n of its type; 4 + m and the
//	                      body or value of member m
//
// A body comes later where 16 pointers or maps are already under way; all that
// wait come when the outermost of them is done; see docs/format.md. The root of a
// unit is number 0 of its type. Integers of fixed size in slices are of fixed
// size, unless they have a Delta or an Enum.
//
// This value of test types, &record{"r", []int16{-2}, self, map[string]any{"x":
// circle{7}}, []*leaf{{true}}}, of which self is the root and leaves are owned,
// is these bytes:
//
//	01 72        "r"
//	02 fe ff     a slice of one number
//	03           number 0 of its type: the root
//	01 01 01 78  a map of one pair: "x"
//	04 0e        member 0 of the union: 7
//	02 01        a slice of one leaf, which is here: true
//
// In a document a table, named by the schema, has two entries: the numbers of
// values by slab, as uvarints, first of the root, then of all other units. A
// reader that does not find it, or believe it, does without.
package derive
