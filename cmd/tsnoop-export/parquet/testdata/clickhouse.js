// node clickhouse.js NODE_MODULES: as duckdb.js.
const { query } = require(process.argv[2] + '/chdb');

for (const line of require('fs').readFileSync(0, 'utf8').trim().split('\n')) {
  const rows = query(JSON.parse(line), 'JSONEachRow').trim();
  console.log('[' + rows.split('\n').join(',') + ']');
}
