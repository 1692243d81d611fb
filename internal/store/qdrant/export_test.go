package qdrant

// MarkerID is the id of the point that says what a collection holds.
func MarkerID() string { return markerID().GetUuid() }
