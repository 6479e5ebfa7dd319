// Package goast keeps the syntax trees of package go/ast on disk: encoded, they
// take about the room of their source, and loading them takes a fraction of the
// time of parsing it.
//
//	doc, err := goast.Encode(fset, []*goast.File{{Syntax: tree}}, nil)
//	files, err := goast.Decode(otherSet, doc)
//
// Tools that are built on golang.org/x/tools/go/packages need one line, and a
// folder: [Cache.ParseFile] fits packages.Config.ParseFile.
//
// [Encode] makes one document of any number of files, such as a package's.
// [Decode] loads them all. [DecodeDecls] leaves function bodies out until
// [Decls.Body] is asked for one: many tools look at declarations only.
//
// # Properties
//
//   - The same tree: every node, comment and position comes back, in the same
//     order; nil, typed nil and empty stay apart. What is one node in two places
//     of the tree is one node again, where the parser makes such trees: doc
//     comments, import specs, objects. Any other node in two places is an error
//     of Encode that names its type, not a copy.
//   - Partial trees, with their Bad nodes and the errors of their parsing, too.
//   - Positions move to where the FileSet at hand has room: all files of a
//     document by one constant, one behind the other in the order they were
//     given. Positions resolve to the same file, line and column, //line
//     comments included. Those that lie in another file of the document, run
//     backwards, or lie beyond the end of their file are kept.
//   - Deterministic: the bytes depend on the files and their order, not on the
//     process, or on where the files lie in their FileSet.
//   - Checked: what was cut short or damaged is an error, with DecodeDecls when
//     the damaged part is asked for. Any bytes at all are trees or an error, and
//     cost no more memory than a multiple of their length.
//   - All or nothing: after an error no file stays in the FileSet. The range of
//     positions that was taken for it remains unused.
//   - Any depth of nesting is fine, and takes no depth of stack.
//
// # What is not kept
//
//   - Objects (Ident.Obj, File.Scope, File.Unresolved) are deprecated and left
//     out, unless [Options] ask for them.
//   - Positions in files that are in the FileSet but not in the document keep
//     their distance from the file that names them, which means nothing in
//     another FileSet. One that lies before the document's files is refused.
//   - The source text is not in the document, and no position needs it.
//   - Documents are for the version of Go and of this module that wrote them: a
//     node type or a field more makes another schema, which is refused with an
//     error that a cache takes for a miss.
//
// # Memory
//
// The nodes of a document lie in a few slabs, its names in one string: who keeps
// one node keeps all of the document's. Trees are fresh each time, and the
// caller may change them.
//
// # Concurrency
//
// All functions, and the methods of [Cache], may be called by many goroutines at
// once, with one FileSet or several. A [Decls] belongs to one goroutine at a
// time. Nobody may change a tree while it is encoded.
//
// # Errors
//
// Errors of decoding match putget.ErrTruncated, ErrCorrupt, ErrLimit, ErrVersion
// or ErrSchema with errors.Is. A tree that cannot be encoded is
// putget.ErrValue, with the path to the place.
//
// # Cost
//
// The standard library of Go 1.26 with comments (1,692 files, 18.7 MB, 2.3
// million nodes) on two cores of an AMD EPYC, go1.26.8; one document a package,
// with go test -run - -bench 'Std|Cold' ./goast, in one process and, where each
// has its first touches of memory to pay for, in fresh ones:
//
//	               one process    fresh process
//	parse               238 ms           336 ms
//	encode              160 ms
//	load                 59 ms           146 ms
//	declarations         25 ms            64 ms
//
// The documents have 18.6 MB, and 19.4 MB as one a file; with objects they have
// 21.5 MB. Loading them takes 29,000 allocations, where parsing takes 4.7
// million.
//
// # Format
//
// A document of package putget, see docs/format.md. Its root has the tables of
// lines of all files, then their errors and comments, then the trees; the tables
// "names", "bodies" and "strays" have the strings, the function bodies, and the
// doc comments that no File.Comments lists. A reader needs the schema: codec.go
// and document.go are the rest of the description.
package goast
