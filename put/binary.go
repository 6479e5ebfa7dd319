package put

import "encoding"

// Binary puts a leaf that knows how to encode itself: the bytes of v's
// AppendBinary, if it has one, or its MarshalBinary. What these keep, and that
// equal values give equal bytes, is v's affair.
//
// Bytes: the length as Uvarint, then the bytes.
func Binary(b *Builder, v encoding.BinaryMarshaler) {
	if a, ok := v.(encoding.BinaryAppender); ok {
		Appender(b, a)
		return
	}
	leaf(b, v.MarshalBinary)
}

// Appender is Binary for a type that has AppendBinary only. get.Binary gets it.
func Appender(b *Builder, v encoding.BinaryAppender) {
	leaf(b, func() ([]byte, error) { return v.AppendBinary(nil) })
}

func leaf(b *Builder, encode func() ([]byte, error)) {
	if b.rest.Err != nil {
		return
	}
	b.u().Mark("Binary")
	data, err := encode()
	if err != nil {
		b.Fail(err)
		return
	}
	b.Uvarint(uint64(len(data)))
	b.Raw(data)
}
