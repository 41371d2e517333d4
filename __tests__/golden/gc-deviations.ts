import type { Deviation } from './deviation.js';
import type { Outcome } from './replay.js';
import { RETRIED } from './runtime-deviations.js';

const MEMORY = 'data/axe/memory';

/** What gc does otherwise than axe (scenario 18). */
export const GC_DEVIATIONS: Readonly<Record<string, Deviation>> = {
  '18/02': keepsTrimmed('g2', entries(1, 2, 3)),
  '18/04': keepsTrimmed('gmax', entries(1)),
  '18/09': {
    because: "text above the first entry is nobody's to trim; what is trimmed stays as `.bak`",
    instead: () => ({
      writes: {
        [`${MEMORY}/gpre.md`]: `(rewritten) # preamble\n\n${entries(2, 3, 4, 5)}`,
        [`${MEMORY}/gpre.md.bak`]: entries(1),
      },
    }),
  },
  '18/10': {
    because:
      'an entry that begins with a time is never split, so one more stays; what is trimmed stays as `.bak`',
    instead: ({ stdout }) => ({
      stdout: stdout.replace(
        '2 entries removed, 1 entries kept',
        '1 entries removed, 2 entries kept',
      ),
      writes: {
        [`${MEMORY}/ghash.md`]:
          '(rewritten) ## <time>\n**Task:** t2\n**Result:** Report\n## Findings\nx\n\n',
        [`${MEMORY}/ghash.md.bak`]: '## <time>\n**Task:** t1\n**Result:** r1\n\n',
      },
    }),
  },
  '18/16': {
    because: 'a model that nobody knows may think, so the analysis has no limit of ours',
    instead: ({ requests }) => ({
      requests: requests.map((request) => ({ ...request, maxTokens: undefined })),
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
    because:
      'what the link leads to is trimmed, and the link stays; what is trimmed stays as `.bak`',
    instead: () => ({
      writes: {
        'data/real.md': `(rewritten) ${entries(5)}`,
        [`${MEMORY}/glink.md.bak`]: entries(1, 2, 3, 4),
      },
    }),
  },
};

/** axe has no copy of what it trims. */
function keepsTrimmed(agent: string, removed: string): Deviation {
  return {
    because: 'what is trimmed stays beside the log until the next time',
    instead: ({ writes }: Outcome) => ({
      writes: { ...writes, [`${MEMORY}/${agent}.md.bak`]: removed },
    }),
  };
}

function entries(...numbers: readonly number[]): string {
  return numbers
    .map((n) => `## <time>\n**Task:** Review PR #4${n}\n**Result:** Outcome number ${n}.\n\n`)
    .join('');
}
