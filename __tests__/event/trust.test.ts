import { describe, expect, it } from '@jest/globals';
import type { PullRequestTrigger, Trigger } from '../../src/event/trigger.js';
import {
  contentAuthor,
  describeTrust,
  type Facts,
  factsOf,
  mayWrite,
  type Permission,
  Reading,
  refuseCheckout,
  rightsOf,
  WORDS,
  type Word,
  wordOf,
} from '../../src/event/trust.js';
import { ConfigError } from '../../src/lib/errors.js';
import { decideAdmission, needsPermission } from '../helpers/admission.js';
import { answerLine } from '../helpers/marks.js';
import { comment, issue, MERGE_GROUP, pullRequest, workflowRun } from '../helpers/triggers.js';

const octocat = { login: 'octocat', isBot: false };
const hubot = { login: 'hubot', isBot: false };
const dependabot = { login: 'dependabot[bot]', isBot: true };
const ghost = { login: 'ghost', isBot: false };
const OCTOCAT = { login: 'Octocat', isBot: false };
const { repository } = pullRequest();
const common = { action: 'opened', repository, actor: octocat };

function fork(
  repositoryName: string | null,
  patch: Partial<PullRequestTrigger> = {},
): PullRequestTrigger {
  const head = { sha: 'a'.repeat(40), ref: 'fix', repository: repositoryName };
  return pullRequest({ isFork: true, head, ...patch });
}

const OWN = `${answerLine('bot')}\nReport`;

const MAIN = { ref: 'refs/heads/main', before: '', after: '', commits: [] };
const push: Trigger = { kind: 'push', event: 'push', ...common, ...MAIN };
const schedule: Trigger = { kind: 'schedule', event: 'schedule', ...common, cron: '0 9 * * 1' };
const dispatch: Trigger = { kind: 'dispatch', event: 'workflow_dispatch', ...common };
const unheardOf: Trigger = { kind: 'unknown', event: 'registry_package', ...common };
const local: Trigger = { kind: 'local' };

const LABELED = { action: 'labeled', author: hubot };
const ON_TARGET = { event: 'pull_request_target' };
const IN_PULL = { on: 'pull_request' } as const;
const REVIEW = { ...IN_PULL, event: 'pull_request_review' };
const EDITED = { action: 'edited' };

