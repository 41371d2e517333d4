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
const YES = { const: true };
const DOLLARS = { type: 'number', minimum: 0 };

/** An object that has exactly these properties; those in `optional` can be left out. */
function exact(properties: Readonly<Record<string, object>>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties, additionalProperties: false };
}

function listOf(items: object, description: string) {
  return { type: 'array', items, description };
}

const EVENT = exact(
  { name: TEXT, action: TEXT, repository: TEXT, isPublic: YES, number: NUMBER, actor: TEXT },
  ['action', 'repository', 'isPublic', 'number', 'actor'],
);

const PLAN = exact(
  {
    agent: exact({ name: TEXT, source: TEXT }),
    model: TEXT,
    trust: exact({
      word: { enum: WORDS },
      facts: { type: 'object', description: 'Who asked, whose code it is, what strangers wrote.' },
      rights: { type: 'object', description: 'What the run was allowed to do at its end.' },
    }),
    limits: exact({ turns: COUNT, seconds: COUNT }),
    memory: exact({ path: TEXT, isReadOnly: { type: 'boolean' } }),
    isStructured: { ...YES, description: 'The answer has to be JSON.' },
    offersCommands: { ...YES, description: 'Comments start the workflow.' },
  },
  ['memory', 'isStructured', 'offersCommands'],
);

const MEMORY = exact(
  {
    store: { enum: ['file', 'cache', 'branch', 'none'] },
    kind: { enum: ['restored', 'empty', 'failed', 'withheld'] },
    location: TEXT,
    url: TEXT,
    isHidden: { type: 'boolean', description: 'It is in another repository.' },
    loaded: COUNT,
    total: COUNT,
    chosen: exact(
      {
        related: COUNT,
        newest: COUNT,
        terms: exact({ first: TEXT, others: COUNT, arePaths: { type: 'boolean' } }),
      },
      ['terms'],
    ),
    computed: { ...COUNT, description: 'Computed entries, which are never chosen.' },
    leftOut: { ...COUNT, description: 'Entries that were not chosen.' },
    entries: listOf(
      exact({ id: TEXT, shares: TEXTS, line: NUMBER }, ['id', 'line']),
      'The chosen entries, and what each shares with the subject of the run.',
    ),
    notes: exact({
      files: COUNT,
      location: TEXT,
      isGiven: { type: 'boolean' },
      cited: exact({ same: COUNT, moved: COUNT, gone: COUNT, elsewhere: COUNT, unchecked: COUNT }),
    }),
  },
  ['url', 'total', 'chosen', 'notes'],
);

const READ = exact(
  {
    scope: exact(
      {
        kind: { enum: ['full', 'since'] },
        head: TEXT,
        why: { ...TEXT, description: 'Why all of it was read, as a code.' },
        last: { ...TEXT, description: 'The commit that was reviewed last.' },
        fresh: { ...COUNT, description: 'Files that are new since then.' },
        isRewritten: YES,
        hasMissed: YES,
      },
      ['why', 'last', 'fresh', 'isRewritten', 'hasMissed'],
    ),
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
    costUsd: DOLLARS,
  },
  ['costUsd'],
);

const SPEND = exact(
  {
    limits: exact({ perPullUsd: DOLLARS, perDayUsd: DOLLARS }),
    pull: NUMBER,
    pullUsd: DOLLARS,
    day: TEXT,
    dayUsd: DOLLARS,
  },
  ['pull'],
);

/** The work of the models of a run; garbage collection has only what they used. */
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
    costUsd: DOLLARS,
    durationMs: { type: 'number', minimum: 0 },
    outcome: { enum: ['completed', 'exhausted', 'incomplete', 'refused', 'failed'] },
    hasFound: { ...YES, description: 'It has something to post although it failed.' },
    limit: { enum: ['turns', 'tokens', 'cost', 'time'] },
    usage: listOf(USAGE, 'By agent and model.'),
    spend: { ...SPEND, description: 'Limits on several runs, and what was spent before.' },
    artifacts: { ...TEXT, description: 'Folder of the files that it wrote.' },
    tools: { ...TEXTS, description: 'A line for each turn.' },
  },
  ['costUsd', 'outcome', 'hasFound', 'limit', 'usage', 'spend', 'artifacts', 'tools'],
);

