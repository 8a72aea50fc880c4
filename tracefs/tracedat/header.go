package tracedat

// Header returns what [Write] needs to write the file again, without the pages, as
// version 6.
func (f *File) Header() (*Header, error) {
	kallsyms, err := f.Kallsyms()
	if err != nil {
		return nil, err
	}
	return &Header{
		Version: 6, BigEndian: f.BigEndian, LongSize: f.LongSize, PageSize: f.PageSize,
		HeaderPage: f.HeaderPage, HeaderEvent: f.HeaderEvent, Events: f.Events, Kallsyms: kallsyms, Printk: f.Printk,
		Cmdlines: f.Cmdlines, Clock: f.Clock, Uname: f.Uname, Recorder: f.Recorder, CPUStats: f.CPUStats, CPUs: f.CPUCount, Tsnoop: f.Tsnoop,
	}, nil
}
