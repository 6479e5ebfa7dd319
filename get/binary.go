package get

import (
	"encoding"

	"github.com/putget/putget/internal/wire"
)

// Binary gets a leaf into v by its UnmarshalBinary, an error of which is one of
// the unit. The bytes are hostile: that UnmarshalBinary neither panics nor
// allocates much for little is v's affair.
func Binary(r *Reader, v encoding.BinaryUnmarshaler) {
	if r.rest.Err != nil {
		return
	}
	r.u().Mark("Binary")
	data := r.u().Raw(r.Uvarint())
	if r.rest.Err != nil {
		return
	}
	if err := v.UnmarshalBinary(data); err != nil {
		r.u().FailWith(wire.ErrCorrupt, err, "%T.UnmarshalBinary", v)
	}
}
