package otlp

import (
	"io"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/env"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/otlpjson"
)

// A file is the [sink] that writes each request as a line, as the Collector's file exporter
// does.
type file struct {
	w    io.Writer
	line []byte
}

func (f *file) Send(s env.Signal, body []byte, n int) error {
	f.line = append(otlpjson.Append(f.line[:0], s, body), '\n')
	_, err := f.w.Write(f.line)
	return err
}

func (f *file) Close(error) error { return nil }
