import { expect, it } from '@jest/globals';
import { type AdmissionFacts, decideAdmission as decide } from '../../src/event/admission.js';
import type { CommentTrigger, PullRequestTrigger, Trigger } from '../../src/event/trigger.js';
import {
  type AdmissionPolicy,
  DEFAULT_ADMISSION_POLICY,
  type Permission,
} from '../../src/event/trust.js';
import { decideAdmission } from '../helpers/admission.js';
import { answerLine, findingLine } from '../helpers/marks.js';
import {
  comment,
  issue,
  pullRequest,
  SCHEDULE,
  STRANGER,
  workflowRun,
} from '../helpers/triggers.js';

const DEPENDABOT = { login: 'dependabot[bot]', isBot: true } as const;
const OWN = `${answerLine('bot/reply-1')}\nLooks good.`;

function fork(patch: Partial<PullRequestTrigger> = {}): PullRequestTrigger {
  const head = { sha: 'a'.repeat(40), ref: 'fix', repository: 'hubot/hello' };
  return pullRequest({
    event: 'pull_request_target',
    author: STRANGER,
    head,
    isFork: true,
    ...patch,
  });
}

type Facts = Partial<Pick<AdmissionFacts, 'agent' | 'state' | 'change'>>;

const STATE: Facts = { state: { isPaused: false, isReviewed: true, spent: undefined } };

const PAUSED: Facts = { state: { isPaused: true, isReviewed: false, spent: undefined } };

function changing(patch: Partial<AdmissionFacts['change']>): Facts {
  return { change: { number: 42, unreadable: undefined, nothingNewSince: undefined, ...patch } };
}

function says(body: string, patch: Partial<CommentTrigger> = {}): CommentTrigger {
  return comment({ body, ...patch });
}

type Row = readonly [string, Trigger, Permission | 'unknown', Partial<AdmissionPolicy>, string];

const READ = { minPermission: 'read' } as const;
const ANYBODY = { minPermission: 'none' } as const;
const BY_STRANGER = issue({ actor: STRANGER });
const BY_GHOST = issue({ actor: { login: 'ghost', isBot: false } });

const PERMISSIONS: readonly Row[] = [
  ['a triager if `triage` is enough', issue(), 'triage', { minPermission: 'triage' }, 'run'],
  ['a reader if `triage` is enough', issue(), 'read', { minPermission: 'triage' }, 'permission'],
  ['a reader if `read` is enough', issue(), 'read', READ, 'run'],
  ['a stranger if `read` is enough', issue(), 'none', READ, 'permission'],
  [
    'C5 72: an unknown permission if `read` is enough',
    issue(),
    'unknown',
    READ,
    'permission-unknown',
  ],
  ['a stranger if no permission is required', issue(), 'none', ANYBODY, 'run'],
  ['an unknown permission if none is required', issue(), 'unknown', ANYBODY, 'run'],
  ['a stranger who is allowed', BY_STRANGER, 'none', { allowUsers: ['HuBot'] }, 'run'],
  [
    'one whose name only starts like it',
    BY_STRANGER,
    'none',
    { allowUsers: ['hubot-2'] },
    'permission',
  ],
  [
    'a ghost, of which nobody can be allowed',
    BY_GHOST,
    'none',
    { allowUsers: ['ghost'] },
    'permission',
  ],
];

const BY_BOT = pullRequest({ actor: DEPENDABOT });
const ALLOWED = { allowBots: ['Dependabot[bot]'] };
const EDITED = { action: 'edited', author: DEPENDABOT } as const;
const FINDING = `${findingLine({ id: '0123456789abcdef', agent: 'reviewer' })}\nWrong.`;

const BOTS: readonly Row[] = [
  ['a bot if no permission is required', BY_BOT, 'none', ANYBODY, 'bot'],
  ['a bot that is allowed', BY_BOT, 'unknown', ALLOWED, 'run'],
  ['a bot of another name', BY_BOT, 'unknown', { allowBots: ['dependabot'] }, 'bot'],
  ['a bot among the users', BY_BOT, 'unknown', { allowUsers: ['dependabot[bot]'] }, 'bot'],
  [
    'our own comment, by an allowed bot',
    says(OWN, { actor: DEPENDABOT, author: DEPENDABOT }),
    'unknown',
    ALLOWED,
    'own-text',
  ],
  ['our own finding', says(FINDING), 'write', {}, 'own-text'],
  [
    'a quotation of our own comment',
    says(`> ${OWN.replace('\n', '\n> ')}\n\nWhy?`),
    'write',
    {},
    'run',
  ],
  ['an issue of ours that somebody edits', issue({ ...EDITED, body: OWN }), 'write', {}, 'run'],
  ['a label on an issue of ours', issue({ action: 'labeled', body: OWN }), 'write', {}, 'run'],
];

const UNDER = { on: 'pull_request' } as const;
const ON_LINE = { ...UNDER, event: 'pull_request_review_comment' };
const NO_SECRETS = fork({ event: 'pull_request', action: 'labeled' });
const STRANGERS = { author: STRANGER, actor: STRANGER };

