package get

import (
	"math/big"

	"github.com/putget/putget/internal/wire"
)

// BigInt gets an integer of any size, or nil.
func BigInt(r *Reader) *big.Int {
	if r.rest.Err != nil {
		return nil
	}
	r.u().Mark("BigInt")
	h := r.Uvarint()
	if h == 0 {
		return nil
	}
	h--
	data := r.u().Raw(h / 2)
	negative := h%2 == 1
	if len(data) == 0 && negative || len(data) > 0 && data[0] == 0 {
		r.u().Failf(wire.ErrCorrupt, "an integer is not in its shortest form")
	}
	if r.rest.Err != nil {
		return nil
	}
	x := new(big.Int).SetBytes(data)
	if negative {
		x.Neg(x)
	}
	return x
}

// BigRat gets a fraction, or nil. One that is not reduced is corrupt.
func BigRat(r *Reader) *big.Rat {
	if r.rest.Err != nil {
		return nil
	}
	r.u().Mark("BigRat")
	num := BigInt(r)
	if num == nil {
		return nil
	}
	denom := BigInt(r)
	switch {
	case r.rest.Err != nil:
		return nil
	case denom == nil || denom.Sign() <= 0:
		r.u().Failf(wire.ErrCorrupt, "the denominator of a fraction is not positive")
		return nil
	case len(denom.Bytes()) > wire.MaxDenominator:
		r.u().Failf(wire.ErrLimit, "a denominator of %d bytes: the limit is %d", len(denom.Bytes()), wire.MaxDenominator)
		return nil
	}
	x := new(big.Rat).SetFrac(num, denom)
	if x.Denom().Cmp(denom) != 0 {
		r.u().Failf(wire.ErrCorrupt, "a fraction is not reduced")
		return nil
	}
	return x
}

// BigFloat gets a floating-point number, or nil. The precision is one of the
// number's properties and costs nothing here, but computing with it may.
func BigFloat(r *Reader) *big.Float {
	if r.rest.Err != nil {
		return nil
	}
	r.u().Mark("BigFloat")
	p := r.Uvarint()
	if p == 0 {
		return nil
	}
	precision := p - 1
	flags := r.Uint8()
	mode, kind := big.RoundingMode(flags&wire.FloatMode), flags&^(wire.FloatMode|wire.FloatNegative)
	if r.rest.Err != nil {
		return nil
	}
	if precision > big.MaxPrec || mode > big.ToPositiveInf {
		r.u().Failf(wire.ErrCorrupt, "a floating-point number of precision %d and rounding mode %d", precision, mode)
		return nil
	}
	x := new(big.Float).SetPrec(uint(precision)).SetMode(mode)
	switch kind {
	case 0:
	case wire.FloatInfinite:
		x.SetInf(false)
	case wire.FloatFinite:
		if !finite(r, x) {
			return nil
		}
	default:
		r.u().Failf(wire.ErrCorrupt, "the kind %#x of a floating-point number", kind)
		return nil
	}
	if flags&wire.FloatNegative != 0 {
		x.Neg(x)
	}
	return x
}

// finite gets the digits and the exponent of x, which has its precision.
func finite(r *Reader, x *big.Float) bool {
	exponent := r.Varint()
	digits := BigInt(r)
	switch {
	case r.rest.Err != nil:
		return false
	case exponent < big.MinExp || exponent > big.MaxExp:
		r.u().Failf(wire.ErrCorrupt, "the exponent %d of a floating-point number", exponent)
		return false
	case digits == nil || digits.Sign() < 0 || digits.Bit(0) == 0 || uint(digits.BitLen()) > x.Prec():
		r.u().Failf(wire.ErrCorrupt, "the digits of a floating-point number are not odd, or more than its precision")
		return false
	}
	x.SetInt(digits).MantExp(x)
	x.SetMantExp(x, int(exponent))
	return true
}
