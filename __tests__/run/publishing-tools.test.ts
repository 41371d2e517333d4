import { describe, expect, it } from '@jest/globals';
import { DEFAULT_PUBLISH_RULES } from '../../src/core/review/publish-rules.js';
import type { FullReason, Scope } from '../../src/core/review/scope.js';
import type { Reviewed } from '../../src/core/review/state-facts.js';
import { changeOf } from '../../src/run/change.js';
import { openPublications, publishingTools } from '../../src/run/publishing-tools.js';
import { reviewFacts } from '../../src/run/save.js';
import { completed, exhausted, reportOf } from '../helpers/reports.js';
import { comment, issue, pullRequest, SCHEDULE } from '../helpers/triggers.js';

const ALL = ['add_review_comment', 'submit_review', 'set_labels', 'assign', 'create_issue', 'react'];
const CHANGE = { head: 'a'.repeat(40), base: 'b'.repeat(40), diff: '' };

async function agentWith(tools: readonly string[]) {
  const { plan } = await reportOf('planned');
  return { ...plan.agent, config: { ...plan.agent.config, tools } };
}

describe('the tools that publish', () => {
  it.each([
    ['a pull request with its diff', pullRequest(), CHANGE, ALL, []],
    ['a pull request without a diff', pullRequest(), undefined, ALL.slice(2), ALL.slice(0, 2)],
    ['an issue', issue(), undefined, ALL.slice(2), ALL.slice(0, 2)],
    ['a comment on a pull request', comment({ on: 'pull_request' }), CHANGE, ALL, []],
    ['a schedule', SCHEDULE, undefined, ['create_issue'], ['set_labels', 'assign', 'react']],
    ['no event', { kind: 'local' } as const, undefined, [], []],
  ])('are on %s those that have something to publish to', async (_, trigger, change, offered, warned) => {
    const agent = await agentWith(['read_file', ...ALL]);
    const made = publishingTools(agent, openPublications(trigger, change));
    expect(made.tools.map(({ name }) => name)).toEqual(offered);
    expect(made.agent.config.tools).toEqual(['read_file']);
    const told = made.warnings.map(({ code, message }) => [code, message.match(/`\w+`/g)]);
    expect(told).toEqual(
      warned.length === 0 ? [] : [['tool-not-available', warned.map((name) => `\`${name}\``)]],
    );
  });

  it('of the triager that comes along set labels only where the workflow allows some', async () => {
    const agent = { ...(await agentWith(['set_labels', 'react'])), source: 'built-in' };
    const namesWith = (labels: readonly string[]) => {
      const publications = openPublications(issue(), undefined, { ...DEFAULT_PUBLISH_RULES, labels });
      const { tools, warnings } = publishingTools(agent, publications);
      expect(warnings).toEqual([]);
      return tools.map(({ name }) => name);
    };
    expect(namesWith([])).toEqual(['react']);
    expect(namesWith(['bug'])).toEqual(['set_labels', 'react']);
  });

  it('leave an agent that lists none as it is', async () => {
    const agent = await agentWith(['read_file']);
    expect(publishingTools(agent, undefined)).toEqual({ agent, tools: [], warnings: [] });
  });
});

describe('the change of a run', () => {
  const context = { kind: 'pull_request', diff: 'D', files: [], filesTotal: 0, warnings: [] } as const;

  it('is that of the event, or that of the commits which were compared', () => {
    const trigger = pullRequest();
    const { head, base } = trigger;
    expect(changeOf(trigger, context)).toEqual({
      head: head.sha,
      base: base.sha,
      into: base.ref,
      diff: 'D',
    });
    const pinned = { head: { ...head, sha: 'h' }, base: { ...base, sha: 'b' } };
    expect(changeOf(comment(), { ...context, pinned })).toEqual({
      head: 'h',
      base: 'b',
      into: base.ref,
      diff: 'D',
    });
  });

  it('is none without a diff or without commits', () => {
    expect(changeOf(pullRequest(), { kind: 'none', warnings: [] })).toBeUndefined();
    expect(changeOf(pullRequest(), undefined)).toBeUndefined();
    expect(changeOf(comment(), context)).toBeUndefined();
  });
});

