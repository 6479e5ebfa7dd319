// Package state has the keys under which codecs keep state of their own while
// they put and get.
//
// There are three kinds; a fourth, tables, is in package symtab.
//
//   - A [Local] flows with the bytes of a unit: the last position, for delta
//     coding; a counter. It is fresh in every unit, on both sides, so that a
//     unit that is decoded on demand sees what its writer saw.
//   - A [Scope] flows down the tree: the enclosing scope, a de Bruijn level. It
//     is set for the duration of a call, and goes along with bodies that are
//     deferred, so that depth changes nothing.
//   - An [Env] is given by the caller before the run: a *token.FileSet, an
//     import map.
//
// A key is declared once, at package level:
//
//	var lastLine = state.NewLocal[int]("line")
//
//	func (lineCodec) Put(b *put.Builder, line *int) {
//		last := lastLine.Of(b)
//		b.Varint(int64(*line - *last))
//		*last = *line
//	}
//
// # What it does not do
//
// A Local is not restored when the codec that changed it returns: it belongs to
// the bytes, in the order that they are in. Bodies of pointers that are nested
// deeply are put and got after what follows them in the code, by both sides
// alike; what is to depend on the place in the tree is a Scope. Nothing is kept
// from one unit to the next; what is to be document-wide is a table.
//
// # Errors
//
// Only an Env can fail, where the caller bound nothing to it or bound it twice:
// the error names the key.
//
// # Concurrency
//
// Keys are immutable and safe for concurrent use. What they resolve to belongs
// to one Builder or Reader and is as little safe as that.
//
// # Cost
//
// Resolving is an array access, 2 to 4 ns. Every key takes a few bytes in every
// unit for as long as the program runs, so keys are not made in loops.
package state
