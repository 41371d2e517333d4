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
