package get

import (
	"time"

	"github.com/putget/putget/internal/wire"
)

// Time gets a time, in UTC or in a fixed zone of the offset and name that it had.
func Time(r *Reader) time.Time {
	if r.rest.Err != nil {
		return time.Time{}
	}
	r.u().Mark("Time")
	seconds, nanoseconds := r.Varint(), r.Uvarint()
	zone := time.UTC
	if r.Bool() {
		offset := r.Varint()
		name := r.String()
		if int64(int32(offset)) != offset {
			r.u().Failf(wire.ErrCorrupt, "a zone is %d seconds east of UTC", offset)
		}
		zone = time.FixedZone(name, int(offset))
	}
	if nanoseconds >= 1e9 {
		r.u().Failf(wire.ErrCorrupt, "a time of %d nanoseconds", nanoseconds)
	}
	if r.rest.Err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, int64(nanoseconds)).In(zone)
}
