package put

// Text puts the bytes of a string without its length, which the codec knows
// otherwise: the counterpart of get.Reader.Text.
func (b *Builder) Text(v string) { b.u().RawString(v) }
