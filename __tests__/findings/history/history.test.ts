import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  isDistinctiveFingerprint,
  lineFingerprint,
} from '../../../src/findings/change/diff-lines.js';
import type { Ledger } from '../../../src/findings/decide/ledger.js';
import {
  compareSeverity,
  isBlocking,
  isOpen,
  type Severity,
} from '../../../src/findings/finding.js';
import { isTold, type KnownFinding } from '../../../src/findings/known-finding.js';
import { blockingFindings, formatSarif } from '../../../src/findings/post/record.js';
import { submittedReviewsOf } from '../../../src/findings/state-facts.js';
import { readOwnMark } from '../../../src/safety/mark.js';
import { type Fault, STRANGER, WRITER } from './github.js';
import { AUTHORS, PEOPLE, pick, raisedIn, type Setup, type Step, World } from './world.js';

const RUNS = [
  'run',
  'run',
  'run',
  'run',
  'run',
  'run',
  'run',
  'run',
  'skip',
  'skip',
  'start',
  'finish',
];
const FAULTS: readonly Fault[] = ['unreadable', 'lost', 'unsure', 'killed'];

const steps: fc.Arbitrary<Step> = fc.record({
  does: fc.oneof(fc.constantFrom(...RUNS), fc.constantFrom(...AUTHORS), fc.constantFrom(...PEOPLE)),
  n: fc.nat(11),
  m: fc.nat(11),
  agent: fc.nat(1),
  who: fc.constantFrom(WRITER, WRITER, STRANGER),
  fault: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Fault>('none') },
    { weight: 3, arbitrary: fc.constantFrom(...FAULTS) },
  ),
  mind: fc.constantFrom('good' as const, 'good' as const, 'sloppy' as const, 'evil' as const),
});

const setups: fc.Arbitrary<Setup> = fc.record({
  isFork: fc.boolean(),
  hasMemory: fc.boolean(),
  canResolve: fc.boolean(),
  maxComments: fc.constantFrom(1, 10),
  blockOn: fc.constantFrom<Severity | undefined>(undefined, 'major', 'critical'),
  failOn: fc.constantFrom<Severity | undefined>(undefined, 'minor', 'major'),
  agents: fc.constantFrom(['x'], ['x'], ['x', 'y']),
});

/** What the oracle itself remembers. */
class Memory {
  readonly resolves = new Map<string, string>();
  readonly handles = new Map<string, string>();
  readonly severities = new Map<string, Severity>();
  readonly openBefore = new Map<string, ReadonlySet<string>>();
  readonly known = new Set<string>();
  readonly overruled = new Set<string>();
  /** Findings whose file was not in the change when they ended. */
  readonly left = new Set<string>();
  /**
   * Conversations that somebody opened since the last run: to close one again is nothing that
   * GitHub tells.
   */
  readonly openedSince = new Set<string>();
}

const idsOf = (findings: readonly { readonly id: string }[]) => findings.map(({ id }) => id).sort();
const openIds = (ledger: Ledger) => idsOf(ledger.findings.filter(isOpen));
const say = ({ handle, state, by, why }: KnownFinding) => `${handle} (${state} by ${by} ${why})`;
const stands = (world: World, { path }: { readonly path: string }, key: string) =>
  (world.files.get(path) ?? []).some((line) => lineFingerprint(line) === key);

/** What is wrong after a step, by the name of the promise that it breaks. */
function wrongs(world: World, step: Step, memory: Memory): readonly string[] {
  const found: string[] = [];
  const fail = (promise: string, text: string) => found.push(`${promise}: ${text}`);
  for (const agent of world.setup.agents) {
    const ledger = world.read(agent);
    for (const one of ledger.findings) judgeFinding(one, ledger, { world, step, memory, fail });
    judgeStranger(ledger, { world, step, memory, fail });
    judgeConversations(ledger, { world, step, memory, fail });
    judgeRun(ledger, { world, step, memory, fail });
  }
  return found;
}

interface Judging {
  readonly world: World;
  readonly step: Step;
  readonly memory: Memory;
  fail(promise: string, text: string): void;
}

const isRun = ({ does }: Step) => ['run', 'finish', 'skip'].includes(does);

