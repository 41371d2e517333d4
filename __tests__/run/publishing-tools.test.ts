import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import { DEFAULT_PUBLISH_RULES } from '../../src/findings/buffered-publications.js';
import type { Coverage, ReviewScope } from '../../src/findings/change/scope.js';
import {
  EMPTY_RECORD,
  type KeptFinding,
  type PullRecord,
} from '../../src/findings/kept-finding.js';
import type { ReviewResult } from '../../src/findings/post/record.js';
import type { RunOutcome } from '../../src/lib/outcome.js';
import { DEFAULT_DIFF_POLICY } from '../../src/prompt/diff-policy.js';
import { openPublications, publishingTools } from '../../src/run/publish.js';
import type { Conversed, OpenRun } from '../../src/run/records.js';
import { reviewFacts } from '../../src/run/save.js';
import { kept } from '../helpers/marks.js';
import { readingOf } from '../helpers/reading.js';
import { completed, exhausted, reportOf } from '../helpers/reports.js';
import { ledgerOf, seen } from '../helpers/seen.js';
import { comment, issue, pullRequest, SCHEDULE } from '../helpers/triggers.js';

const ALL_REVIEWING = ['add_review_comment', 'settle_finding', 'submit_review'];
const ALL = ['add_review_comment', 'submit_review', 'set_labels', 'create_issue', 'react'];
const CHANGE = { head: 'a'.repeat(40), base: 'b'.repeat(40), diff: '' };

function open(
  trigger: Trigger,
  change: OpenRun['change'],
  {
    record = EMPTY_RECORD,
    labels = [],
  }: { readonly record?: PullRecord; readonly labels?: readonly string[] } = {},
) {
  const learned = { ledger: ledgerOf(seen(), { record }), others: [] };
  const restored = {
    plan: { trigger, reading: readingOf('own'), review: { overrides: {} } },
    change,
    learned,
  };
  const rules = { ...DEFAULT_PUBLISH_RULES, labels };
  return openPublications(restored as unknown as OpenRun, {
    policy: DEFAULT_DIFF_POLICY,
    run: '7/1/review',
    rules,
  });
}

async function agentWith(tools: readonly string[]) {
  const { plan } = await reportOf('planned');
  return { ...plan.agent, config: { ...plan.agent.config, tools } };
}