const rows: readonly (readonly [string, string, Word, Trigger, Permission | 'unknown'])[] = [
  ['a writer’s pull request', 'run', 'own', pullRequest(), 'write'],
  ['an admin’s pull request', 'run', 'own', pullRequest(), 'admin'],
  ['a maintainer’s pull request', 'run', 'own', pullRequest(), 'maintain'],
  ['a closed pull request', 'run', 'own', pullRequest({ action: 'closed' }), 'write'],
  ['a pull request of somebody who can triage', 'permission', 'guest', pullRequest(), 'triage'],
  ['a reader’s pull request', 'permission', 'guest', pullRequest(), 'read'],
  ['a stranger’s pull request', 'permission', 'guest', pullRequest(), 'none'],
  [
    'C5 72: a pull request of nobody known',
    'permission-unknown',
    'guest',
    pullRequest(),
    'unknown',
  ],
  ['a fork’s pull request, even by an admin', 'fork', 'fork', fork('hubot/hello'), 'admin'],
  ['a fork’s on pull_request_target', 'fork', 'fork', fork('hubot/hello', ON_TARGET), 'admin'],
  ['C5 69: a pull request from a deleted fork', 'fork', 'fork', fork(null), 'admin'],
  ['a fork’s that is closed', 'fork', 'fork', fork('hubot/hello', { action: 'closed' }), 'write'],
  [
    'a writer’s label on a fork’s',
    'run',
    'fork',
    fork('a/b', { ...ON_TARGET, ...LABELED }),
    'write',
  ],
  [
    'the same of their own',
    'run',
    'fork',
    fork('a/b', { ...ON_TARGET, action: 'labeled' }),
    'admin',
  ],
  ['a bot’s pull request', 'bot', 'guest', pullRequest({ actor: dependabot }), 'write'],
  [
    'C5 69: a pull request by a ghost',
    'permission',
    'guest',
    pullRequest({ actor: ghost }),
    'none',
  ],
  ['a writer’s issue', 'run', 'own', issue(), 'write'],
  ['a stranger’s issue', 'permission', 'guest', issue(), 'none'],
  ['a writer’s label on a stranger’s issue', 'run', 'mixed', issue(LABELED), 'write'],
  [
    'a writer’s label on a ghost’s issue',
    'run',
    'mixed',
    issue({ ...LABELED, author: ghost }),
    'write',
  ],
  ['a bot’s label', 'bot', 'guest', issue({ actor: dependabot }), 'write'],
  ['a deleted issue', 'subject-deleted', 'guest', issue({ action: 'deleted' }), 'admin'],
  ['a transferred issue', 'subject-deleted', 'guest', issue({ action: 'transferred' }), 'admin'],
  ['a writer’s comment on an issue of theirs', 'run', 'own', comment(), 'write'],
  [
    'a writer’s comment on a stranger’s issue',
    'run',
    'mixed',
    comment({ subjectAuthor: hubot }),
    'write',
  ],
  ['a stranger’s comment', 'permission', 'guest', comment(), 'read'],
  [
    'an edit of another’s',
    'sender-not-author',
    'guest',
    comment({ ...EDITED, author: hubot }),
    'write',
  ],
  [
    'C5 69: a ghost’s',
    'sender-not-author',
    'guest',
    comment({ author: ghost, actor: ghost }),
    'write',
  ],
  ['an edit of one’s own', 'run', 'own', comment({ ...EDITED, author: OCTOCAT }), 'write'],
  ['a deleted comment', 'subject-deleted', 'guest', comment({ action: 'deleted' }), 'admin'],
  ['an issue of ours', 'own-text', 'guest', issue({ body: OWN }), 'write'],
  ['a comment of ours', 'own-text', 'guest', comment({ body: OWN }), 'write'],
  ['a bot’s comment', 'bot', 'guest', comment({ author: dependabot, actor: dependabot }), 'write'],
  ['a writer’s label on a stranger’s from a branch', 'run', 'mixed', pullRequest(LABELED), 'write'],
  ['a writer’s push to a bot’s', 'run', 'mixed', pullRequest({ author: dependabot }), 'write'],
  [
    'a comment on a stranger’s',
    'run',
    'mixed',
    comment({ ...IN_PULL, subjectAuthor: hubot }),
    'write',
  ],
  ['a writer’s comment on a pull request of theirs', 'run', 'own', comment(IN_PULL), 'write'],
  ['a review of a branch', 'run', 'own', comment({ ...REVIEW, isFork: false }), 'write'],
  [
    'a review of a fork, even one’s own',
    'fork',
    'fork',
    comment({ ...REVIEW, isFork: true }),
    'admin',
  ],
  ['a push', 'run', 'own', push, 'unknown'],
  ['C5 73: a schedule, in a fork too', 'run', 'own', schedule, 'unknown'],
  ['a dispatch', 'run', 'own', dispatch, 'unknown'],
  [
    'C5 73: a merge group, which holds pull requests of anyone',
    'run',
    'mixed',
    MERGE_GROUP,
    'unknown',
  ],
  [
    'C5 73: a workflow_run chain from a fork',
    'fork',
    'fork',
    workflowRun({ isFork: true }),
    'admin',
  ],
  ['C5 73: a workflow_run that a push of a writer started', 'run', 'own', workflowRun(), 'write'],
  ['C5 73: a workflow_run by a stranger', 'permission', 'guest', workflowRun(), 'read'],
  ['C5 69: an event that is not known', 'unknown-event', 'fork', unheardOf, 'admin'],
  ['a run on one’s own machine', 'run', 'own', local, 'unknown'],
];