function judgeFinding(
  one: KnownFinding,
  ledger: Ledger,
  { world, step, memory, fail }: Judging,
): void {
  const { context } = ledger;
  const { setup } = world;
  const bug = world.truth.get(one.id);
  const isThere = world
    .standing()
    .some((spot) => spot.bug === bug && world.changed.has(spot.path) && spot.path === one.path);
  const book = world.book.get(one.id) ?? new Set();
  const byPeople = ['resolved', 'down', 'word', 'committed', 'two looks'].some((why) =>
    book.has(why),
  );
  const byOne = !ledger.isBlocking(one) && (book.has('one look') || one.why === 'suggestion');
  const isForged = world.isForged && context.record === undefined;
  const isEnded = one.state === 'settled' || one.state === 'dismissed';
  if (one.why === 'left' && !world.changed.has(one.path)) memory.left.add(one.id);
  if (one.why === 'left' && !world.files.has(one.path)) memory.left.add(one.id);
  // Only a telling line comes back without a model.
  const isBack = isDistinctiveFingerprint(one.key) && stands(world, one, one.key);
  const hasLeft = one.why === 'left' && memory.left.has(one.id) && !isBack;
  if (bug !== undefined && isThere && isEnded && !byPeople && !byOne && !isForged && !hasLeft)
    fail('an end has a reason', `${say(one)} while ${bug} stands`);
  if (one.why === 'left' && setup.isFork && ledger.isBlocking(one))
    fail('a file that left ends nothing that blocks on a fork', say(one));
  if (one.login === STRANGER) fail('a stranger decides nothing', say(one));
  const handle = memory.handles.get(one.id);
  if (handle !== undefined && handle !== one.handle)
    fail('a handle stays', `${handle} is ${one.handle}`);
  if (handle === undefined && [...memory.handles.values()].includes(one.handle))
    fail('a handle is nobody else’s', one.handle);
  memory.handles.set(one.id, one.handle);
  const severity = memory.severities.get(one.id);
  const isLost = world.isTampered && (world.isCut || !setup.hasMemory);
  if (!isLost && severity !== undefined && compareSeverity(one.severity, severity) > 0)
    fail('a word of the model makes nothing milder', `${say(one)} ${severity} → ${one.severity}`);
  memory.severities.set(one.id, one.severity);
  const key = memory.resolves.get(one.id);
  const isCut = world.isCut && !setup.hasMemory;
  // Of a file that left the change before a run noted the Resolve, nobody knows that the line was
  // there.
  const isLeft = !world.changed.has(one.path) && !isTold(one);
  if (key !== undefined && (isLeft || !stands(world, one, key))) memory.resolves.delete(one.id);
  if (!isCut && key !== undefined && isOpen(one) && stands(world, one, key))
    fail('a Resolve is respected', say(one));
  const isFresh = !memory.known.has(one.id);
  memory.known.add(one.id);
  const dismissed = ledger.findings.find(
    (other) =>
      other !== one &&
      other.state === 'dismissed' &&
      other.path === one.path &&
      other.line === one.line &&
      other.category === one.category &&
      other.key === one.key,
  );
  if (isFresh && !isCut && isRun(step) && isOpen(one) && dismissed !== undefined)
    fail('what was dismissed is not raised again', `${say(one)} after ${say(dismissed)}`);
}

function judgeStranger(ledger: Ledger, { world, step, memory, fail }: Judging): void {
  const { agent, record: state } = ledger.context;
  const open = new Set(openIds(ledger));
  const before = memory.openBefore.get(agent) ?? new Set();
  const isUnsure = world.isForged && state === undefined;
  if (!isUnsure && step.who === STRANGER && PEOPLE.includes(step.does))
    for (const id of before)
      if (!open.has(id)) fail('a stranger decides nothing', `ended ${id} by ${step.does}`);
  memory.openBefore.set(agent, open);
}

function judgeConversations(ledger: Ledger, { world, fail }: Judging): void {
  const { agent } = ledger.context;
  const { threads } = world.github;
  const isOf = (id: string) => ledger.findings.some((one) => one.id === id);
  const own = threads.filter(({ posts }) => raisedIn(posts).some(isOf));
  for (const { id, posts } of own) {
    const ids = new Set(raisedIn(posts));
    if (ids.size > 1) fail('a conversation is about one finding', `${id}: ${[...ids].join(' ')}`);
  }
  const said = own.flatMap(({ posts }) => raisedIn(posts).filter(isOf));
  if (new Set(said).size < said.length)
    fail('a finding is raised once', `${agent}: ${said.join(' ')}`);
  for (const { posts } of own) {
    const texts = posts
      .filter(({ isOurs, body }) => isOurs && !body.endsWith('forged'))
      .map(({ body }) => JSON.stringify(readOwnMark(body)));
    if (new Set(texts).size < texts.length) fail('nothing is said twice', texts.join(' | '));
  }
}

