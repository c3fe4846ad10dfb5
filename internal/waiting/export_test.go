package waiting

// IsUnreadable reports whether an item is read again later because it cannot be
// decoded.
func (m *Machine) IsUnreadable(id string) bool {
	known := m.Items[m.keyOf(id)]
	return known != nil && known.Unreadable
}
