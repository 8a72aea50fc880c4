// Package program has what the commands of this repository share: the rows that their flags
// are, with the help made from them, the errors of a command line, and the version.
package program

// A Row is one flag: its names, what it is for, where its value goes, and what to say if
// the value is wrong.
type Row struct {
	Name, Short string
	Form        string // of its value in the help, as it follows the name: " FILE", "[=WHEN]"
	Text        string // what it is for
	Value       Setter
	Takes       string // describes the value, as a sentence that begins with --name; "" if the flag takes no value
	Example     string // a command line
}

// A Section is flags that the help lists below a title. It does not list those without.
type Section struct {
	Title string
	Rows  []Row
}

// Set, String and Type implement pflag.Value.
func (f *Row) Set(s string) error { return f.Value.Set(s) }
func (f *Row) String() string     { return "" }
func (f *Row) Type() string       { return "" }

// NeedsValue reports whether the flag has a value in any case, so that it may be a word
// of its own: --pid 1.
func (f *Row) NeedsValue() bool { return f.Value.Bare == "" }

// Words returns words that the value can be. Others can also be right.
func (f *Row) Words() []string { return f.Value.Words }