const FORKS: readonly Row[] = [
  ['a fork if no permission is required', fork(), 'admin', ANYBODY, 'fork'],
  ['a triager’s label on a fork', fork({ action: 'labeled' }), 'triage', {}, 'permission'],
  ['a bot’s label on a fork', fork({ action: 'labeled', actor: DEPENDABOT }), 'unknown', {}, 'bot'],
  ['a label on a fork if there are no secrets', NO_SECRETS, 'write', {}, 'fork'],
  [
    'a comment on a line of a branch of ours',
    comment({ ...ON_LINE, isFork: false }),
    'write',
    {},
    'run',
  ],
  ['a stranger’s comment on a fork', comment({ ...UNDER, ...STRANGERS }), 'none', {}, 'permission'],
];

const FOLLOWERS: readonly Row[] = [
  [
    'C5 73: the same if no permission is required',
    workflowRun({ isFork: true }),
    'admin',
    ANYBODY,
    'fork',
  ],
  ['C5 73: a run that follows a bot’s', workflowRun({ actor: DEPENDABOT }), 'write', {}, 'bot'],
];

const LABELED = { action: 'labeled', label: 'Review me' };

const REVIEWER: Facts = { agent: { kind: 'found', postsReviews: true } };
const OTHER: Facts = { agent: { kind: 'found', postsReviews: false } };
const CLOSED = { isClosed: true } as const;

const UNCHANGED = changing({ nothingNewSince: 'c1' });

const AXE = { triggerPhrase: '@axe' };
const MENTIONS: readonly Row[] = [
  ['a comment that says it', says('@axe why?'), 'write', AXE, 'run'],
  ['a comment that does not', says('Why?'), 'write', AXE, 'no-mention'],
  ['a stranger’s comment that does not', says('Why?', STRANGERS), 'none', AXE, 'no-mention'],
  ['a stranger’s comment that says it', says('@axe why?', STRANGERS), 'none', AXE, 'permission'],
  [
    'one edited by somebody else',
    says('@axe why?', { author: STRANGER }),
    'write',
    AXE,
    'sender-not-author',
  ],
  [
    'a comment that was deleted',
    says('@axe why?', { action: 'deleted' }),
    'write',
    AXE,
    'subject-deleted',
  ],
  ['a pull request, which is not a comment', pullRequest(), 'write', AXE, 'run'],
  ['a schedule, which is not a comment', SCHEDULE, 'unknown', AXE, 'run'],
];

it.each([...PERMISSIONS, ...BOTS, ...FORKS, ...FOLLOWERS, ...MENTIONS])(
  'admission %s: decided from the event',
  (_, ...[trigger, permission, policy, expected]) => {
    const gate = decideAdmission(trigger, permission, { ...DEFAULT_ADMISSION_POLICY, ...policy });
    expect(gate.kind === 'run' ? 'run' : gate.reason).toBe(expected);
  },
);

it.each<[string, Partial<PullRequestTrigger>, Facts, string]>([
  ['a closed pull request', { ...CLOSED, action: 'closed' }, REVIEWER, 'closed'],
  ['a label on a closed one', { ...CLOSED, ...LABELED }, REVIEWER, 'closed'],
  [
    'the end of one, by an agent that does not review',
    { ...CLOSED, action: 'closed' },
    OTHER,
    'run',
  ],
  ['a label on a closed one, by such an agent', { ...CLOSED, ...LABELED }, OTHER, 'run'],
  ['an edited title', { action: 'edited' }, REVIEWER, 'no-change'],
  ['an edited title, by an agent that does not review', { action: 'edited' }, OTHER, 'run'],
  ['another base', { action: 'edited', hasNewBase: true }, REVIEWER, 'run'],
  ['an assignee', { action: 'assigned' }, REVIEWER, 'no-change'],
  ['a label that was removed', { action: 'unlabeled' }, REVIEWER, 'no-change'],
  ['a push', { action: 'synchronize' }, REVIEWER, 'run'],
  ['any label on a reviewed commit', LABELED, STATE, 'nothing-new'],
  ['a requested review of it', { action: 'review_requested' }, STATE, 'run'],
  ['a draft of it that is ready', { action: 'ready_for_review' }, STATE, 'nothing-new'],
  ['a push while it is paused', { action: 'synchronize' }, PAUSED, 'paused'],
  ['a label then', LABELED, PAUSED, 'run'],
  ['a requested review then', { action: 'review_requested' }, PAUSED, 'run'],
  ['a change that cannot be read', {}, changing({ unreadable: 'no file' }), 'nothing-to-review'],
  ['a push that brings nothing', { action: 'synchronize' }, UNCHANGED, 'nothing-new'],
  ['a requested review of it', { action: 'review_requested' }, UNCHANGED, 'run'],
])('admission %s: decided from agent, memory and change', (_, patch, facts, expected) => {
  const event = { trigger: pullRequest(patch), policy: DEFAULT_ADMISSION_POLICY };
  const decision = decide({ event, permission: 'write', ...facts });
  expect(decision.kind === 'run' ? 'run' : decision.reason).toBe(expected);
});
