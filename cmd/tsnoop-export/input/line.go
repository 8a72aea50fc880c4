package input

import (
	"encoding/json"
	"fmt"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/tracefs"
)

// A line is what a line of tsnoop --json may have, as far as it is exported: see tsnoop help
// json.
type line struct {
	V             *uint64 `json:"v"`
	Origin        *origin `json:"origin"`
	Summary, Heat json.RawMessage

	// Only of the replay of several recordings.
	Host *string `json:"host"`
	File *string `json:"file"`
	Wall *int64  `json:"wall_ns"`

	TS           *uint64 `json:"ts_ns"`
	Time         string  `json:"time"`
	CPU          int     `json:"cpu"`
	PID          *int    `json:"pid"`
	TID          int     `json:"tid"`
	Comm         string  `json:"comm"`
	CommBytes    string  `json:"comm_bytes"`
	Func         *string `json:"func"`
	Module       string  `json:"module"`
	Caller       string  `json:"caller"`
	CallerModule string  `json:"caller_module"`

	Call       uint64    `json:"call"`
	Part       string    `json:"part"`
	Args       []jsonArg `json:"args"`
	Ret        *jsonArg  `json:"ret"`
	RetArgs    []jsonArg `json:"ret_args"`
	End        *uint64   `json:"end_ns"`
	EndCPU     *int      `json:"end_cpu"`
	Duration   *uint64   `json:"duration_ns"`
	Stack      []string  `json:"stack"`
	Errors     []jsonErr `json:"errors"`
	Orphan     bool      `json:"orphan"`
	Unfinished bool      `json:"unfinished"`

	jsonLoss
}

// A jsonArg is a value.
type jsonArg struct {
	Name  string          `json:"name"`
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
	Text  *string         `json:"text"`
	Bytes *string         `json:"bytes"`
	Errno string          `json:"errno"`
}

type jsonErr struct {
	Name  string `json:"name"`
	Fault string `json:"fault"`
}

// A jsonLoss has the members of lines about losses.
type jsonLoss struct {
	Lost            json.RawMessage `json:"lost"`
	LostTotal       *uint64         `json:"lost_total"`
	MissedCalls     *uint64         `json:"missed_calls"`
	MissedReturns   *uint64         `json:"missed_returns"`
	UnfinishedCalls *uint64         `json:"unfinished_calls"`
	AtMost          bool            `json:"at_most"`
	Earlier         bool            `json:"earlier"`

	SwitchedOff *string `json:"switched_off"`
	Spec        string  `json:"spec"`
	Rate        uint64  `json:"rate"`
	MaxRate     int     `json:"max_rate"`

	Interference  *string         `json:"interference"`
	Was           string          `json:"was"`
	Is            string          `json:"is"`
	MissingEvents json.RawMessage `json:"missing_events"`
	MissingAtMost *uint64         `json:"missing_at_most"`
	Rearmed       bool            `json:"rearmed"`
}

// loss returns the loss that the line is about, nil if it is about none.
func (l *line) loss() (*call.Loss, error) {
	of := call.Loss{CPU: l.CPU, AtMost: l.AtMost, Known: true}
	if l.Func != nil {
		of.Func = *l.Func
	}
	if l.TS != nil {
		of.Time = *l.TS
	}
	count := func(kind call.LossKind, n uint64) (*call.Loss, error) {
		of.Kind, of.Count = kind, n
		return &of, nil
	}
	switch {
	case l.Lost != nil:
		n, known, err := number(l.Lost)
		of.Known = known
		if err != nil {
			return nil, fmt.Errorf(`"lost": %w`, err)
		}
		return count(call.LostHere, n)
	case l.LostTotal != nil:
		return count(call.LostTotal, *l.LostTotal)
	case l.MissedCalls != nil:
		return count(call.MissedCalls, *l.MissedCalls)
	case l.MissedReturns != nil:
		return count(call.MissedReturns, *l.MissedReturns)
	case l.UnfinishedCalls != nil && l.Earlier:
		return count(call.EarlierCalls, *l.UnfinishedCalls)
	case l.UnfinishedCalls != nil:
		return count(call.UnfinishedCalls, *l.UnfinishedCalls)
	case l.SwitchedOff != nil:
		of.Kind, of.Func, of.Known = call.SwitchedOff, *l.SwitchedOff, false
		of.SwitchedOff = &tracefs.SwitchOff{Func: of.Func, Module: l.Module, Spec: l.Spec, Time: of.Time, Rate: l.Rate, Limit: l.MaxRate}
		return &of, nil
	case l.Interference != nil:
		return l.interference(&of)
	}
	return nil, nil
}

func (l *line) interference(of *call.Loss) (*call.Loss, error) {
	cost := tracefs.Cost{Reported: l.MissingEvents != nil}
	if cost.Reported {
		n, known, err := number(l.MissingEvents)
		if err != nil {
			return nil, fmt.Errorf(`"missing_events": %w`, err)
		}
		cost.Exact, cost.Events = known, n
	}
	if l.MissingAtMost != nil {
		cost.AtMost, cost.Events = true, *l.MissingAtMost
	}
	of.Kind, of.Known = call.Interfered, false
	of.Interference = &tracefs.Interference{Text: *l.Interference, File: l.file(), Func: of.Func, Before: l.Was, After: l.Is, Restored: l.Rearmed, Cost: cost}
	return of, nil
}

// file returns the file that was changed.
func (l *line) file() string {
	if l.File == nil {
		return ""
	}
	return *l.File
}

// number parses a number that null stands for if it is not known.
func number(raw json.RawMessage) (n uint64, known bool, err error) {
	if string(raw) == "null" {
		return 0, false, nil
	}
	if err := json.Unmarshal(raw, &n); err != nil {
		return 0, false, fmt.Errorf("%.20q is not a number of events", raw)
	}
	return n, true, nil
}

// An origin is where and when the trace was made.
type origin struct {
	Host      string   `json:"host"`
	MachineID string   `json:"machine_id"`
	BootID    string   `json:"boot_id"`
	Kernel    string   `json:"kernel"`
	Arch      string   `json:"arch"`
	Recorder  string   `json:"recorder"`
	Specs     []string `json:"specs"`
	Clock     string   `json:"clock"`
	Began     *moment  `json:"began"`
	Ended     *moment  `json:"ended"`
}

type moment struct {
	Wall     int64  `json:"wall_ns"`
	TS       uint64 `json:"ts_ns"`
	MaxError *int64 `json:"max_error_ns"`
	Synced   bool   `json:"synchronized"`
}

func (o *origin) origin() *tracefs.Origin {
	return &tracefs.Origin{Host: o.Host, MachineID: o.MachineID, BootID: o.BootID, Kernel: o.Kernel, Arch: o.Arch,
		Recorder: o.Recorder, Specs: o.Specs, Clock: o.Clock, Began: o.Began.moment(), Ended: o.Ended.moment()}
}

func (m *moment) moment() *tracefs.Moment {
	if m == nil {
		return nil
	}
	return &tracefs.Moment{Wall: m.Wall, Trace: m.TS, MaxError: m.MaxError, Synced: m.Synced}
}
