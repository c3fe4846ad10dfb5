package waiting

// IsUnreadable reports whether an item is remembered because it cannot be decoded.
func (m *Machine) IsUnreadable(id string) bool {
	known := m.Set.Items[m.planner.key(id)]
	return known != nil && known.Unreadable
}
