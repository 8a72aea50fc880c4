// node duckdb.js NODE_MODULES: runs the SQL of the lines on stdin, which are JSON strings, and
// prints the rows of each as a line: an array of objects.
const { DuckDBInstance } = require(process.argv[2] + '/@duckdb/node-api');

function plain(name, value) {
  if (typeof value === 'bigint') return String(value);
  return value;
}

async function main() {
  const db = await (await DuckDBInstance.create(':memory:')).connect();
  await db.run("SET TimeZone = 'UTC'");
  const lines = require('fs').readFileSync(0, 'utf8').trim().split('\n');
  for (const line of lines) {
    const result = await db.runAndReadAll(JSON.parse(line));
    console.log(JSON.stringify(result.getRowObjectsJson(), plain));
  }
}

main().catch((err) => {
  console.error(err.message);
  process.exit(1);
});
