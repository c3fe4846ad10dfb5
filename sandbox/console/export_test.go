package console

// ContentHash is the hash in the URLs of static files.
func ContentHash() string {
	_, hash := static()
	return hash
}
