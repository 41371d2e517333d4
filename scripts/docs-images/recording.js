import { escapeXml } from './text.js';

const LINE = { height: 18, width: 8.43 };
const ROWS = 22;
/** On a phone, longer lines would be too small to read. */
const COLUMNS = 56;
/** Seconds that a line takes, and that a reader needs at the end of a part. */
const PACE = { line: 0.08, part: 2.4 };

/**
 * A recording of a command on a terminal as an SVG that plays once: lines appear one after the
 * other, and old ones scroll out.
 */
export function recording(command, lines) {
  const rows = [`$ ${command}`, '', ...lines].flatMap(wrapped);
  const starts = [];
  let at = 0.8;
  for (const [index, row] of rows.entries()) {
    at += row.startsWith('── ') && index > 3 ? PACE.part : PACE.line;
    starts.push(Number(at.toFixed(2)));
  }
  const total = Math.ceil(at + PACE.part);
  const share = (seconds) => `${((100 * seconds) / total).toFixed(2)}%`;
  const scrolls = rows
    .map((_, index) => index + 1 - ROWS)
    .flatMap((hidden, index) =>
      hidden > 0
        ? [`${share(starts[index])}{transform:translateY(${-hidden * LINE.height}px)}`]
        : [],
    );
  const columns = Math.max(...rows.map((row) => [...row].length));
  const width = Math.round(columns * LINE.width) + 32;
  const inner = Math.min(ROWS, rows.length) * LINE.height + 4;
  const height = inner + 52;
  const texts = rows.map((row, index) =>
    row === ''
      ? ''
      : `<text class="${classOf(row)}" y="${(index + 1) * LINE.height - 4}" style="animation-delay:${starts[index]}s">${escapeXml(row)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<style>
text{font:14px "SF Mono",Menlo,Consolas,"Liberation Mono",monospace;white-space:pre;fill:#d1d7e0;opacity:0;animation:show .01s forwards}
.head{font-weight:bold}.old{fill:#f47067}.new{fill:#8ddb8c}.quiet{fill:#9198a1}
#rows{animation:scroll ${total}s step-end forwards}
@keyframes show{to{opacity:1}}
@media (prefers-reduced-motion:reduce){text,#rows{animation-duration:.01s;animation-delay:0s!important}}
@keyframes scroll{${scrolls.join('')}to{transform:translateY(${-Math.max(0, rows.length - ROWS) * LINE.height}px)}}
</style>
<rect width="100%" height="100%" rx="8" fill="#151b23"/>
<circle cx="20" cy="18" r="5" fill="#f47067"/><circle cx="38" cy="18" r="5" fill="#daaa3f"/><circle cx="56" cy="18" r="5" fill="#57ab5a"/>
<svg x="16" y="40" width="${width - 32}" height="${inner}"><g id="rows">
${texts.filter((text) => text !== '').join('\n')}
</g></svg>
</svg>
`;
}

/** A row as a narrow terminal shows it, wrapped between words; a rule only gets shorter. */
function wrapped(row) {
  if (row.startsWith('── ')) return [row.slice(0, COLUMNS)];
  const [indent = ''] = /^ */.exec(row) ?? [];
  const rows = [];
  let rest = row;
  while ([...rest].length > COLUMNS) {
    const end = rest.lastIndexOf(' ', COLUMNS);
    // A word that is longer than a row stays whole.
    if (end <= indent.length) break;
    rows.push(rest.slice(0, end));
    rest = `${indent}${rest.slice(end + 1)}`;
  }
  return [...rows, rest];
}

function classOf(row) {
  if (/^(?:\$|── )/.test(row)) return 'head';
  if (/^ {3}- {2}/.test(row)) return 'old';
  if (/^ {3}\+ {2}/.test(row)) return 'new';
  return row.startsWith('   ') ? 'quiet' : 'row';
}
