package render

// formats are the rules of the FORMATs that may follow an item's colon.
// fetchargs has the table that says how each is fetched.
var formats = []struct {
	name string
	rule rule
}{
	{"x", rule{text: hexText, sign: unsigned, json: jsonNamed}},
	{"d", rule{text: decimalText, sign: signed}},
	{"u", rule{text: decimalText, sign: unsigned}},
	{"o", rule{text: octalText, sign: unsigned, json: jsonNamed}},
	{"c", rule{text: charText, sign: unsigned, json: jsonNamed}},
	{"s", textRule},
	{"us", textRule},
	{"string", textRule},
	{"ustring", textRule},
	{"sym", rule{text: symbolText, sign: unsigned, json: jsonAddress}},
	{"symbol", rule{text: symbolText, sign: unsigned, json: jsonAddress}},
	{"mac", rule{text: hexText, sign: unsigned, block: appendMAC, unit: 6, json: jsonText}},
	{"ip4", ip4Rule},
	{"ip6", ip6Rule},
	{"port", rule{text: decimalText, sign: unsigned, width: 2, big: true}},
	{"be16", rule{text: decimalText, sign: unsigned, width: 2, big: true}},
	{"be32", rule{text: decimalText, sign: unsigned, width: 4, big: true}},
	{"errno", rule{text: errnoText, sign: signed, json: jsonNamed}},
	{"time", rule{text: secondsText, json: jsonNamed}},
	{"hex", rule{text: memoryText, sign: unsigned, block: appendHexBytes, json: jsonText}},
	{"char", rule{text: charText, sign: unsigned, width: 1, json: jsonNamed}},
	{"u8", rule{text: decimalText, sign: unsigned, width: 1}},
	{"u16", rule{text: decimalText, sign: unsigned, width: 2}},
	{"u32", rule{text: decimalText, sign: unsigned, width: 4}},
	{"u64", rule{text: decimalText, sign: unsigned, width: 8}},
	{"s8", rule{text: decimalText, sign: signed, width: 1}},
	{"s16", rule{text: decimalText, sign: signed, width: 2}},
	{"s32", rule{text: decimalText, sign: signed, width: 4}},
	{"s64", rule{text: decimalText, sign: signed, width: 8}},
	{"x8", rule{text: hexText, sign: unsigned, width: 1, json: jsonNamed}},
	{"x16", rule{text: hexText, sign: unsigned, width: 2, json: jsonNamed}},
	{"x32", rule{text: hexText, sign: unsigned, width: 4, json: jsonNamed}},
	{"x64", rule{text: hexText, sign: unsigned, width: 8, json: jsonNamed}},
}

var (
	textRule = rule{text: pointerText, sign: unsigned, chars: true, json: jsonAddress}
	ip6Rule  = rule{text: hexText, sign: unsigned, block: appendIP6, unit: 16, json: jsonText}
	ip4Rule  = rule{text: ip4Text, sign: unsigned, width: 4, big: true, block: appendIP4, unit: 4, json: jsonText}
)

func formatNamed(name string) (rule, bool) {
	for _, f := range formats {
		if f.name == name {
			return f.rule, true
		}
	}
	return rule{}, false
}
