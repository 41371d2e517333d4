import { cleanLine } from '../lib/text/cut.js';
import { FENCE_NOTICE, fence } from '../safety/fence.js';
import { type ClaimedLines, type ClaimSurroundings, type DescribedClaims, describeAround } from './claims.js';
import type { Settlement } from './settle.js';

/** What a verifier is told of a finding that is said to be over: its words, who says so why, and the code of both places. */
export function describeSettlement(
  { finding, reason, evidence }: Settlement,
  surroundings: ClaimSurroundings,
): DescribedClaims {
  const { path, line, side, code = '', title, body, isGone } = finding;
  const places: readonly ClaimedLines[] = [
    { path, side, lines: [line] },
    ...evidence.map((one) => ({ path: one.path, side: 'RIGHT' as const, lines: [one.line ?? 1] })),
  ];
  const around = merged(places).map((place) => describeAround(place, surroundings));
  const where = isGone ? 'on a line that is not in the diff any more' : `on line ${line}`;
  return {
    message: [
      'Decide whether this claim about the pull request is still true of the code as it is now.',
      FENCE_NOTICE,
      `Claim 1, ${where}:`,
      fence([`File: ${cleanLine(path, MAX_PATH)}`, `Its line then: ${code}`, body || title].join('\n'), {
        source: 'claim 1',
      }),
      fence(reason, { source: 'why it is said to be over' }),
      ...(evidence.length === 0
        ? []
        : [
            fence(evidence.map((one) => `${one.path}:${one.line}: ${one.code}`).join('\n'), {
              source: 'lines that are said to end it',
            }),
          ]),
      ...around.flatMap(({ blocks }) => blocks),
    ].join('\n\n'),
    shown: around.flatMap(({ shown }) => shown),
  };
}

/** Code points of a path. */
const MAX_PATH = 300;

/** The lines of one file together. */
function merged(places: readonly ClaimedLines[]): readonly ClaimedLines[] {
  const byFile = new Map<string, ClaimedLines>();
  for (const place of places) {
    const key = `${place.side} ${place.path}`;
    const before = byFile.get(key)?.lines ?? [];
    byFile.set(key, { ...place, lines: [...before, ...place.lines] });
  }
  return [...byFile.values()];
}
