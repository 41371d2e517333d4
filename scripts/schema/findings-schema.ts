import { COVERAGE_KINDS, UNREAD_REASONS } from '../../src/findings/change/scope.js';
import {
  CATEGORIES,
  CONFIDENCES,
  EFFECTS,
  REACHES,
  SEVERITIES,
} from '../../src/findings/finding.js';
import { FINDINGS_VERSION, RECORD_STATES } from '../../src/findings/post/record.js';

const TEXT = { type: 'string' };
const LINE = { type: 'integer', minimum: 1 };
const COUNT = { type: 'integer', minimum: 0 };

const REQUIRED = [
  'id',
  'handle',
  'agent',
  'state',
  'title',
  'path',
  'line',
  'side',
  'severity',
  'category',
  'confidence',
];

/**
 * The form of the `findings` output; `scripts/schema.js` writes it to
 * `schema/findings.schema.json`.
 */
export const FINDINGS_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: `axe findings ${FINDINGS_VERSION}`,
  description:
    'The output `findings` of a review. Later versions of the action may add properties.',
  type: 'object',
  required: ['version', 'head', 'base', 'pull', 'counts', 'findings'],
  properties: {
    version: { const: FINDINGS_VERSION },
    head: {
      ...TEXT,
      description: 'The commit that was reviewed; empty for a change on this machine.',
    },
    base: { ...TEXT, description: 'The commit that it was compared with, or empty too.' },
    pull: {
      type: ['integer', 'null'],
      description: 'Number of the pull request; null for a run about none.',
    },
    coverage: {
      type: 'object',
      description:
        'Which files of the change were looked at; left out if nothing was read, and for a change on this machine.',
      required: ['kind', 'files', 'read'],
      properties: {
        kind: { enum: COVERAGE_KINDS },
        files: { ...COUNT, description: 'Files that the change has.' },
        read: COUNT,
        isListShort: {
          const: true,
          description: 'GitHub lists only the first files, and nobody knows how many there are.',
        },
        isCutShort: {
          const: true,
          description: 'The run ended before it had looked at all that it was shown.',
        },
        unread: {
          type: 'array',
          items: {
            type: 'object',
            required: ['path', 'why'],
            properties: { path: TEXT, why: { enum: UNREAD_REASONS } },
          },
        },
      },
    },
    counts: {
      type: 'object',
      required: ['total', 'states', 'open', 'worst'],
      properties: {
        total: COUNT,
        states: tallyOf(RECORD_STATES),
        open: { ...tallyOf(SEVERITIES), description: 'Findings that are open, by severity.' },
        worst: {
          enum: [...SEVERITIES, null],
          description: 'The worst severity of those; null for none.',
        },
      },
    },
    findings: {
      type: 'array',
      items: {
        type: 'object',
        required: REQUIRED,
        properties: {
          id: { ...TEXT, pattern: '^[0-9a-f]{16}$', description: 'The same in every run.' },
          handle: {
            ...TEXT,
            pattern: '^F[A-Z0-9]{4}$',
            description: 'What people and models call it on its pull request.',
          },
          state: {
            enum: RECORD_STATES,
            description: 'What has become of it, or why it was raised and not posted.',
          },
          isNew: {
            const: true,
            description: 'No earlier run has said it. Left out if one has.',
          },
          why: { ...TEXT, description: 'How it came into its state.' },
          by: { ...TEXT, description: 'Login of the person who decided.' },
          title: TEXT,
          body: TEXT,
          trigger: { ...TEXT, description: 'What brings it about.' },
          path: TEXT,
          line: LINE,
          startLine: LINE,
          side: {
            enum: ['LEFT', 'RIGHT'],
            description: 'The version that lines count in: before or after the change.',
          },
          severity: { enum: SEVERITIES },
          confidence: { enum: CONFIDENCES },
          category: { enum: CATEGORIES },
          effect: { enum: EFFECTS },
          reach: { enum: REACHES },
          evidence: {
            type: 'array',
            items: {
              type: 'object',
              required: ['path', 'line', 'code'],
              properties: { path: TEXT, line: LINE, code: TEXT },
            },
          },
          suggestion: {
            ...TEXT,
            description: 'Text that takes the place of the lines; empty to delete them.',
          },
          url: TEXT,
          agent: TEXT,
        },
      },
    },
  },
} as const;

function tallyOf(names: readonly string[]): object {
  return {
    type: 'object',
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, COUNT])),
  };
}
