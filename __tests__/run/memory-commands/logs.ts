import fc from 'fast-check';
import { formatEntry, formatProvenance, type Provenance } from '../../../src/memory/run-log.js';

/** An entry of a minute of 3 February 2026; without an id as axe writes it. */
export function entry(
  minute: number,
  {
    id,
    task = `task ${minute}`,
    result = `result ${minute}`,
    ...more
  }: { readonly id?: string; readonly task?: string; readonly result?: string } & Partial<
    Omit<Provenance, 'id'>
  > = {},
): string {
  const timestamp = new Date(Date.UTC(2026, 1, 3, 4, minute));
  const plain = { timestamp, task, result };
  if (id === undefined) return formatEntry(plain);
  return formatEntry({ ...plain, provenance: formatProvenance({ id, ...more }) });
}

/**
 * Pieces of which a log may consist: entries of both kinds, in both line ends, and what people
 * write by hand.
 */
const piece = fc.oneof(
  fc
    .tuple(
      fc.nat(50),
      fc.constantFrom('id-aaaaaa', 'id-bbbbbb', 'id-cccccc', undefined),
      fc.boolean(),
    )
    .map(([minute, id, isWindows]) => {
      const text = entry(minute, id === undefined ? {} : { id });
      return isWindows ? text.replaceAll('\n', '\r\n') : text;
    }),
  fc.constantFrom(
    '## Findings\nby hand\n',
    '## 2026-02-03T04:05:00Z\nno fields\n',
    '<<<<<<< HEAD\n',
    '\r\n',
    '   \n',
    'loose text\n',
    '数据库迁移\n',
    '\udc80\udcff broken\n',
    '<!-- axe-action v=9 id=x -->\n',
  ),
);

/** Any run log, as people and programs may have left it; its last line may be cut off. */
export const anyLog = fc
  .tuple(
    fc.constantFrom('', '# By hand\n\n', 'loose words\r\n', '\uFEFF'),
    fc.array(piece, { maxLength: 8 }),
    fc.boolean(),
  )
  .map(([preamble, pieces, isTorn]) => {
    const text = preamble + pieces.join('');
    return isTorn ? text.trimEnd() : text;
  });
