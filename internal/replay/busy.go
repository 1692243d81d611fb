package replay

import "errors"

// ErrBusy says that another replay is running where one runs at a time.
var ErrBusy = errors.New("another replay is running")
