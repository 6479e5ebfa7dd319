package put

import (
	"math"
	"time"

	"github.com/putget/putget/internal/wire"
)

// Time puts a time: what comes back is Equal, with the same offset and name of
// its zone. The rules of its Location for other times are not kept, nor is the
// reading of the monotonic clock.
//
// Bytes: the seconds since 1970 as Varint, the nanoseconds as Uvarint; then 0
// for UTC, or 1, the seconds east of UTC as Varint, and the name as String.
func Time(b *Builder, t time.Time) {
	if b.rest.Err != nil {
		return
	}
	b.u().Mark("Time")
	b.Varint(t.Unix())
	b.Uvarint(uint64(t.Nanosecond()))
	if t.Location() == time.UTC {
		b.Bool(false)
		return
	}
	name, offset := t.Zone()
	if int(int32(offset)) != offset {
		b.u().Failf(wire.ErrValue, "the zone %q is %d seconds east of UTC: more than %d", name, offset, math.MaxInt32)
		return
	}
	b.Bool(true)
	b.Varint(int64(offset))
	b.String(name)
}
