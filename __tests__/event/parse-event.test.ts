import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseEvent, parseEventFile } from '../../src/event/parse-event.js';
import { type AdmissionPolicy, DEFAULT_ADMISSION_POLICY } from '../../src/event/permission.js';
import type { Trigger } from '../../src/event/trigger.js';
import { classifyTrust } from '../../src/event/trust.js';
import { AxeError } from '../../src/lib/errors.js';
import { decideAdmission, needsPermission } from '../helpers/admission.js';
import { loadWebhook, type Payload } from '../helpers/webhooks.js';

const NO_ENV = {};

interface Example {
  readonly name: string;
  readonly examples: readonly Payload[];
}

/** GitHub's example payloads of a version of its API, by event. */
function exampleEvents(version: string): readonly Example[] {
  const folder = dirname(createRequire(import.meta.url).resolve('@octokit/webhooks-examples/package.json'));
  return JSON.parse(readFileSync(join(folder, version, 'index.json'), 'utf8')) as readonly Example[];
}

function exampleVersions(): readonly string[] {
  const folder = dirname(createRequire(import.meta.url).resolve('@octokit/webhooks-examples/package.json'));
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map((entry) => entry.name);
}

/** One line of the table: what the event is, whom to ask, and what a reader and a writer may start. */
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
    const header = ['event', 'action', 'kind', 'ask about', 'a reader', 'a writer'];
    const widths = [31, 32, 13, 21, 25, 25];
    const head = header
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join(' ')
      .trimEnd();
    const table = [head, ...new Set(rows)].join('\n');
    const fixture = join(import.meta.dirname, '../fixtures/webhook-triggers.txt');
    expect(`${table}\n`).toBe(readFileSync(fixture, 'utf8'));
  });

  it.each(exampleVersions())('of %s all produce a trigger', (version) => {
    for (const { name, examples } of exampleEvents(version)) {
      for (const payload of examples) {
        expect(parseEvent(name, payload, NO_ENV)).toMatchObject({ event: name, kind: expect.any(String) });
      }
    }
  });

  it.each<[string, Partial<AdmissionPolicy>]>([
    ['unchanged', {}],
    ['that asks for nothing', { minPermission: 'none' }],
    ['with a phrase', { triggerPhrase: '@axe', allowBots: ['github-actions[bot]'], allowUsers: ['octocat'] }],
  ])('all pass through admission %s, and no unknown sender starts what requires a permission', (_, patch) => {
    const policy = { ...DEFAULT_ADMISSION_POLICY, ...patch };
    for (const version of exampleVersions()) {
      for (const { name, examples } of exampleEvents(version)) {
        for (const payload of examples) {
          const trigger = parseEvent(name, payload, NO_ENV);
          const gate = decideAdmission(trigger, 'unknown', policy);
          if (gate.kind === 'skip') expect(gate.message).not.toBe('');
          else if (policy.minPermission !== 'none') expect(needsPermission(trigger, policy)).toBeUndefined();
        }
      }
    }
  });

  it('C5 69: produce a trigger that no stranger can use when any one field is null or of another type', () => {
    const events = ['pull_request', 'issues', 'issue_comment', 'pull_request_review', 'workflow_run', 'push'];
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
});

