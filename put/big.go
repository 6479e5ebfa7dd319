package put

import (
	"math/big"

	"github.com/putget/putget/internal/wire"
)

// BigInt puts an integer of any size, or nil.
//
// Bytes: 0 for nil, else 1 + 2*n + s as Uvarint, where s is 1 for a negative
// number, and its n bytes, big-endian, without leading zeros.
func BigInt(b *Builder, x *big.Int) {
	if b.rest.Err != nil {
		return
	}
	b.u().Mark("BigInt")
	if x == nil {
		b.Uvarint(0)
		return
	}
	data := x.Bytes()
	h := 1 + 2*uint64(len(data))
	if x.Sign() < 0 {
		h++
	}
	b.Uvarint(h)
	b.Raw(data)
}

// BigRat puts a fraction, or nil. A denominator of more than 16 KiB is refused,
// because reading checks that the fraction is reduced, which is slow for long
// ones.
//
// Bytes: the numerator as BigInt; unless it is nil the denominator as BigInt.
func BigRat(b *Builder, x *big.Rat) {
	if b.rest.Err != nil {
		return
	}
	b.u().Mark("BigRat")
	if x == nil {
		BigInt(b, nil)
		return
	}
	if n := len(x.Denom().Bytes()); n > wire.MaxDenominator {
		b.u().Failf(wire.ErrLimit, "a denominator of %d bytes: the limit is %d", n, wire.MaxDenominator)
		return
	}
	BigInt(b, x.Num())
	BigInt(b, x.Denom())
}

// BigFloat puts a floating-point number with its precision, its rounding mode
// and its sign, infinities and negative zeros included, or nil. Its Accuracy,
// which tells of the last operation, is not kept.
//
// Bytes: 0 for nil, else the precision + 1 as Uvarint; a byte of the rounding
// mode, + 16 for a finite number that is not 0, + 32 for an infinity, + 128 for
// a negative sign; for a finite number that is not 0 the exponent e as Varint
// and the digits m as BigInt, odd: the number is 0.m * 2**e, in binary.
func BigFloat(b *Builder, x *big.Float) {
	if b.rest.Err != nil {
		return
	}
	b.u().Mark("BigFloat")
	if x == nil {
		b.Uvarint(0)
		return
	}
	b.Uvarint(uint64(x.Prec()) + 1)
	flags := byte(x.Mode())
	if x.Signbit() {
		flags |= wire.FloatNegative
	}
	switch {
	case x.IsInf():
		b.Uint8(flags | wire.FloatInfinite)
	case x.Sign() == 0:
		b.Uint8(flags)
	default:
		b.Uint8(flags | wire.FloatFinite)
		var m big.Float
		b.Varint(int64(x.MantExp(&m)))
		mantissa, _ := m.SetMantExp(&m, int(x.MinPrec())).Int(nil)
		BigInt(b, mantissa.Abs(mantissa))
	}
}