const FINDINGS = exact(
  {
    agent: TEXT,
    head: TEXT,
    base: TEXT,
    pull: NUMBER,
    coverage: FINDINGS_SCHEMA.properties.coverage,
    open: COUNT,
    fresh: { ...COUNT, description: 'How many of the open ones no earlier run has said.' },
    worst: { enum: [...SEVERITIES, null] },
    records: FINDINGS_SCHEMA.properties.findings,
    unverified: COUNT,
    isUnpublished: { type: 'boolean' },
  },
  ['pull', 'coverage', 'unverified'],
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
    isNowhere: { ...YES, description: '`memory-store: none`.' },
    location: TEXT,
    url: TEXT,
    prefix: { ...TEXT, description: 'The part before the path of each file.' },
    onlyFor: { ...TEXT, description: 'The only thing whose runs read it again.' },
    failure: TEXT,
    entries: listOf(exact({ id: TEXT, path: TEXT }), 'Entries of the run log.'),
    notes: listOf(
      exact(
        {
          kind: { enum: ['append', 'overwrite', 'delete'] },
          isSaved: { type: 'boolean' },
          path: TEXT,
        },
        ['path'],
      ),
      'Changes to notes, without a path if memory is in another repository.',
    ),
    unsaved: listOf(exact({ path: TEXT }), 'Notes that could not be saved.'),
  },
  ['isNowhere', 'location', 'url', 'prefix', 'onlyFor', 'failure'],
);

const PUBLISHED = exact(
  { url: TEXT, pullRequestUrl: TEXT, checkUrl: TEXT, unplacedCommit: TEXT, isFailed: YES },
  ['url', 'pullRequestUrl', 'checkUrl', 'unplacedCommit', 'isFailed'],
);

const SUGGESTION = exact(
  {
    kind: { enum: ['published', 'none', 'closed-before', 'failed'] },
    url: TEXT,
    isCreated: { type: 'boolean' },
  },
  ['url', 'isCreated'],
);

/** The parts of garbage collection and of commands in comments. */
const OTHER_ENDS = {
  agent: TEXT,
  refusal: { ...TEXT, description: 'Why a command was not carried out, as a code.' },
  isChanged: { type: 'boolean', description: 'A command has changed the memory.' },
  entries: { ...COUNT, description: 'Entries before garbage collection.' },
  result: {
    type: 'object',
    required: ['kind'],
    properties: { kind: TEXT },
    description: 'Of garbage collection.',
  },
  isTrimming: YES,
  suggestion: SUGGESTION,
  unread: { ...COUNT, description: 'Entries that were not analysed.' },
  isHidden: { type: 'boolean', description: 'The trimmed memory is in another repository.' },
};

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
      failedBy: { ...TEXTS, description: 'Words of `fail-on` that fail the step.' },
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
      lost: listOf(SAVED, 'Memory of sub-agents that could not be saved.'),
      published: PUBLISHED,
      noteWrites: listOf(
        exact({ time: TEXT, action: { enum: ['append', 'overwrite'] }, path: TEXT, bytes: COUNT }),
        'Writes of notes.',
      ),
      requests: { ...COUNT, description: 'To GitHub.' },
      ...OTHER_ENDS,
      warnings: { ...TEXTS, description: 'Codes.' },
    },
    [
      ...['reason', 'event', 'plan', 'read', 'work', 'findings', 'saved'],
      ...['lost', 'published', 'noteWrites', 'requests', ...Object.keys(OTHER_ENDS)],
    ],
  ),
};
