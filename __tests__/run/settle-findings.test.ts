import { describe, expect, it } from '@jest/globals';
import { NO_PUBLICATIONS } from '../../src/findings/buffered-publications.js';
import { placeOnLines } from '../../src/findings/change/diff-lines.js';
import { type KeptFinding, recordOfPull } from '../../src/findings/kept-finding.js';
import type { Settlement } from '../../src/findings/known-finding.js';
import { factsToKeep } from '../../src/findings/post/conversations.js';
import { readLedger } from '../../src/findings/read/read-ledger.js';
import { parseReviewFacts } from '../../src/findings/state-facts.js';
import type { PullRequestConversation } from '../../src/github/reading/conversation.js';
import { applyChanges } from '../../src/memory/change.js';
import { withFacts } from '../../src/memory/state.js';
import type { MemoryStore } from '../../src/memory/store.js';
import type { Dependencies } from '../../src/run/dependencies.js';
import type { SaidAnswer } from '../../src/run/github.js';
import type { MemoryPlan } from '../../src/run/records.js';
import { settleFindings } from '../../src/run/settle-findings.js';
import { finding, LINES } from '../findings/change.js';
import { context, HEAD, ID, keptOne, OTHER, posting, seen, thread } from '../findings/threads.js';
import { createFakeDependencies } from '../helpers/dependencies-fake.js';
import { HELLO } from '../helpers/github-client-fake.js';

const UNREAD: SaidAnswer = { kind: 'unread', message: 'GitHub answered 502.' };
const NOTHING_SAID = answerOf({ threads: [] });
const STATE = 'bot.state.md';

function answerOf(parts: Partial<PullRequestConversation>): SaidAnswer {
  return { kind: 'read', seen: seen(parts) };
}

/** What the run raises. */
const RAISED = finding({
  id: OTHER,
  handle: 'FX3M9',
  path: 'src/auth.ts',
  line: 11,
  title: 'Nobody awaits the result',
});
const OWN = { finding: RAISED, placement: placeOnLines(RAISED, LINES) };

interface Scene {
  readonly kind?: MemoryStore['kind'];
  /** What earlier runs have left in the record. */
  readonly before?: readonly KeptFinding[];
  /** What was said when the run began. */
  readonly atStart?: SaidAnswer;
  /** What is said at each later reading; the last one again and again. */
  readonly later?: readonly SaidAnswer[];
  /** What another run saves before the first save of this one. */
  readonly others?: readonly KeptFinding[];
  readonly settlements?: readonly Settlement[];
  /** Conversations were changed. */
  readonly isTurned?: boolean;
  readonly isSaveRefused?: boolean;
}

/** Settles the findings of a run, and returns them with its steps and the record. */
async function settle({ kind = 'branch', before = [], others = [], ...scene }: Scene) {
  const { atStart = NOTHING_SAID, later = [NOTHING_SAID], isTurned = false } = scene;
  const steps: string[] = [];
  let files: ReadonlyMap<string, string> = new Map([[STATE, withFacts('', before)]]);
  let waiting = others;
  const store = {
    kind,
    async write(changes: Parameters<MemoryStore['write']>[0]) {
      steps.push('save');
      if (scene.isSaveRefused === true)
        return { kind: 'failed', reason: 'denied', message: 'not allowed' };
      files = new Map([[STATE, withFacts(files.get(STATE) ?? '', waiting)]]);
      waiting = [];
      files = applyChanges(files, changes);
      return { kind: 'saved', location: STATE, attempts: 1 };
    },
  } as unknown as MemoryStore;

  let readings = 0;
  const fake = createFakeDependencies({ permissions: {} });
  const deps: Dependencies = {
    ...fake,
    github: {
      ...(fake.github as NonNullable<Dependencies['github']>),
      async said() {
        steps.push('read');
        readings += 1;
        return later[Math.min(readings, later.length) - 1] ?? NOTHING_SAID;
      },
    },
    publisher: {
      ...fake.publisher,
      async turn({ ledger, news, isUnread }) {
        steps.push('turn');
        const isNew = ({ kind: of, ...fact }: { kind: string; id?: string }) =>
          of === 'finding' && fact.id === OTHER;
        const facts = factsToKeep(posting({ ledger, news }));
        const turnBack = async () => void steps.push('turn back');
        return {
          facts: isUnread === true ? facts.filter(isNew) : facts,
          isChanged: isTurned,
          ...(isTurned ? { turnBack } : {}),
        };
      },
    },
  };
  const facts = parseReviewFacts(files.get(STATE) ?? '');
  const known = context({ record: recordOfPull(facts, 42), keepsState: true });
  const start = readLedger(atStart.kind === 'read' ? atStart.seen : undefined, known);
  const buffered = {
    ...NO_PUBLICATIONS,
    findings: [OWN],
    settlements: scene.settlements ?? [],
  };
  const plan = { path: 'bot.md', isReadOnly: false } as MemoryPlan;
  const run = { repository: HELLO, agent: 'bot', head: HEAD, word: 'own' } as const;
  const settled = await settleFindings(
    { pull: 42, start, buffered, isOld: true },
    { ...run, memory: { plan, store } },
    deps,
  );
  const { fresh, ended, back } = settled.news;
  const record = recordOfPull(parseReviewFacts(files.get(STATE) ?? ''), 42);
  return {
    steps,
    says: [...fresh.map((placed) => placed.finding), ...ended, ...back].map(({ id }) => id),
    kept: record?.findings.map(({ id }) => id) ?? [],
    isUnread: settled.isUnread === true,
    unsayable: settled.unsayable?.message,
  };
}

