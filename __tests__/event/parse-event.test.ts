import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseEvent, parseEventFile } from '../../src/event/parse-event.js';
import type { Trigger } from '../../src/event/trigger.js';
import {
  type AdmissionPolicy,
  DEFAULT_ADMISSION_POLICY,
  factsOf,
  wordOf,
} from '../../src/event/trust.js';
import { AxeError } from '../../src/lib/errors.js';
import { decideAdmission, needsPermission } from '../helpers/admission.js';
import { type Example, loadWebhook, type Payload } from '../helpers/webhooks.js';

const NO_ENV = {};

const FOLDER = dirname(
  createRequire(import.meta.url).resolve('@octokit/webhooks-examples/package.json'),
);

/** GitHub's example payloads of a version of its API, by event. */
function exampleEvents(version: string): readonly Example[] {
  return JSON.parse(
    readFileSync(join(FOLDER, version, 'index.json'), 'utf8'),
  ) as readonly Example[];
}

const VERSIONS = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
  .map((entry) => entry.name);

/**
 * One line of the table: what the event is, whom to ask, and what a reader and a writer may start.
 */
function formatRow(event: string, trigger: Trigger): string {
  const action = trigger.kind === 'local' || trigger.action === '' ? '-' : trigger.action;
  const cells = [
    event.padEnd(31),
    action.padEnd(32),
    trigger.kind.padEnd(13),
    (needsPermission(trigger) ?? '-').padEnd(21),
    ...(['read', 'write'] as const).map((permission) => {
      const gate = decideAdmission(trigger, permission);
      return (gate.kind === 'run' ? 'run' : `skip: ${gate.reason}`).padEnd(25);
    }),
  ];
  return cells.join(' ').trimEnd();
}

describe('GitHub’s example payloads', () => {
  it('are classified as in the table', () => {
    const rows = exampleEvents('api.github.com').flatMap(({ name, examples }) =>
      examples.map((payload) => formatRow(name, parseEvent(name, payload, NO_ENV))),
    );
    const fixture = join(import.meta.dirname, '../fixtures/webhook-triggers.txt');
    const [, ...table] = readFileSync(fixture, 'utf8').trimEnd().split('\n');
    expect([...new Set(rows)]).toEqual(table);
  });

  it.each<[string, Partial<AdmissionPolicy>]>([
    ['unchanged', {}],
    ['that asks for nothing', { minPermission: 'none' }],
    [
      'with a phrase',
      { triggerPhrase: '@axe', allowBots: ['github-actions[bot]'], allowUsers: ['octocat'] },
    ],
  ])(
    'all pass through admission %s, and no unknown sender starts what requires a permission',
    (_, patch) => {
      const policy = { ...DEFAULT_ADMISSION_POLICY, ...patch };
      for (const version of VERSIONS) {
        for (const { name, examples } of exampleEvents(version)) {
          for (const payload of examples) {
            const trigger = parseEvent(name, payload, NO_ENV);
            const gate = decideAdmission(trigger, 'unknown', policy);
            if (gate.kind === 'skip') expect(gate.message).not.toBe('');
            else if (policy.minPermission !== 'none')
              expect(needsPermission(trigger, policy)).toBeUndefined();
          }
        }
      }
    },
  );

  it('C5 69: produce a trigger that no stranger can use when any one field is null or of another type', () => {
    const events = [
      'pull_request',
      'issues',
      'issue_comment',
      'pull_request_review',
      'workflow_run',
      'push',
    ];
    const damaged = fc.record({
      event: fc.constantFrom(...events),
      value: fc.constantFrom(null, undefined, 7, 'x', [], {}),
      index: fc.nat(),
    });
    fc.assert(
      fc.property(damaged, ({ event, value, index }) => {
        const payload = loadWebhook(event);
        const paths = leafPaths(payload);
        setPath(payload, paths[index % paths.length] ?? [], value);
        const trigger = parseEvent(event, payload, NO_ENV);
        if (event !== 'push') expect(decideAdmission(trigger, 'read').kind).toBe('skip');
      }),
    );
  });

  it('is read or refused, whatever text its file holds', () => {
    const files = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.tuple(fc.nat(4000), fc.string({ maxLength: 5 })).map(([at, insert]) => {
        const text = JSON.stringify(loadWebhook('issue_comment', 'created'));
        return text.slice(0, at) + insert + text.slice(at + 3);
      }),
    );
    fc.assert(
      fc.property(
        files,
        (text) =>
          void orRefused(() =>
            parseEvent('issue_comment', parseEventFile(text, 'event.json'), NO_ENV),
          ),
      ),
    );
  });
});

