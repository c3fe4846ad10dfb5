package top

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Run shows the view until the user quits, the context ends or the API rejects the key.
// Quitting is not an error.
func Run(ctx context.Context, in io.Reader, out io.Writer, environ []string, source Source, screen Screen) error {
	ctx, stop := context.WithCancel(ctx)
	m := &model{screen: screen, state: State{Stages: make(map[string]Stages)}, quota: source.Client.Quota}
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(environ),
		tea.WithoutSignalHandler())
	send := func(message any) { program.Send(message) }
	client, err := source.Client.With(hiring.WithObserver(func(_ context.Context, x hiring.Exchange) { send(x) }))
	if err != nil {
		stop()
		return err
	}
	source.Client = client
	var pollers sync.WaitGroup
	for _, poll := range []func(context.Context, func(any)) error{source.watch, source.list} {
		pollers.Go(func() {
			if err := poll(ctx, send); err != nil && ctx.Err() == nil {
				send(ended{err})
			}
		})
	}
	_, err = program.Run()
	interrupted := ctx.Err()
	stop()
	pollers.Wait()
	switch {
	case m.err != nil:
		return m.err
	case interrupted != nil:
		return interrupted
	case errors.Is(err, tea.ErrInterrupted):
		return nil // Ctrl-C quits.
	}
	return err
}

// model is the state of the program.
type model struct {
	screen Screen
	state  State
	quota  func() hiring.Quota
	err    error
}

// Init does nothing; sources send messages.
func (m *model) Init() tea.Cmd { return nil }

// Update handles the messages of sources and the keys of the user.
func (m *model) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		m.screen.Width, m.screen.Height = message.Width, message.Height
	case tea.KeyPressMsg:
		switch message.String() {
		case "q", "esc", "ctrl+c":
			return m, tea.Quit
		}
	case accountMessage:
		m.state.Title = message.name
	case activeMessage:
		m.state.Assessments = len(message.assessments)
		if m.state.Assessments == 0 {
			m.state.Listed = message.at
		}
		maps.DeleteFunc(m.state.Stages, func(id string, _ Stages) bool { return !slices.Contains(message.assessments, id) })
	case listingMessage:
		m.state.Stages[message.assessment], m.state.Listed = message.stages, message.at
	case resultMessage:
		m.state.add(message.submission)
	case hiring.Exchange:
		m.state.request(time.Now())
		m.state.Quota = m.quota()
	case problem:
		m.state.Problem = ""
		if message.err != nil {
			m.state.Problem = message.err.Error()
		}
	case ended:
		m.err = message.err
		return m, tea.Quit
	}
	return m, nil
}

// View returns the whole screen.
func (m *model) View() tea.View {
	view := tea.NewView("")
	if m.screen.Width > 0 {
		view = tea.NewView(m.screen.Render(&m.state))
	}
	view.AltScreen = true
	return view
}
