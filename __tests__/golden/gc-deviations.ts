import type { Deviation } from './deviation.js';
import type { Outcome } from './replay.js';
import { RETRIED } from './runtime-deviations.js';

const MEMORY = 'data/axe/memory';

/** What gc does otherwise than axe (scenario 18). */
export const GC_DEVIATIONS: Readonly<Record<string, Deviation>> = {
  '18/02': keepsTrimmed('g2', entries(1, 2, 3)),
  '18/04': keepsTrimmed('gmax', entries(1)),
  '18/09': keepsTrimmed('gpre', `# preamble\n\n${entries(1)}`),
  '18/10': {
    because: 'a heading in a result is part of its entry, which stays whole; what is trimmed is kept',
    instead: ({ stdout }) => ({
      stdout: stdout.replace('Entries: 3', 'Entries: 2').replace('2 entries removed', '1 entries removed'),
      writes: {
        [`${MEMORY}/ghash.md`]: '(rewritten) ## <time>\n**Task:** t2\n**Result:** Report\n## Findings\nx\n\n',
        [`${MEMORY}/ghash.md.bak`]: '## <time>\n**Task:** t1\n**Result:** r1\n\n',
      },
    }),
  },
  '18/19': RETRIED,
  '18/20': {
    because: 'nothing is trimmed after an analysis that was cut off (axe-behaviour §20.9)',
    instead: () => ({
      exit: 1,
      stdout: 'Agent: gtrunc\nEntries: 5\n',
      stderr: 'the analysis was cut off, so nothing was trimmed\n',
      writes: {},
    }),
  },
  '18/21': {
    because: 'a link is not silently replaced by a file while what it leads to keeps every entry',
    instead: () => ({
      exit: 1,
      stdout: 'Agent: glink\nEntries: 5\n',
      stderr: '$ROOT/data/axe/memory/glink.md is a symbolic link, so it is not rewritten\n',
      requests: [],
      writes: {},
    }),
  },
  '18/22': {
    because: 'what is left of an entry that axe destroyed is none',
    instead: ({ stdout, requests }) => ({
      stdout: stdout.replace(
        /=== GC: ghash ===\n[\s\S]*?(?==== GC: glink)/,
        '=== GC: ghash ===\nNo memory entries for agent "ghash". Nothing to do.\n',
      ),
      requests: requests.filter(
        ({ messages }) => !messages.some(({ text }) => text.startsWith('## Findings')),
      ),
    }),
  },
};

/** axe has no copy of what it trims. */
function keepsTrimmed(agent: string, removed: string): Deviation {
  return {
    because: 'what is trimmed stays beside the log until the next time',
    instead: ({ writes }: Outcome) => ({ writes: { ...writes, [`${MEMORY}/${agent}.md.bak`]: removed } }),
  };
}

function entries(...numbers: readonly number[]): string {
  return numbers
    .map((n) => `## <time>\n**Task:** Review PR #4${n}\n**Result:** Outcome number ${n}.\n\n`)
    .join('');
}
