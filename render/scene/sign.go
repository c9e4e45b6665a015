package scene

// signHeight is the height of the strip that Sign adds.
const signHeight = 2*space2 + sizeBody

// Sign adds a strip below the picture with text at its right end: where a
// picture that leaves the page is from. What does not fit is cut.
func (s *Scene) Sign(th *Theme, text string) {
	strip := Box{0, s.H, s.W, s.H + signHeight}
	s.H = strip.Y1
	s.layer(strip)
	s.text(strip.X1-space4, strip.Y0+sizeBody, style{typeSans, sizeBody, th.Faint, Right, strip.W() - 2*space4}, []byte(text))
}