it('any event is read, refused with a readable error, or unknown, whatever JSON its payload is', () => {
  const json = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    // Names of fields that are read, with anything in them.
    fc.dictionary(
      fc.constantFrom(
        ...[
          'action',
          'repository',
          'sender',
          'pull_request',
          'issue',
          'comment',
          'review',
          'label',
        ],
        ...[
          'workflow_run',
          'merge_group',
          'commits',
          'ref',
          'before',
          'after',
          'schedule',
          'changes',
        ],
        '__proto__',
      ),
      fc.jsonValue({ maxDepth: 3 }),
    ),
  );
  const names = fc.oneof(
    fc.constantFrom(...exampleEvents('api.github.com').map(({ name }) => name), 'schedule'),
    fc.string({ maxLength: 12 }),
  );
  fc.assert(
    fc.property(names, json, (name, payload) => {
      const trigger = orRefused(() => parseEvent(name, payload, NO_ENV));
      if (trigger !== undefined)
        expect(decideAdmission(trigger, 'read').kind).toMatch(/^(?:run|skip)$/);
    }),
    { numRuns: 500 },
  );
});

/** Undefined for what is refused by an error for people; any other error is a bug. */
function orRefused(read: () => Trigger): Trigger | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof AxeError) return undefined;
    throw thrown;
  }
}

