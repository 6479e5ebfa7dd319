// Package symtab puts what a whole document shares into tables: each value is
// put once, as an entry of its own, and everything else has its number. An
// entry is decoded when it is first referred to, or alone, by number or by name.
//
//	var (
//		names = symtab.NewStrings("names")
//		types = symtab.NewTable[Type]("types", typeCodec{})
//		index = symtab.NewIndex(types, names, func(t *Type) (string, uint8, bool) { return t.Name, 0, true })
//	)
//
//	func (typeCodec) Put(b *put.Builder, t *Type) { names.Put(b, t.Name); types.Put(b, t.Elem) }
//	func (typeCodec) Get(r *get.Reader, t *Type)  { t.Name = names.Get(r); t.Elem = types.Get(r) }
//
// Which key a Put uses is all there is to choose:
//
//   - [Strings]: text. Equal strings are put once.
//   - [Table]: pointers. A value is allocated when it is first referred to and
//     filled later, so cycles and chains of any length are fine. A Get never
//     looks inside what Table.Get returns.
//   - [Built]: values that constructors make, which need their parts first. What
//     leads back to the value is left for later, with Rest.
//   - [Cons]: values that are compared. Those with equal encodings are put once,
//     so what comes back is one value for all that are alike.
//   - [Index]: the names of a table's entries, in order, for a lookup that decodes
//     nothing else.
//
// Keys are declared once, at package level, and are safe for concurrent use. The
// type argument can be left out where the compiler infers it, which it does only
// for codecs whose methods stand before the key in the source (golang/go#77905).
//
// # Documents and streams
//
// Tables live in documents and streams; in a bare unit every key but says so, in
// an error with its name. A table is in a document when its key was used there,
// under a name that must be unlike that of any other table of the document. An
// entry is a unit: a state.Local is fresh in it, no state.Scope encloses it.
//
// A failure takes back every entry that was decoded for the same demand: nobody
// sees a value that is not finished. An entry whose bytes are corrupt gives the
// same error each time.
//
// Entries are decoded under the lock of the document's domain; what is decoded is
// found without it. A codec that needs an entry of its own document by number
// calls Load with its Reader as the document: Load with the document itself
// would wait for the session that the codec is part of.
//
// # Identity
//
// A root that the graph leads back to is put through its key as well: by a codec
// of *Type whose Put is types.Put(b, *p). Put by its own codec, typeCodec, it
// would come back as a copy.
//
// A Table tells pointers apart by type and address, as share.Refs does. Values
// must not change while the document is being put. A Built or Cons compares with
// ==, so their type must be one for which that never panics.
//
// # Cost
//
// A reference takes 1 to 5 bytes, an entry the width of an offset, 1 to 4 bytes in
// most documents, on top of its own. Opening a document costs nothing for each
// entry; decoded entries take 9 bytes on top of their value, in pages of 256.
// AMD EPYC (Zen 5) virtual machine, go1.26.8, go test -bench ., the least of some
// runs while others shared its two processors:
//
//	Strings.Put     7 ns of a few names; 15 of a million identifiers
//	                of the Go library, 39,000 of them distinct
//	Strings.Get    11 ns
//	Table.Put       7 ns of a value seen before; 70 with its entry
//	Table.Get       6 ns of a decoded entry, Table.Load 3; 63 with decoding
//	Built         360 ns for an entry with a Rest, each way
//	Index.Find    1.8 us of 100,000 names; 3.7 with opening the document,
//	              8.5 with decoding the entry as well
//
// # Format
//
// A table is a list of entries, each a unit of bytes without its length. All
// references are unsigned varints.
//
//	Strings   number: first the known strings, then the entries, in order
//	          entry: the bytes of the string
//	Table     0 nil, n+1 entry n, in order of first reference
//	          entry: what the codec put
//	Built     0 the zero value, n+1 entry n. What an entry refers to in its
//	          own table, but for rests, has smaller numbers
//	          entry: what the codec put; at the place of each Rest its length
//	          and its unit
//	Cons      the same, without rests; no two entries are the same bytes
//	Index     a tree of nodes, each an entry, the root last; see below
//
// A reference to an entry that is not there is corrupt, as is one to an entry of
// a Built or Cons that depends on the one that refers to it. That two strings of
// a table are equal, or two entries of a Cons, or that an index is not in order,
// only Verify finds out.
//
// An Index has leaves of 128 records, the last of which may have fewer. Records
// are sorted by name, then kind, then entry. A leaf is the columns of its records:
//
//	offset       size
//	0            1        w + 16*v: the width of string numbers and of entries
//	1            n        a byte of each name's hash: FNV-1a with 32 bits, its
//	                      four bytes combined with xor
//	1 + n        n        kinds
//	1 + 2n       w*n      numbers of names in the Strings of the index, little-endian
//	1 + (2+w)n   v*n      entries, little-endian
//
// After the leaves come the nodes above them, 128 children to a node, then those
// above these, up to one. A node has a fence before each of its children but the
// first: the shortest string greater than the last name before it and not greater
// than the first behind it.
//
//	offset       size
//	0            1        w: the width of the ends
//	1            w*n      where each fence ends in what follows, little-endian
//	1 + w*n               the fences, back to back
package symtab
