package top

import (
	"context"
	"errors"
	"io"
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
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(environ), tea.WithoutSignalHandler())
	tell := func(news any) { program.Send(news) }
	client, err := source.Client.With(hiring.WithObserver(func(_ context.Context, x hiring.Exchange) { tell(x) }))
	if err != nil {
		stop()
		return err
	}
	source.Client = client
	var asking sync.WaitGroup
	for _, ask := range []func(context.Context, func(any)) error{source.watch, source.list} {
		asking.Go(func() {
			if err := ask(ctx, tell); err != nil && ctx.Err() == nil {
				tell(ended{err})
			}
		})
	}
	_, err = program.Run()
	interrupted := ctx.Err()
	stop()
	asking.Wait()
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
func (m *model) Update(news tea.Msg) (tea.Model, tea.Cmd) {
	switch news := news.(type) {
	case tea.WindowSizeMsg:
		m.screen.Width, m.screen.Height = news.Width, news.Height
	case tea.KeyPressMsg:
		switch news.String() {
		case "q", "esc", "ctrl+c":
			return m, tea.Quit
		}
	case accountNews:
		m.state.Title = news.name
	case listingNews:
		m.list(news)
	case resultNews:
		m.state.add(news.submission)
	case hiring.Exchange:
		m.state.request(time.Now())
		m.state.Quota = m.quota()
	case problem:
		m.state.Problem = ""
		if news.err != nil {
			m.state.Problem = news.err.Error()
		}
	case ended:
		m.err = news.err
		return m, tea.Quit
	}
	return m, nil
}

func (m *model) list(news listingNews) {
	m.state.Stages[news.assessment] = news.stages
	m.state.Assessments, m.state.Listed = news.active, news.at
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
