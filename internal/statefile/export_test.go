package statefile

// Stepping returns a File whose Save calls after with the name of each step that it ended.
func Stepping(path string, after func(step string)) *File { return &File{path: path, after: after} }
