// Package lazy puts values that are decoded when they are first asked for: the
// body of a function, say, that most readers of a declaration never look at.
//
//	type Func struct {
//		Name string
//		Body lazy.Cell[Body]
//	}
//
//	var bodies = lazy.New[Body]("bodies", bodyCodec{})
//
//	func (funcCodec) Put(b *put.Builder, f *Func) { b.String(f.Name); bodies.Put(b, &f.Body) }
//	func (funcCodec) Get(r *get.Reader, f *Func)  { f.Name = r.String(); f.Body = bodies.Get(r) }
//
// A [Cell] that was read is the number of an entry of a symtab.Table, and holds
// on to its document. What that package says of tables holds for cells: they need
// a document or a stream; each entry is a unit of its own; cells of one pointer are
// one entry, and decode to one value, once, no matter how many goroutines ask;
// cells may lead back to themselves.
//
// A cell keeps nothing waiting: neither its entry nor another one is decoded
// when a cell is read. So of a large file open for lookups only what was asked
// for is in memory.
package lazy