describe('the tools that publish', () => {
  it.each<[string, Trigger, OpenRun['change'], string[], string[]]>([
    ['a pull request with its diff', pullRequest(), CHANGE, ALL, []],
    ['a pull request without a diff', pullRequest(), undefined, ALL.slice(2), ALL.slice(0, 2)],
    ['an issue', issue(), undefined, ALL.slice(2), ALL.slice(0, 2)],
    ['a comment on a pull request', comment({ on: 'pull_request' }), CHANGE, ALL, []],
    ['a schedule', SCHEDULE, undefined, ['create_issue'], ['set_labels', 'react']],
    ['no event', { kind: 'local' } as const, undefined, [], []],
  ])(
    'are for %s those with a target to publish to',
    async (_, ...[trigger, change, offered, warned]) => {
      const agent = await agentWith(['read_file', ...ALL]);
      const made = publishingTools(agent, open(trigger, change));
      expect(made.tools.map(({ name }) => name)).toEqual(offered);
      expect(made.listed).toEqual(ALL);
      const told = made.warnings.map(({ code, message }) => [code, message.match(/`\w+`/g)]);
      expect(told).toEqual(
        warned.length === 0 ? [] : [['tool-not-available', warned.map((name) => `\`${name}\``)]],
      );
    },
  );

  it('of the built-in triager set labels only if the workflow allows some', async () => {
    const agent = { ...(await agentWith(['set_labels', 'react'])), source: 'built-in' };
    const namesWith = (labels: readonly string[]) => {
      const { tools, warnings } = publishingTools(agent, open(issue(), undefined, { labels }));
      expect(warnings).toEqual([]);
      return tools.map(({ name }) => name);
    };
    expect(namesWith([])).toEqual(['react']);
    expect(namesWith(['bug'])).toEqual(['set_labels', 'react']);
  });

  const known = (patch: Partial<KeptFinding> = {}) => ({
    ...EMPTY_RECORD,
    findings: [kept(patch)],
  });

  const NAMED = ['submit_review', 'settle_finding'];
  it.each<[string, PullRecord, readonly string[], readonly string[]]>([
    [
      'nothing is open',
      EMPTY_RECORD,
      ['add_review_comment'],
      ['add_review_comment', 'submit_review'],
    ],
    ['one is open', known(), ['add_review_comment'], ALL_REVIEWING],
    [
      'one has ended',
      known({ state: 'settled', by: 'model', why: 'fixed' }),
      ['add_review_comment'],
      ['add_review_comment', 'submit_review'],
    ],
    ['one is open, and the agent raises none', known(), ['submit_review'], ['submit_review']],
    [
      'one is open, and the agent names the tool',
      known(),
      NAMED,
      ['settle_finding', 'submit_review'],
    ],
    ['nothing is open, and the agent names the tool', EMPTY_RECORD, NAMED, ['submit_review']],
  ])('end findings with the agent that raises them: if %s', async (_, record, listed, offered) => {
    const publications = open(pullRequest(), CHANGE, { record });
    const made = publishingTools(await agentWith(listed), publications);
    expect(made.tools.map(({ name }) => name)).toEqual(offered);
    expect(made.warnings).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['in a source file', 'src/a.ts', 'major'],
    ['in a file that a tool made', 'package-lock.json', 'minor'],
  ])('know which files people read: a finding %s', (_, path, severity) => {
    const diff = `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;
    const publications = open(pullRequest(), { ...CHANGE, diff });
    const judged = { category: 'security', effect: 'breach', reach: 'rare' } as const;
    publications?.addComment({ path, line: 1, title: 'T', body: 'B', ...judged });
    expect(publications?.buffered.findings.map(({ finding }) => finding.severity)).toEqual([
      severity,
    ]);
  });

  it('are not added to an agent that lists none', async () => {
    const agent = await agentWith(['read_file']);
    expect(publishingTools(agent, undefined)).toEqual({ tools: [], listed: [], warnings: [] });
  });
});

describe('the stored facts of a review', () => {
  const now = new Date('2026-11-22T02:00:00Z');
  const factsOf = (end: {
    readonly outcome: RunOutcome;
    readonly trigger?: Trigger;
    readonly change?: Conversed['change'];
    readonly scope?: ReviewScope;
    readonly unseen?: readonly string[];
    readonly coverage?: Coverage;
    readonly isUnpublished?: boolean;
  }) => {
    const {
      outcome,
      trigger = pullRequest(),
      change = CHANGE,
      scope,
      unseen = [],
      isUnpublished,
    } = end;
    const { coverage } = end;
    const conversed = {
      plan: { trigger, scope },
      change,
      outcome,
      read: { unseen, coverage },
    } as Conversed;
    const reviewResult = { isUnpublished: isUnpublished === true } as ReviewResult;
    return reviewFacts(conversed, { posts: [], reviewResult }, now);
  };
  const reviewed = {
    kind: 'reviewed',
    pull: 42,
    head: CHANGE.head,
    base: CHANGE.base,
    at: now.getTime(),
  };

  const fine = completed('Fine.');
  const answer = { trigger: comment({ on: 'pull_request', number: 42 }), outcome: fine };
  const { head } = CHANGE;
  const scope: ReviewScope = {
    kind: 'full',
    why: 'asked',
    before: { last: head },
    head,
    filesTotal: 1,
  };
  const tooMany = Array.from({ length: 101 }, (_, index) => `${'folder/'.repeat(9)}${index}.ts`);
  it.each<[string, Parameters<typeof factsOf>[0], readonly object[]]>([
    ['none if a limit ended the run', { outcome: exhausted('cost', 'So far.') }, []],
    ['none if more did not fit than can be stored', { outcome: fine, unseen: tooMany }, []],
    [
      'none if GitHub refused the review, which is made again',
      { outcome: fine, isUnpublished: true },
      [],
    ],
    ['none for an answer to a comment that is not a review', answer, []],
    ['those of a review that a comment asked for', { ...answer, scope }, [reviewed]],
    [
      'the files that did not fit',
      { outcome: fine, unseen: ['b.ts'] },
      [{ ...reviewed, unseen: ['b.ts'] }],
    ],
    [
      'its branch',
      { outcome: fine, change: { ...CHANGE, into: 'main' } },
      [{ ...reviewed, into: 'main' }],
    ],
  ])('are %s', (_, end, facts) => {
    expect(factsOf(end)).toEqual(facts);
  });

  const part = (path: string) =>
    `diff --git a/${path} b/${path}\nindex 3f2a1b0..9c4d5e6 100644\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-x\n+y\n`;
  const change = { ...CHANGE, diff: part('a.ts') + part('b.ts') };
  const whole: Coverage = { kind: 'whole', files: 2, read: 2, unread: [] };
  const unread = [{ path: 'b.ts', why: 'paths' }] as const;
  const partly: Coverage = { ...whole, kind: 'part', read: 1, unread };
  const lost: Coverage = { ...whole, isCutShort: true };
  const many = { ...change, diff: part('a.ts').repeat(201) };

  it.each<[string, Parameters<typeof factsOf>[0], number | undefined]>([
    ['of all that were read', { change, outcome: fine, coverage: whole }, 2],
    ['not of those that were not', { change, outcome: fine, coverage: partly }, 1],
    [
      'of none if a part of the prompt was lost',
      { change, outcome: fine, coverage: lost },
      undefined,
    ],
    ['of none if they are too many', { change: many, outcome: fine, coverage: whole }, undefined],
  ])('know the patches %s', (_, end, number) => {
    expect(factsOf(end)[0]?.patches?.length).toBe(number);
  });
});
