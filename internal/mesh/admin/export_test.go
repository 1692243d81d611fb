package admin

// Faulty are options under which a step fails as if the process died there.
func Faulty(o Erasure, fault func(step string) error) Erasure {
	o.fault = fault
	return o
}