it.each(rows)('%s: the admission is %s, the word %s', (_, ...[gate, word, trigger, permission]) => {
  const decision = decideAdmission(trigger, permission);
  expect(decision.kind === 'run' ? 'run' : decision.reason).toBe(gate);
  if (decision.kind === 'skip') expect(decision.message).toMatch(/^[A-Z#a-z][^\n]+[^.]$/);
  const facts = factsOf(trigger, { actor: permission, head: 'ours' });
  expect(wordOf(facts)).toBe(word);
  const isWhyKnown = word === 'guest' || word === 'fork';
  expect(facts.why === undefined).toBe(!isWhyKnown);
  for (const text of [facts.why ?? 'it', ...facts.strangers])
    expect(text).toMatch(/^[a-z][^\n]+[^.]$|^it$/);
});

describe('text by another person', () => {
  const labelled = issue(LABELED);
  it.each<[Permission | 'unknown', Word]>([
    ['maintain', 'own'],
    ['write', 'own'],
    ['triage', 'mixed'],
    ['unknown', 'mixed'],
  ])('by an author with the permission %s makes a writer’s run %s', (author, word) => {
    const subjects = [labelled, comment({ subjectAuthor: hubot }), pullRequest(LABELED)];
    for (const trigger of subjects)
      expect(wordOf(factsOf(trigger, { actor: 'write', author }))).toBe(word);
  });

  it('that is a bot has no permission to check', () => {
    const facts = factsOf(pullRequest({ author: dependabot }), { actor: 'admin', author: 'admin' });
    expect(wordOf(facts)).toBe('mixed');
  });

  it('counts as a stranger’s if its author is unknown', () => {
    const { subjectAuthor: _, ...untold } = comment();
    expect(wordOf(factsOf(untold, { actor: 'write' }))).toBe('mixed');
  });

  it.each([
    ['hubot', labelled],
    ['hubot', comment({ subjectAuthor: hubot })],
    [undefined, issue()],
    [undefined, issue({ author: dependabot })],
    ['hubot', pullRequest({ author: hubot })],
    [undefined, pullRequest()],
    [undefined, pullRequest({ author: dependabot })],
    [undefined, schedule],
    [undefined, local],
  ])('has the author %s', (login, trigger) => {
    expect(contentAuthor(trigger)).toBe(login);
  });
});

describe('every trigger, permission and author', () => {
  const permissions = ['admin', 'maintain', 'write', 'triage', 'read', 'none', 'unknown'] as const;
  const triggers = [
    push,
    schedule,
    dispatch,
    MERGE_GROUP,
    workflowRun(),
    workflowRun({ isFork: true }),
    unheardOf,
    local,
    ...[octocat, hubot, dependabot, ghost].flatMap((author) => [
      pullRequest({ author }),
      pullRequest({ author, actor: author }),
      fork('hubot/hello', { author }),
      issue({ author }),
      issue({ author, actor: author }),
      comment({ subjectAuthor: author }),
      comment({ author, actor: author }),
      comment({ author }),
      comment({ on: 'pull_request', isFork: true, subjectAuthor: author }),
    ]),
  ];
  const cases = triggers.flatMap((trigger) =>
    permissions.flatMap((permission) =>
      permissions.map((author) => ({ trigger, permission, author })),
    ),
  );

  const heads = ['ours', 'fork', undefined] as const;

  it('make a run its own only for text of people who can write', () => {
    for (const { trigger, permission, author } of cases)
      for (const head of heads) {
        const word = wordOf(factsOf(trigger, { actor: permission, author, head }));
        if (word === 'guest' || word === 'fork' || !('author' in trigger)) continue;
        // Anybody who is not a writer, fork, bot or ghost never reaches computed content.
        expect([mayWrite(permission), trigger.actor.isBot]).toEqual([true, false]);
        expect('isFork' in trigger && trigger.isFork).toBe(false);
        if (word === 'mixed') continue;
        const wrote = trigger.kind === 'comment' ? trigger.subjectAuthor : trigger.author;
        expect(wrote?.isBot).toBe(false);
        expect(wrote?.login === trigger.actor.login || mayWrite(author)).toBe(true);
      }
  });

  it('skip unknown permissions, or count them as somebody else’s', () => {
    for (const { trigger, permission, author } of cases) {
      if (decideAdmission(trigger, permission).kind === 'run') continue;
      const word = wordOf(factsOf(trigger, { actor: permission, author }));
      expect(['guest', 'fork']).toContain(word);
    }
  });
});

it.each(['ours', 'fork', undefined] as const)(
  'a comment on a pull request whose head is read to be %s is a fork’s unless it is ours',
  (head) => {
    const facts = factsOf(comment({ on: 'pull_request' }), { actor: 'admin', head });
    expect(wordOf(facts)).toBe(head === 'ours' ? 'own' : 'fork');
  },
);

it.each<[string, Trigger]>([
  ['an issue', issue({ action: 'labeled', body: OWN })],
  ['a pull request', pullRequest({ body: OWN })],
  ['a description below which somebody comments', comment({ description: OWN })],
])('what a run has written with a person’s token is nobody’s: %s', (_, trigger) => {
  expect(contentAuthor(trigger)).toBeUndefined();
  expect(wordOf(factsOf(trigger, { actor: 'write', author: 'write' }))).toBe('mixed');
});

it.each([push, dispatch])('a $kind by a bot is our own if the workflow allows the bot', (event) => {
  const trigger = { ...event, actor: dependabot };
  const wordFor = (allowBots: readonly string[]) =>
    wordOf(factsOf(trigger, { actor: 'unknown', allowBots }));
  expect(factsOf(trigger, { actor: 'unknown' }).why).toContain('`allow-bots`');
  expect([wordFor([]), wordFor(['renovate[bot]'])]).toEqual(['guest', 'guest']);
  expect(wordFor(['Dependabot[bot]'])).toBe('own');
});

describe('the account whose permission is requested', () => {
  it('is who caused the event, not who wrote its subject', () => {
    expect(needsPermission(issue({ author: hubot }))).toBe('octocat');
  });

  it.each(rows)('%s: is nobody, if the answer changes nothing', (_, _gate, _word, trigger) => {
    if (needsPermission(trigger) !== undefined)
      return expect(decideAdmission(trigger, 'admin').kind).toBe('run');
    expect(decideAdmission(trigger, 'admin')).toEqual(decideAdmission(trigger, 'none'));
  });
});

const [HEAD, MERGE] = ['a'.repeat(40), 'c'.repeat(40)];
const target = { ...ON_TARGET, mergeSha: MERGE };

it.each([HEAD, MERGE])(
  'a checkout of a fork’s commit %s is refused if the job has secrets',
  (commit) => {
    expect(() => refuseCheckout(fork('a/b', target), commit)).toThrow(ConfigError);
  },
);

it.each<[string, Trigger, string | undefined]>([
  ['of the base', fork('a/b', target), 'b'.repeat(40)],
  ['that is none', fork('a/b', target), undefined],
  ['of a branch of the repository', pullRequest(target), HEAD],
  ['of a fork if there are no secrets', fork('a/b', { mergeSha: MERGE }), HEAD],
  ['next to a comment', comment(), HEAD],
  ['on a machine of one’s own', local, HEAD],
])('a checkout %s is allowed', (_, trigger, commit) => {
  expect(() => refuseCheckout(trigger, commit)).not.toThrow();
});

const WRITERS: Facts = { asker: 'writer', code: 'ours', strangers: [] };

it.each([
  ['push', 'own'],
  ['pull_request', 'own'],
  ['workflow_dispatch', 'own'],
  ['schedule', 'mixed'],
  ['issues', 'mixed'],
  ['pull_request_target', 'mixed'],
  ['', 'mixed'],
])('the log of a workflow’s run that %j started makes a run %s', (cause, word) => {
  const facts = factsOf(workflowRun({ cause }), { actor: 'write' });
  expect(wordOf(facts)).toBe(word);
  for (const text of facts.strangers) expect(text).toMatch(/^it reads the log of a workflow that /);
});

describe('what a run has read', () => {
  it.each<[Word, Facts, Word]>([
    ['own', WRITERS, 'mixed'],
    ['own', { ...WRITERS, asker: 'repository' }, 'mixed'],
    ['own', { ...WRITERS, asker: 'yourself' }, 'own'],
    ['mixed', { ...WRITERS, strangers: ['it read issue #1 by eve'] }, 'mixed'],
    ['guest', { ...WRITERS, asker: 'other', why: 'a bot asked' }, 'guest'],
    ['fork', { ...WRITERS, code: 'fork', why: 'it is a fork' }, 'fork'],
    ['fork', { ...WRITERS, asker: 'other', code: 'fork', why: 'a bot asked' }, 'fork'],
  ])('makes a run that began as %s, by %j, to %s', (begun, facts, word) => {
    const reading = new Reading(facts);
    expect([reading.begun, reading.word]).toEqual([begun, begun]);
    reading.add('it used `url_fetch`');
    expect([reading.begun, reading.word]).toEqual([begun, word]);
    expect(reading.rights).toEqual(rightsOf(word));
  });

  it('is kept once, in the order in which it was read', () => {
    const reading = new Reading({ ...WRITERS, strangers: ['one'] });
    for (const text of ['two', 'one', 'three', 'two']) reading.add(text);
    expect(reading.strangers).toEqual(['one', 'two', 'three']);
    expect(reading.facts).toEqual({ ...WRITERS, strangers: ['one', 'two', 'three'] });
  });

  it('says why a change becomes no commit, the first reason alone', () => {
    const reading = new Reading(WRITERS);
    expect([reading.whyOnlyPatch(), describeTrust(reading)]).toEqual([undefined, 'full']);
    for (const text of ['it read issue #1 by eve', 'it used `url_fetch`']) reading.add(text);
    expect(reading.whyOnlyPatch()).toBe('it read issue #1 by eve');
    expect(describeTrust(reading)).toBe(
      'limited, because it read issue #1 by eve, and it used `url_fetch`',
    );
  });
});

it('no word has a right that a better one lacks', () => {
  const strength: Readonly<Record<string, readonly unknown[]>> = {
    remembers: ['log', 'computed', 'apart'],
    tools: ['all', 'copy', 'read'],
    changes: ['commit', 'patch', 'none'],
    ends: ['word', 'look', 'people'],
    texts: ['read', 'strangers', 'left-out'],
    hears: ['writers', 'all'],
    demonstrates: ['alone', 'look', 'none'],
  };
  const rights = WORDS.map(rightsOf);
  for (const [right, value] of Object.entries(rights[0] ?? {})) {
    const order = strength[right] ?? [true, false];
    expect(order).toContain(value);
    const ranks = rights.map((all) => order.indexOf((all as never)[right]));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  }
});