describe('a run', () => {
  it('saves the record before anything is said', async () => {
    const run = await settle({});
    expect(run).toMatchObject({ steps: ['read', 'turn', 'save'], says: [OTHER], kept: [OTHER] });
  });

  it('says what an earlier run could not, after a look whether somebody has', async () => {
    const run = await settle({ before: [keptOne()] });
    expect(run.steps).toEqual(['read', 'turn', 'save', 'read']);
    expect(run.says.toSorted()).toEqual([ID, OTHER]);
  });

  it('says nothing of an earlier run that a text bears by then', async () => {
    const said = answerOf({ threads: [thread()] });
    const run = await settle({ before: [keptOne()], later: [NOTHING_SAID, said] });
    expect(run.says).toEqual([OTHER]);
  });

  it('says only its own decisions if it cannot look', async () => {
    const run = await settle({ before: [keptOne()], later: [NOTHING_SAID, UNREAD] });
    expect(run).toMatchObject({ says: [OTHER], unsayable: undefined });
  });

  it('says nothing about a finding that has ended before anybody was told of it', async () => {
    const over = { state: 'settled', by: 'model', why: 'wrong', rev: 2 } as const;
    const run = await settle({ before: [keptOne({ ...over })] });
    expect(run.says).toEqual([OTHER]);
  });
});

describe('two runs at once', () => {
  it('both save what they have decided, and each says its own', async () => {
    const run = await settle({ others: [keptOne()] });
    expect(run.steps).toEqual(['read', 'turn', 'save', 'read', 'turn', 'save']);
    expect(run.says).toEqual([OTHER]);
    expect(run.kept.toSorted()).toEqual([ID, OTHER]);
  });

  it('turn conversations back before they read again what the other has changed', async () => {
    const { steps } = await settle({ others: [keptOne()], isTurned: true });
    expect(steps.slice(0, 5)).toEqual(['read', 'turn', 'save', 'turn back', 'read']);
    expect(steps.slice(5)).not.toContain('turn back');
  });

  it('look at each other where the store cannot compare and something was written', async () => {
    const run = await settle({ kind: 'file', isTurned: true });
    expect(run.steps).toEqual(['read', 'turn', 'save', 'read']);
    expect(run.says).toEqual([OTHER]);
  });

  it('look at each other where the record could not be saved', async () => {
    const run = await settle({ isSaveRefused: true });
    expect(run.steps).toEqual(['read', 'turn', 'save', 'read']);
    expect(run).toMatchObject({ says: [OTHER], kept: [] });
  });

  it('say nothing where neither a store nor a look can tell', async () => {
    const run = await settle({ isSaveRefused: true, later: [NOTHING_SAID, UNREAD] });
    expect(run.unsayable).toMatch(/^#42 could not be read, .*: GitHub answered 502$/);
  });
});

describe('a run that cannot read GitHub after its work', () => {
  const before = [keptOne({ thread: 't1' })];
  const atStart = answerOf({ threads: [thread()] });

  it('says what it has raised if the record was compared and swapped, and nothing else', async () => {
    const start = readLedger(
      atStart.kind === 'read' ? atStart.seen : undefined,
      context({ keepsState: true }),
    );
    const settlements = start.findings.map((of) => {
      const end = { how: 'fixed', reason: 'It is bound now.', by: '', isAgreed: true } as const;
      return { finding: of, evidence: [], ...end };
    });
    const run = await settle({ before, atStart, later: [UNREAD], settlements });
    expect(run).toMatchObject({ says: [OTHER], isUnread: true, unsayable: undefined });
    expect(run.kept.toSorted()).toEqual([ID, OTHER]);
  });

  it('says nothing where the store cannot compare', async () => {
    const run = await settle({ kind: 'file', before, atStart, later: [UNREAD] });
    expect(run).toMatchObject({ isUnread: true, unsayable: expect.stringContaining('#42') });
  });
});
