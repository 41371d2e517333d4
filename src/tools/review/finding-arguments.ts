import { EFFECTS, REACHES } from '../../review/terms.js';
import type { Argument } from '../check-input.js';

/** Lines that prove a finding or its end, as a tool takes them. */
export const EVIDENCE_ITEM = {
  path: { type: 'string', description: 'Path of the file.', required: true },
  line: {
    type: 'integer',
    description: 'Number of the line in the new version.',
    required: true,
    minimum: 1,
  },
  code: { type: 'string', description: 'The line, copied as it is.', required: true },
} as const satisfies Readonly<Record<string, Argument>>;

/** What a finding leads to, and how often: the severity is computed from both. */
export const IMPACT = {
  effect: {
    type: 'string',
    description:
      'What happens because of it: `breach` data or rights reach the wrong people; `data-loss`; `outage` it stops for all; `wrong-result`; `failure` an operation ends in an error; `degraded` slower or worse; `upkeep` harder to change.',
    choices: EFFECTS,
  },
  reach: {
    type: 'string',
    description: 'How often it happens where the code is used.',
    choices: REACHES,
  },
} as const satisfies Readonly<Record<string, Argument>>;
