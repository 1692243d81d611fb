package erasure

// Faulty are options under which a step fails as if the process died there.
func Faulty(o Options, fault func(step string) error) Options {
	o.fault = fault
	return o
}
