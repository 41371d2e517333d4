import { WORDS } from '../../src/event/trust.js';
import { FINDING_REFUSAL_CODES, REFUSAL_CODES } from '../../src/findings/buffered-publications.js';
import { COVERAGE_KINDS } from '../../src/findings/change/scope.js';
import { SEVERITIES } from '../../src/findings/finding.js';
import { POSTED_KINDS } from '../../src/github/posting/posted.js';
import { RUN_ENDS, RUN_RECORD_VERSION } from '../../src/report/run-record.js';
import { FINDINGS_SCHEMA } from './findings-schema.js';

const TEXT = { type: 'string' };
const COUNT = { type: 'integer', minimum: 0 };
const NUMBER = { type: 'integer', minimum: 1 };
const TEXTS = { type: 'array', items: TEXT };

/** An object that has exactly these properties; those in `optional` can be left out. */
function exact(properties: Readonly<Record<string, object>>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties, additionalProperties: false };
}

function listOf(items: object, description: string) {
  return { type: 'array', items, description };
}

const EVENT = exact({ name: TEXT, action: TEXT, repository: TEXT, number: NUMBER, actor: TEXT }, [
  'action',
  'repository',
  'number',
  'actor',
]);

const PLAN = exact({
  agent: exact({ name: TEXT, source: TEXT }),
  model: TEXT,
  trust: exact({
    word: { enum: WORDS },
    facts: { type: 'object', description: 'Who asked, whose code it is, what strangers wrote.' },
    rights: { type: 'object', description: 'What the run was allowed to do at its end.' },
  }),
  limits: exact({ turns: COUNT, seconds: COUNT }),
});

const MEMORY = exact(
  {
    store: { enum: ['file', 'cache', 'branch', 'none'] },
    kind: { enum: ['restored', 'empty', 'failed', 'withheld'] },
    location: TEXT,
    loaded: COUNT,
    total: COUNT,
    entries: listOf(
      exact({ id: TEXT, shares: TEXTS }, ['id']),
      'The chosen entries, and what each shares with the subject of the run.',
    ),
    notes: COUNT,
  },
  ['total', 'notes'],
);

const READ = exact(
  {
    scope: exact({ kind: { enum: ['full', 'since'] }, head: TEXT }),
    coverage: {
      type: 'object',
      required: ['kind', 'files', 'read', 'unread'],
      properties: { kind: { enum: COVERAGE_KINDS } },
    },
    memory: MEMORY,
    guidance: TEXTS,
  },
  ['scope', 'coverage', 'memory'],
);

const USAGE = exact(
  {
    name: TEXT,
    modelId: TEXT,
    conversations: COUNT,
    turns: COUNT,
    inputTokens: COUNT,
    outputTokens: COUNT,
    costUsd: { type: 'number', minimum: 0 },
  },
  ['costUsd'],
);

const WORK = exact(
  {
    model: TEXT,
    stopReason: TEXT,
    turns: COUNT,
    toolCalls: COUNT,
    retries: COUNT,
    inputTokens: COUNT,
    outputTokens: COUNT,
    cacheReadTokens: COUNT,
    cacheWriteTokens: COUNT,
    costUsd: { type: 'number', minimum: 0 },
    durationMs: { type: 'number', minimum: 0 },
    limit: { enum: ['turns', 'tokens', 'cost', 'time'] },
    usage: listOf(USAGE, 'By agent and model.'),
    tools: { ...TEXTS, description: 'A line for each turn.' },
  },
  ['costUsd', 'limit'],
);

const FINDINGS = exact(
  {
    head: TEXT,
    open: COUNT,
    fresh: { ...COUNT, description: 'How many of the open ones no earlier run has said.' },
    worst: { enum: [...SEVERITIES, null] },
    records: FINDINGS_SCHEMA.properties.findings,
    unverified: COUNT,
    isUnpublished: { type: 'boolean' },
  },
  ['unverified'],
);

const REFUSED = exact({
  refusedFindings: listOf(
    exact(
      {
        path: TEXT,
        line: COUNT,
        title: TEXT,
        code: { enum: FINDING_REFUSAL_CODES },
        least: { enum: SEVERITIES },
      },
      ['least'],
    ),
    'Findings that were not taken.',
  ),
  refusals: listOf(
    exact(
      {
        tool: TEXT,
        code: { enum: REFUSAL_CODES },
        detail: TEXT,
        finding: exact({ id: TEXT, handle: TEXT }),
      },
      ['detail', 'finding'],
    ),
    'Other calls that were not taken, or only in part.',
  ),
});

const SAVED = exact(
  {
    isSaved: { type: 'boolean' },
    location: TEXT,
    failure: TEXT,
    entries: listOf(exact({ id: TEXT, path: TEXT }), 'Entries of the run log.'),
    notes: { ...COUNT, description: 'Number of changes to notes.' },
  },
  ['location', 'failure'],
);

/**
 * The form of the last line of a transcript; `scripts/schema.js` writes it to
 * `schema/run.schema.json`.
 */
export const RECORD_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: `axe run ${RUN_RECORD_VERSION}`,
  description:
    'The last line of a transcript, without `time` and `type`. Later versions of the action may add properties.',
  ...exact(
    {
      version: { const: RUN_RECORD_VERSION },
      program: { ...TEXT, description: 'Version of the action.' },
      end: { enum: RUN_ENDS },
      conclusion: { ...TEXT, description: 'The output `conclusion`.' },
      reason: { ...TEXT, description: 'Why it is no success, as a code.' },
      event: EVENT,
      plan: PLAN,
      read: READ,
      work: WORK,
      findings: FINDINGS,
      posted: listOf(
        exact(
          {
            kind: { enum: POSTED_KINDS },
            number: NUMBER,
            url: TEXT,
            isUpdate: { const: true, description: 'It was there before this run.' },
            isKept: { const: true, description: 'An earlier comment was left as it is.' },
            isBlocking: { const: true, description: 'The review asks for changes.' },
            comments: listOf(exact({ path: TEXT, line: NUMBER }), 'Those of a review.'),
            inText: { ...COUNT, description: 'Findings in the text of a review.' },
            added: { ...TEXTS, description: 'Labels.' },
            removed: { ...TEXTS, description: 'Labels.' },
            branch: { ...TEXT, description: 'Of a pull request or commits.' },
            files: { ...TEXTS, description: 'Of a pull request or commits.' },
            commits: listOf(
              exact({ sha: TEXT, fixes: TEXT }, ['fixes']),
              'With the name of the finding that each fixes.',
            ),
          },
          [
            'number',
            'url',
            'isUpdate',
            'isKept',
            'isBlocking',
            'comments',
            'inText',
            'added',
            'removed',
            'branch',
            'files',
            'commits',
          ],
        ),
        'What is on GitHub.',
      ),
      refused: REFUSED,
      saved: SAVED,
      warnings: { ...TEXTS, description: 'Codes.' },
    },
    ['reason', 'event', 'plan', 'read', 'work', 'findings', 'saved'],
  ),
};