function judgeRun(ledger: Ledger, { world, step, memory, fail }: Judging): void {
  const { last, setup } = world;
  const { agent } = ledger.context;
  if (!isRun(step) || last?.agent !== agent || !last.isWhole) return;
  const open = openIds(ledger);
  const same = (name: string, ids: readonly string[]) => {
    if (ids.join() !== open.join())
      fail('every surface names the same', `${name}: ${ids.join()} for ${open.join()}`);
  };
  if (openIds(last.ledger).join() !== open.join())
    fail('the next reading says the same', `${openIds(last.ledger).join()}, then ${open.join()}`);
  const { part } = last;
  if (part?.records !== undefined) {
    const report = { head: '', base: '', pull: 1, coverage: undefined, findings: part.records };
    same('records', idsOf(part.records.filter(isOpen)));
    const { runs } = JSON.parse(
      formatSarif(report, { version: '1', agent, isSuccessful: true, clean: (text) => text }),
    );
    const results = runs[0].results.filter(
      (one: { suppressions?: unknown }) => one.suppressions === undefined,
    );
    same(
      'SARIF',
      results
        .map(
          (one: { partialFingerprints: Record<string, string> }) =>
            one.partialFingerprints['axeFindingId/v1'],
        )
        .sort(),
    );
    const { failOn } = setup;
    const gate = failOn === undefined ? [] : idsOf(blockingFindings(part.records, failOn));
    const due =
      failOn === undefined
        ? []
        : idsOf(ledger.findings.filter((one) => isOpen(one) && isBlocking(one, failOn)));
    if (gate.join() !== due.join())
      fail('every surface names the same', `fail-on: ${gate.join()} for ${due.join()}`);
  }
  if (part?.review !== undefined) same('check', idsOf(part.review.open));
  const blocks = submittedReviewsOf(ledger, agent).some(
    ({ state }) => state === 'CHANGES_REQUESTED',
  );
  const isBad =
    setup.blockOn !== undefined &&
    ledger.open.some((one) => isBlocking(one, setup.blockOn ?? 'critical'));
  if (isBad !== blocks && !(isBad && memory.overruled.has(agent)))
    fail('a verdict needs a finding', `blocks ${blocks}, has ${isBad}`);
  if (part?.review !== undefined && blocks && !part.review.isBlocking)
    fail('no green while a review blocks', agent);
}

/** What the oracle remembers of people's gestures. */
function remember(world: World, step: Step, memory: Memory): void {
  const thread = pick(world.github.threads, step.n);
  const ids = raisedIn(thread?.posts ?? []);
  if (isRun(step)) memory.openedSince.clear();
  if (['unresolve', 'reply'].includes(step.does) && thread !== undefined)
    memory.openedSince.add(thread.id);
  // A command counts after a Resolve that no run has read before it: GitHub tells no time of those.
  if (step.does === 'command')
    for (const { id } of world.github.threads) memory.openedSince.add(id);
  const isSeen = thread !== undefined && !memory.openedSince.has(thread.id);
  if (step.does === 'resolve' && step.who === WRITER && isSeen && !thread.isResolved)
    for (const agent of world.setup.agents)
      for (const one of world.read(agent).findings)
        if (ids.includes(one.id) && isOpen(one) && !one.isGone)
          memory.resolves.set(one.id, one.key);
  if (['unresolve', 'reply', 'undown', 'erase', 'edit'].includes(step.does))
    for (const id of ids) memory.resolves.delete(id);
  if (step.does === 'command') memory.resolves.clear();
  if (step.does === 'overrule') for (const agent of world.setup.agents) memory.overruled.add(agent);
}

/** Plays a history until a promise is broken; what was, empty for none. */
async function play(setup: Setup, history: readonly Step[]): Promise<readonly string[]> {
  const world = new World(setup);
  const memory = new Memory();
  for (const [at, step] of history.entries()) {
    remember(world, step, memory);
    await world.step(step);
    const broken = wrongs(world, step, memory);
    if (broken.length > 0) return [`step ${at + 1} (${step.does})`, ...broken];
  }
  return [];
}

it('keeps its promises in every history of people, models and faults', async () => {
  await fc.assert(
    fc.asyncProperty(
      setups,
      fc.array(steps, { maxLength: 30, size: 'max' }),
      async (setup, history) => {
        expect(await play(setup, history)).toEqual([]);
      },
    ),
    { numRuns: 400 },
  );
}, 120_000);

it('does not repeat itself in a conversation whose first comment was deleted', async () => {
  const setup: Setup = {
    isFork: true,
    hasMemory: true,
    canResolve: false,
    maxComments: 1,
    blockOn: undefined,
    failOn: undefined,
    agents: ['x'],
  };
  const step: Step = {
    does: 'run',
    n: 0,
    m: 0,
    agent: 0,
    who: WRITER,
    fault: 'none',
    mind: 'evil',
  };
  const history: readonly Step[] = [
    { ...step, n: 4 },
    { ...step, does: 'fix' },
    { ...step, n: 6, m: 1, mind: 'sloppy' },
    { ...step, does: 'erase' },
    { ...step, fault: 'lost' },
  ];
  expect(await play(setup, history)).toEqual([]);
});
