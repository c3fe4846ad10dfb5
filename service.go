package hiring

// service has the field and method that all services have in common.
type service struct{ core *core }

// use returns the core. It panics when the caller did not get the service from New.
func (s *service) use() *core {
	if s == nil || s.core == nil {
		panic("hiring: the client was not made by New: use New, FromEnv or Client.With")
	}
	return s.core
}
