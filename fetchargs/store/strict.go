package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Strictly reads what a recording has as JSON into v. A member that v lacks is an error that
// wraps ErrNewer: a later version has saved it, and what it means is not known here.
func Strictly(data []byte, v any) error {
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	err := in.Decode(v)
	if err == nil {
		return nil
	}
	if invalid := json.Unmarshal(data, v); invalid != nil {
		return atByte(invalid)
	}
	return fmt.Errorf("%w: %w", ErrNewer, err)
}

// atByte adds the offset of the error to an error about JSON.
func atByte(err error) error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("at byte %d: %w", syntax.Offset, err)
	case errors.As(err, &wrong):
		return fmt.Errorf("at byte %d: %w", wrong.Offset, err)
	}
	return err
}