describe('parsing an event', () => {
  const read = (event: string, action?: string, patch = {}) =>
    parseEvent(event, loadWebhook(event, action, patch), NO_ENV);
  const ON_LINE = 'pull_request_review_comment';
  const LABEL = { name: 'no-bots' };
  const LABELS = { labels: ['no-bots'] };
  const GHOST = { login: 'ghost', isBot: false };
  const RENOVATE = { login: 'renovate[bot]', isBot: true };
  const WITHOUT = { kind: 'unknown' };
  const HEAD = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821';
  const MERGE = 'c'.repeat(40);

  it('reads a pull request', () => {
    expect(read('pull_request', 'opened')).toEqual({
      kind: 'pull_request',
      event: 'pull_request',
      action: 'opened',
      repository: {
        owner: 'Codertocat',
        name: 'Hello-World',
        defaultBranch: 'master',
        isPrivate: false,
      },
      actor: { login: 'Codertocat', isBot: false },
      number: 2,
      title: 'Update the README with new information.',
      body: 'This is a pretty simple change that we need to pull into master.',
      author: { login: 'Codertocat', isBot: false },
      isDraft: false,
      head: { sha: HEAD, ref: 'changes', repository: 'Codertocat/Hello-World' },
      base: { sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e', ref: 'master' },
      isFork: false,
      at: '2019-05-15T15:20:33Z',
    });
  });

  const REPO = 'pull_request.head.repo';
  const FULL_NAME = `${REPO}.full_name`;
  const ENDED = { 'issue.labels': [LABEL], 'issue.state': 'closed' };
  it.each<[string, object, object]>([
    ['labels', { 'pull_request.labels': [LABEL, null, { name: 7 }] }, LABELS],
    ['the trial merge', { 'pull_request.merge_commit_sha': MERGE }, { mergeSha: MERGE }],
    [
      'a fork',
      { [FULL_NAME]: 'a/Hello-World' },
      { isFork: true, head: { repository: 'a/Hello-World' } },
    ],
    ['C5 69: a deleted fork', { [REPO]: null }, { isFork: true, head: { repository: null } }],
    [
      'the same repository in other letters',
      { [FULL_NAME]: 'codertocat/hello-world' },
      { isFork: false },
    ],
    ['C5 69: a null sender', { sender: null }, { actor: GHOST }],
    ['C5 69: a null author', { 'pull_request.user': null }, { author: GHOST }],
    ['a bot by type', { 'sender.type': 'Bot' }, { actor: { login: 'Codertocat', isBot: true } }],
    ['a bot by name', { 'sender.login': 'renovate[bot]' }, { actor: RENOVATE }],
    ['a private repository', { 'repository.private': true }, { repository: { isPrivate: true } }],
    ['C5 69: no number', { 'pull_request.number': null }, WITHOUT],
    ['C5 69: no head', { 'pull_request.head': null }, WITHOUT],
  ])('%s: what is read of a pull request', (_, patch, expected) => {
    expect(read('pull_request', 'opened', patch)).toMatchObject(expected);
  });

  const IN_PULL = { kind: 'comment', on: 'pull_request' };
  const COMMENT = {
    kind: 'comment',
    on: 'issue',
    number: 1,
    commentId: 492700400,
    body: "You are totally right! I'll get this fixed right away.",
    description: "It looks like you accidently spelled 'commit' with two 't's.",
    subjectAuthor: { login: 'Codertocat' },
    isClosed: undefined,
  };
  const PLACED = {
    ...IN_PULL,
    number: 2,
    commentId: 284312630,
    isFork: false,
    place: { path: 'README.md', hunk: expect.stringContaining('@@') },
    commits: { head: { sha: HEAD }, base: { ref: 'master' } },
    at: '2019-05-15T15:20:38Z',
    review: undefined,
  };
  const REVIEW = { ...IN_PULL, number: 2, commentId: 237895671, isFork: false, review: 'approved' };
  const RUN = {
    kind: 'workflow_run',
    conclusion: 'failure',
    cause: 'workflow_dispatch',
    isFork: false,
    headSha: expect.stringMatching(/^[0-9a-f]{40}$/),
    runId: expect.any(Number),
    pull: undefined,
  };
  const ELSEWHERE = {
    number: 7,
    base: { repo: { url: 'https://api.github.com/repos/hubot/Hello-World' } },
  };
  const GROUP = {
    kind: 'merge_group',
    head: { sha: '2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d' },
    base: { sha: '380387fbc80638b734a49e1be1c4dfec1c01b33c', ref: 'refs/heads/main' },
  };
  const PUSH = { kind: 'push', ref: 'refs/tags/simple-tag', commits: [], isForced: undefined };

  it.each<[string, string | undefined, object, object]>([
    ['issue_comment', 'created', {}, COMMENT],
    ['issue_comment', 'created', { issue: { number: 2, pull_request: {} } }, IN_PULL],
    ['issue_comment', 'created', ENDED, { ...LABELS, isClosed: true }],
    ['issues', 'opened', {}, { isClosed: undefined }],
    ['issues', 'opened', ENDED, { ...LABELS, isClosed: true }],
    ['pull_request_review', 'submitted', { 'review.state': 'approved' }, REVIEW],
    [ON_LINE, 'created', {}, PLACED],
    [ON_LINE, 'created', { 'pull_request.state': 'closed' }, { isClosed: true }],
    ['workflow_run', 'completed', { 'workflow_run.conclusion': 'failure' }, RUN],
    [
      'workflow_run',
      'completed',
      { 'workflow_run.pull_requests': [ELSEWHERE] },
      { pull: undefined },
    ],
    ['merge_group', 'checks_requested', {}, GROUP],
    ['push', undefined, {}, PUSH],
    ['push', undefined, { forced: true }, { isForced: true }],
    ['workflow_dispatch', undefined, {}, { kind: 'dispatch' }],
    ['repository_dispatch', undefined, {}, { kind: 'dispatch' }],
  ])('reads %s (%s) with %j', (event, action, patch, expected) => {
    expect(read(event, action, patch)).toMatchObject({ event, ...expected });
  });

  it.each([
    ['a fork', { 'workflow_run.head_repository.full_name': 'hubot/Hello-World' }],
    ['a fork that was deleted', { 'workflow_run.head_repository': null }],
  ])('C5 73: ignores what a workflow did on the commits of %s', (_, patch) => {
    const trigger = read('workflow_run', 'completed', patch);
    expect(trigger).toMatchObject({ kind: 'workflow_run', isFork: true });
    expect(decideAdmission(trigger, 'admin')).toMatchObject({ kind: 'skip', reason: 'fork' });
    expect(wordOf(factsOf(trigger, { actor: 'admin' }))).toBe('fork');
  });

  it('reads from the environment what the payload of a schedule lacks', () => {
    const env = { repository: 'octocat/hello', ref: 'refs/heads/main', actor: 'octocat' };
    expect(parseEvent('schedule', { schedule: '0 9 * * 1' }, env)).toEqual({
      kind: 'schedule',
      event: 'schedule',
      action: '',
      cron: '0 9 * * 1',
      actor: { login: 'octocat', isBot: false },
      repository: { owner: 'octocat', name: 'hello', defaultBranch: 'main', isPrivate: true },
    });
  });

  it('never uses the environment’s actor as the sender of another event', () => {
    const payload = loadWebhook('issues', 'opened', { sender: null });
    expect(parseEvent('issues', payload, { actor: 'octocat' })).toMatchObject({ actor: GHOST });
  });

  it.each([
    ...[
      'pull_request_target',
      'issues',
      'issue_comment',
      'push',
      'merge_group',
      'workflow_run',
      'release',
    ],
    ...['fork', 'something_new', 'toString', '__proto__'],
  ])('C5 73: %s without anything starts nothing', (event) => {
    const trigger = parseEvent(event, { action: 'odd' }, NO_ENV);
    expect(trigger).toMatchObject({ kind: 'unknown', event });
    const message = `This version does not know the event \`${event}\` (odd), or its payload is incomplete`;
    expect(decideAdmission(trigger, 'admin')).toMatchObject({ reason: 'unknown-event', message });
  });

  it.each([[null], [[1]], [undefined]])('refuses the payload %j', (payload) => {
    const refusal = expect.objectContaining({ name: 'ConfigError', exitCode: 2 });
    expect(() => parseEvent('push', payload, NO_ENV)).toThrow(refusal);
  });
});

it('parsing an event file reads JSON with or without a byte order mark', () => {
  expect(parseEventFile('{"a":1}', 'event.json')).toEqual({ a: 1 });
  expect(parseEventFile('\uFEFF{"a":1}', 'event.json')).toEqual({ a: 1 });
});

it.each(['', '{\n  "a": 1\n  "b": 2\n}'])(
  'parsing an event file is refused with its name: %j',
  (text) => {
    const refusal = expect.objectContaining({ name: 'ConfigError', at: { file: 'event.json' } });
    expect(() => parseEventFile(text, 'event.json')).toThrow(refusal);
  },
);

type Path = readonly (string | number)[];

function leafPaths(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([key, inner]) => leafPaths(inner, [...path, key])),
  ].filter((found) => found.length > 0);
}

function setPath(target: Payload, path: Path, value: unknown): void {
  let at: Payload = target;
  for (const key of path.slice(0, -1)) at = at[key] as Payload;
  const last = path.at(-1);
  if (last !== undefined) at[last] = value;
}