describe('any event', () => {
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
          'workflow_run',
          'label',
        ],
        ...['merge_group', 'commits', 'ref', 'before', 'after', 'schedule', 'inputs', 'changes', '__proto__'],
      ),
      fc.jsonValue({ maxDepth: 3 }),
    ),
  );

  it('is read, refused with a readable error, or unknown, whatever JSON its payload is', () => {
    const names = fc.oneof(
      fc.constantFrom(...exampleEvents('api.github.com').map(({ name }) => name), 'schedule'),
      fc.string({ maxLength: 12 }),
    );
    fc.assert(
      fc.property(names, json, (name, payload) => {
        const trigger = orRefused(() => parseEvent(name, payload, NO_ENV));
        if (trigger !== undefined) expect(decideAdmission(trigger, 'read').kind).toMatch(/^(?:run|skip)$/);
      }),
      { numRuns: 500 },
    );
  });
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
  it('reads a pull request', () => {
    expect(parseEvent('pull_request', loadWebhook('pull_request', 'opened'), NO_ENV)).toEqual({
      kind: 'pull_request',
      event: 'pull_request',
      action: 'opened',
      repository: { owner: 'Codertocat', name: 'Hello-World', defaultBranch: 'master', isPrivate: false },
      actor: { login: 'Codertocat', isBot: false },
      number: 2,
      title: 'Update the README with new information.',
      body: 'This is a pretty simple change that we need to pull into master.',
      author: { login: 'Codertocat', isBot: false },
      isDraft: false,
      head: {
        sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
        ref: 'changes',
        repository: 'Codertocat/Hello-World',
      },
      base: { sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e', ref: 'master' },
      isFork: false,
      at: '2019-05-15T15:20:33Z',
    });
  });

  it('reads labels and the commit of the trial merge if there are any', () => {
    const label = { name: 'no-bots' };
    const merge_commit_sha = 'c'.repeat(40);
    const pull = loadWebhook('pull_request', 'opened', {
      'pull_request.labels': [label, null, { name: 7 }],
      'pull_request.merge_commit_sha': merge_commit_sha,
    });
    expect(parseEvent('pull_request', pull, NO_ENV)).toMatchObject({
      labels: ['no-bots'],
      mergeSha: merge_commit_sha,
    });
    const issue = loadWebhook('issue_comment', 'created', { 'issue.labels': [label] });
    expect(parseEvent('issue_comment', issue, NO_ENV)).toMatchObject({ labels: ['no-bots'] });
    expect(parseEvent('issues', { ...issue, action: 'opened' }, NO_ENV)).toMatchObject({
      labels: ['no-bots'],
    });
  });

  it.each([
    [
      'another repository',
      { 'pull_request.head.repo.full_name': 'octocat/Hello-World' },
      true,
      'octocat/Hello-World',
    ],
    ['C5 69: a fork that was deleted', { 'pull_request.head.repo': null }, true, null],
    [
      'the same repository in other letters',
      { 'pull_request.head.repo.full_name': 'codertocat/hello-world' },
      false,
      'codertocat/hello-world',
    ],
  ])('%s: reads the repository of the head', (_, patch, isFork, repository) => {
    const trigger = parseEvent('pull_request', loadWebhook('pull_request', 'opened', patch), NO_ENV);
    expect(trigger).toMatchObject({ isFork, head: { repository } });
  });

  it.each([
    ['C5 69: a null sender', { sender: null }, { actor: { login: 'ghost', isBot: false } }],
    ['C5 69: a null author', { 'pull_request.user': null }, { author: { login: 'ghost', isBot: false } }],
    ['a bot by type', { 'sender.type': 'Bot' }, { actor: { login: 'Codertocat', isBot: true } }],
    [
      'a bot by name',
      { 'sender.login': 'renovate[bot]' },
      { actor: { login: 'renovate[bot]', isBot: true } },
    ],
    ['a private repository', { 'repository.private': true }, { repository: { isPrivate: true } }],
  ])('%s is read', (_, patch, expected) => {
    const trigger = parseEvent('pull_request', loadWebhook('pull_request', 'opened', patch), NO_ENV);
    expect(trigger).toMatchObject({ kind: 'pull_request', ...expected });
  });

  it.each([
    ['number', { 'pull_request.number': null }],
    ['head', { 'pull_request.head': null }],
  ])('C5 69: a pull request without its %s is an unknown event', (_, patch) => {
    const trigger = parseEvent('pull_request', loadWebhook('pull_request', 'opened', patch), NO_ENV);
    expect(trigger).toMatchObject({ kind: 'unknown', lacks: 'a pull request with a head' });
  });

  it.each([
    ['pull_request_target', 'a pull request with a head'],
    ['issues', 'an issue'],
    ['issue_comment', 'a comment and what it is about'],
    ['push', 'a ref'],
    ['workflow_run', 'a workflow run with a commit'],
    ['merge_group', 'a merge group with its commits'],
  ])(
    '%s without its subject is skipped with what is missing, and does not advise a local run',
    (event, lacks) => {
      const gate = decideAdmission(parseEvent(event, { action: 'odd' }, NO_ENV), 'unknown');
      expect(gate).toEqual({
        kind: 'skip',
        reason: 'unknown-event',
        message: `The payload of the event \`${event}\` (odd) does not have ${lacks}`,
        remedy: `Check that the event file is the payload of \`${event}\`, as GitHub sends it.`,
      });
    },
  );

  it('reads a comment on an issue', () => {
    expect(parseEvent('issue_comment', loadWebhook('issue_comment', 'created'), NO_ENV)).toMatchObject({
      kind: 'comment',
      on: 'issue',
      number: 1,
      commentId: 492700400,
      body: "You are totally right! I'll get this fixed right away.",
      description: "It looks like you accidently spelled 'commit' with two 't's.",
      subjectAuthor: { login: 'Codertocat' },
    });
  });

  it('reads a comment in the conversation of a pull request', () => {
    const payload = loadWebhook('issue_comment', 'created');
    (payload['issue'] as Payload)['pull_request'] = { url: 'https://api.github.com/repos/o/r/pulls/1' };
    expect(parseEvent('issue_comment', payload, NO_ENV)).toMatchObject({
      kind: 'comment',
      on: 'pull_request',
    });
  });

  it.each([
    ['pull_request_review', 'submitted', 237895671],
    ['pull_request_review_comment', 'created', 284312630],
  ])('reads %s as a comment on the pull request', (event, action, commentId) => {
    expect(parseEvent(event, loadWebhook(event, action), NO_ENV)).toMatchObject({
      kind: 'comment',
      event,
      on: 'pull_request',
      number: 2,
      commentId,
      isFork: false,
    });
  });

  it('reads from a comment on a line its position, and its commits', () => {
    const payload = loadWebhook('pull_request_review_comment', 'created');
    expect(parseEvent('pull_request_review_comment', payload, NO_ENV)).toMatchObject({
      place: { path: 'README.md', hunk: expect.stringContaining('@@') },
      commits: { head: { sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821' }, base: { ref: 'master' } },
      at: '2019-05-15T15:20:38Z',
    });
  });

  it('C5 73: reads the run of another workflow', () => {
    const trigger = parseEvent(
      'workflow_run',
      loadWebhook('workflow_run', 'completed', { 'workflow_run.conclusion': 'failure' }),
      NO_ENV,
    );
    expect(trigger).toMatchObject({
      kind: 'workflow_run',
      conclusion: 'failure',
      cause: 'workflow_dispatch',
      isFork: false,
      headSha: expect.stringMatching(/^[0-9a-f]{40}$/),
      runId: expect.any(Number),
      pull: undefined,
    });
    expect(classifyTrust(trigger, { actor: 'write' })).toMatchObject({ level: 'untrusted', lane: 'tainted' });
  });

  it.each([
    ['a fork', { 'workflow_run.head_repository.full_name': 'hubot/Hello-World' }],
    ['a fork that was deleted', { 'workflow_run.head_repository': null }],
  ])('C5 73: ignores what a workflow did on the commits of %s', (_, patch) => {
    const trigger = parseEvent('workflow_run', loadWebhook('workflow_run', 'completed', patch), NO_ENV);
    expect(trigger).toMatchObject({ kind: 'workflow_run', isFork: true });
    expect(decideAdmission(trigger, 'admin')).toMatchObject({ kind: 'skip', reason: 'fork' });
    expect(classifyTrust(trigger, { actor: 'admin' })).toMatchObject({
      level: 'untrusted',
      lane: 'untrusted',
    });
  });

  it('C5 73: reads a merge group, which might contain anybody’s pull requests', () => {
    const payload = loadWebhook('merge_group', 'checks_requested');
    const trigger = parseEvent('merge_group', payload, NO_ENV);
    expect(trigger).toMatchObject({
      kind: 'merge_group',
      head: { sha: '2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d' },
      base: { sha: '380387fbc80638b734a49e1be1c4dfec1c01b33c', ref: 'refs/heads/main' },
    });
    expect(classifyTrust(trigger, { actor: 'unknown' })).toMatchObject({
      level: 'untrusted',
      lane: 'tainted',
    });
  });

  it('reads the verdict of a review, and whether the subject of an event is closed', () => {
    const review = loadWebhook('pull_request_review', 'submitted', { 'review.state': 'approved' });
    expect(parseEvent('pull_request_review', review, NO_ENV)).toMatchObject({ review: 'approved' });
    const onLine = loadWebhook('pull_request_review_comment', 'created', { 'pull_request.state': 'closed' });
    const trigger = parseEvent('pull_request_review_comment', onLine, NO_ENV);
    expect(trigger).toMatchObject({ isClosed: true });
    expect(trigger).toMatchObject({ review: undefined });
    for (const [event, action] of [
      ['issues', 'opened'],
      ['issue_comment', 'created'],
    ] as const) {
      const open = parseEvent(event, loadWebhook(event, action), NO_ENV);
      expect(open).toMatchObject({ isClosed: undefined });
      const payload = loadWebhook(event, action, { 'issue.state': 'closed' });
      expect(parseEvent(event, payload, NO_ENV)).toMatchObject({ isClosed: true });
    }
  });

  it('reads whether a push rewrote its branch', () => {
    const rewritten = loadWebhook('push', undefined, { forced: true });
    expect(parseEvent('push', rewritten, NO_ENV)).toMatchObject({ isForced: true });
    expect(parseEvent('push', loadWebhook('push'), NO_ENV)).toMatchObject({ isForced: undefined });
  });

  it('reads a push', () => {
    expect(parseEvent('push', loadWebhook('push'), NO_ENV)).toMatchObject({
      kind: 'push',
      ref: 'refs/tags/simple-tag',
      commits: [],
      repository: { owner: 'Codertocat', name: 'Hello-World' },
    });
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
    expect(parseEvent('issues', payload, { actor: 'octocat' })).toMatchObject({ actor: { login: 'ghost' } });
  });

  it.each([['workflow_dispatch'], ['repository_dispatch']])('treats %s as a dispatch', (event) => {
    expect(parseEvent(event, loadWebhook(event), NO_ENV).kind).toBe('dispatch');
  });

  it.each([
    'merge_group',
    'workflow_run',
    'check_run',
    'release',
    'fork',
    'something_new',
    'toString',
    '__proto__',
  ])('C5 73: %s is an event that this version does not know', (event) => {
    expect(parseEvent(event, {}, NO_ENV)).toMatchObject({ kind: 'unknown', event });
  });

  it.each([[null], [[1]], [undefined]])('refuses the payload %j', (payload) => {
    expect(() => parseEvent('push', payload, NO_ENV)).toThrow(
      expect.objectContaining({ name: 'ConfigError', exitCode: 2 }),
    );
  });
});

describe('parsing an event file', () => {
  it('reads JSON with or without a byte order mark', () => {
    expect(parseEventFile('{"a":1}', 'event.json')).toEqual({ a: 1 });
    expect(parseEventFile('\uFEFF{"a":1}', 'event.json')).toEqual({ a: 1 });
  });

  it.each(['', '{\n  "a": 1\n  "b": 2\n}'])('is refused with its name: %j', (text) => {
    const refusal = expect.objectContaining({ name: 'ConfigError', at: { file: 'event.json' } });
    expect(() => parseEventFile(text, 'event.json')).toThrow(refusal);
  });
});

type Path = readonly (string | number)[];

function leafPaths(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => leafPaths(inner, [...path, key]))].filter(
    (found) => found.length > 0,
  );
}

function setPath(target: Payload, path: Path, value: unknown): void {
  let at: Payload = target;
  for (const key of path.slice(0, -1)) at = at[key] as Payload;
  const last = path.at(-1);
  if (last !== undefined) at[last] = value;
}
