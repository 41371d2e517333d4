import { closeSync, openSync, writeSync } from 'node:fs';

const WORDS =
  'the review found a race between migration and reader so the change asks for a lock around update of user table before index is built again and tests cover what happens when connection drops while transaction waits'.split(
    ' ',
  );
/** Words of a result, so that an entry has some 1,250 bytes: results are cut at 1,000 characters. */
const RESULT_WORDS = 175;
const BLOCK_BYTES = 1024 * 1024;

/** Writes a run log of at least so many bytes, as a workflow's runs leave it, and says how many entries it has. */
export function writeLargeLog(file: string, leastBytes: number): number {
  const out = openSync(file, 'w');
  try {
    let [entries, bytes, block] = [0, 0, ''];
    while (bytes + block.length < leastBytes) {
      block += entryAt(entries);
      entries += 1;
      if (block.length < BLOCK_BYTES) continue;
      bytes += writeSync(out, block);
      block = '';
    }
    writeSync(out, block);
    return entries;
  } finally {
    closeSync(out);
  }
}

/** A minute after the one before, each with an id and words of its own. */
function entryAt(index: number): string {
  const at = new Date(1_500_000_000_000 + index * 60_000).toISOString().replace(/\.\d+Z/, 'Z');
  const words = Array.from({ length: RESULT_WORDS }, (_, place) => WORDS[(index + place * 7) % WORDS.length]);
  const provenance = `id=01run${index.toString(36)}x run=${index}/1 job=review event=pull_request sha=abcdef1 actor=octocat trust=trusted model=anthropic/claude-sonnet-4-5`;
  return [
    `## ${at}`,
    `**Task:** Review pull request #${index}`,
    `**Result:** Change ${index}: ${words.join(' ')}.`,
    `<!-- axe-action v=1 ${provenance} -->`,
    '\n',
  ].join('\n');
}
