package sum

import (
	"bytes"
	"math"
	"math/big"
)

// meanDecimals is how many decimals of a mean are shown. A mean below 1 has as many
// significant digits.
const meanDecimals = 3

// AppendMean appends a mean as a decimal number, without zeros at the end: 63.75.
func AppendMean(dst []byte, mean *big.Rat) []byte {
	decimals := meanDecimals
	if f, _ := mean.Float64(); f != 0 && math.Abs(f) < 1 {
		decimals += int(-math.Log10(math.Abs(f)))
	}
	text := []byte(mean.FloatString(decimals))
	return append(dst, bytes.TrimSuffix(bytes.TrimRight(text, "0"), []byte("."))...)
}
