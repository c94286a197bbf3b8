package transcript

// Version grows whenever rows may look different; the caller can keep a frame
// until it does.
func (v *View) Version() uint64 { return v.version }
