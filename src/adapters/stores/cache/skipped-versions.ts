import { parseState } from '../../../core/memory/state.js';

/**
 * Versions that were passed over while somebody held their number and had not finished, by number, with the time in
 * milliseconds since 1970. Each of them may come to light later, and has to be folded in then.
 */
export type SkippedVersions = ReadonlyMap<number, number>;

/** Where a version says what it passed over. No agent's memory has that name, since none begins with a dot (D5). */
export const SKIPPED_VERSIONS_FILE = '.lineage.md';

/** The service sets a number free that nobody finished within a day (actions/cache#1612); one hour is for clocks. */
const OPEN_MS = 25 * 60 * 60 * 1000;

const KIND = 'passed-over';
const HEAD = `# Lineage

The cache store keeps this beside the memory. These versions were being saved for so long that later ones did not wait
for them; whoever reads this one looks for them, and adds what they hold.

`;

/** What {@link formatSkippedVersions} wrote. Lines that say something else are left out. */
export function parseSkippedVersions(text: string): SkippedVersions {
  const facts = parseState(text).flatMap(({ kind, key, rest }): readonly (readonly [number, number])[] => {
    const atMs = Date.parse(rest.replace(/^at=/, ''));
    return kind === KIND && /^[1-9]\d{0,9}$/.test(key) && !Number.isNaN(atMs) ? [[Number(key), atMs]] : [];
  });
  return new Map(facts);
}

/** The file for what a version passed over. */
export function formatSkippedVersions(passed: SkippedVersions): string {
  const lines = [...passed].map(([number, atMs]) => `- ${KIND} ${number} at=${new Date(atMs).toISOString()}`);
  return `${HEAD}${lines.join('\n')}\n`;
}

/** Those that may still come to light. */
export function unreleased(passed: SkippedVersions, now: Date): SkippedVersions {
  return new Map([...passed].filter(([, atMs]) => now.getTime() - atMs < OPEN_MS));
}
