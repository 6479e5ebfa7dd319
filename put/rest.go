package put

import (
	"github.com/putget/putget/internal/unit"
	"github.com/putget/putget/internal/wire"
)

// Rest leaves a part of an entry of a symtab.Built table for later: what fn
// puts is a unit of its own, which may refer to anything, the entry itself
// included. fn runs when the value that is being put now is done.
//
// Bytes: at the place of the call, the length of the unit and the unit.
func (b *Builder) Rest(fn func(*Builder)) {
	if b.u().Err != nil {
		return
	}
	rests, ok := b.u().Slot(unit.RestSlot).(*unit.Rests)
	if !ok {
		b.u().Begun()
		b.u().Failf(wire.ErrValue, "only an entry of a symtab.Built table can leave a rest for later, once, not within a rest")
		return
	}
	b.u().Mark("Rest")
	rests.List = append(rests.List, unit.Rest{At: b.u().Offset(), Put: fn})
}