describe('the facts of a review', () => {
  const now = new Date('2026-11-22T02:00:00Z');
  const placed = {
    finding: { path: 'a.ts', line: 1, side: 'RIGHT', body: 'B', rule: 'r' },
    placement: { kind: 'body', reason: 'no-lines' },
    fingerprint: '0123456789abcdef',
    formerFingerprint: undefined,
  } as const;
  const published = { line: undefined, url: undefined, findings: [placed] };
  const parts = {
    trigger: pullRequest(),
    change: CHANGE,
    published,
    scope: undefined,
    unseen: [],
    now,
  };
  const reviewed = { kind: 'reviewed', pull: 42, head: CHANGE.head, base: CHANGE.base, at: now };
  const finding = {
    kind: 'finding',
    fingerprint: '0123456789abcdef',
    pull: 42,
    path: 'a.ts',
    rule: 'r',
    at: now,
  };

  it.each([
    ['trusted', [reviewed, finding]],
    ['tainted', [reviewed]],
    ['untrusted', [reviewed]],
  ] as const)('hold in the %s lane what nobody else chose', (lane, facts) => {
    expect(reviewFacts({ ...parts, outcome: completed('Fine.'), lane })).toEqual(facts);
  });

  it.each<[string, Scope | undefined, Partial<Reviewed>]>([
    ['nothing for a run that knows of none', undefined, { cut: { whole: undefined } }],
    ['nothing for a first review', full('first'), { cut: { whole: undefined } }],
    ['the commit before for one of what is new', since('5'.repeat(40)), { cut: { whole: '5'.repeat(40) } }],
    ['the commit itself, where it was reviewed before', full('again'), {}],
  ])('say how far was looked where a limit ended the run: %s', (_, scope, how) => {
    const outcome = exhausted('cost', 'So far.');
    expect(reviewFacts({ ...parts, scope, outcome, lane: 'tainted' })).toEqual([{ ...reviewed, ...how }]);
  });

  it('name the files that did not fit', () => {
    const outcome = completed('Fine.');
    const facts = reviewFacts({ ...parts, unseen: ['b.ts'], outcome, lane: 'tainted' });
    expect(facts).toEqual([{ ...reviewed, unseen: ['b.ts'] }]);
  });

  it('are those of a review that was cut short where more did not fit than can be kept', () => {
    const outcome = completed('Fine.');
    const unseen = Array.from({ length: 101 }, (_, index) => `${index}.ts`);
    const facts = reviewFacts({ ...parts, unseen, outcome, lane: 'tainted' });
    expect(facts).toEqual([{ ...reviewed, cut: { whole: undefined } }]);
  });

  it('keep the files that did not fit before where a limit ended the run', () => {
    const scope = since('5'.repeat(40), ['old.ts']);
    const outcome = exhausted('cost', 'So far.');
    const facts = reviewFacts({ ...parts, scope, unseen: ['b.ts'], outcome, lane: 'tainted' });
    expect(facts).toEqual([{ ...reviewed, cut: { whole: '5'.repeat(40) }, unseen: ['old.ts'] }]);
  });

  it('name the branch the pull request goes into', () => {
    const change = { ...CHANGE, into: 'main' };
    const facts = reviewFacts({ ...parts, change, outcome: completed('Fine.'), lane: 'tainted' });
    expect(facts).toEqual([{ ...reviewed, into: 'main' }]);
  });

  it('hold no commit whose review GitHub did not take, so that it is made again', () => {
    const lost = { line: undefined, url: undefined, isReviewLost: true };
    const outcome = completed('Fine.');
    expect(reviewFacts({ ...parts, published: lost, outcome, lane: 'trusted' })).toEqual([]);
  });

  it('are none of an answer to a comment that is no review', () => {
    const answer = { line: undefined, url: undefined };
    const outcome = completed('Fine.');
    const asked = {
      ...parts,
      trigger: comment({ on: 'pull_request', number: 42 }),
      published: answer,
      outcome,
    };
    expect(reviewFacts({ ...asked, lane: 'trusted' })).toEqual([]);
    expect(reviewFacts({ ...asked, published, lane: 'trusted' })).toEqual([finding]);
    expect(reviewFacts({ ...asked, scope: full('asked'), lane: 'trusted' })).toEqual([reviewed]);
  });

  function full(why: FullReason): Scope {
    const before = why === 'first' ? undefined : { last: CHANGE.head, wasCut: false };
    return { kind: 'full', why, before, head: CHANGE.head, filesTotal: 1 };
  }

  function since(from: string, unseen: readonly string[] = []): Scope {
    const change = { diff: '', files: [], filesTotal: 0 };
    const before = { last: from, wasCut: false, unseen };
    return { kind: 'since', from, before, change, hasMerge: false, head: CHANGE.head, filesTotal: 1 };
  }
});
