export function report(rows) {
  for (const row of rows) console.log(row.name);
  const total = rows.map((row) => row.cents).reduce((a, b) => a + b);
  return { total, at: new Date().toISOString() };
}
