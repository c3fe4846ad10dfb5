package hiring

// ReadTwice decodes an envelope as replies are read and as json/v2 reads it.
func ReadTwice[T any](body []byte) (fast any, ok bool, slow any, err error) {
	one, other := new(envelope[T]), new(envelope[T])
	ok = replies.Read(body, one, nil)
	err = decode(body, other)
	return one, ok, other, err
}

// ReadReply decodes an envelope as calls do.
func ReadReply[T any](body []byte) (*T, error) {
	data, _, err := open[T](body)
	return data, err
}
