import type { PullRequestTrigger } from '../../../src/event/trigger.js';
import { type Facts, Reading } from '../../../src/event/trust.js';
import {
  DEFAULT_PUBLISH_RULES,
  type PublishRules,
} from '../../../src/findings/buffered-publications.js';
import { lineFingerprint } from '../../../src/findings/change/diff-lines.js';
import { planScope, type ReviewScope } from '../../../src/findings/change/scope.js';
import type { Ledger } from '../../../src/findings/decide/ledger.js';
import type { Severity } from '../../../src/findings/finding.js';
import { createCheckProgress } from '../../../src/findings/post/check-progress.js';
import { strangersInTitles } from '../../../src/findings/post/finding-texts.js';
import type { ReviewResult } from '../../../src/findings/post/record.js';
import { parseReviewFacts, type ReviewFact } from '../../../src/findings/state-facts.js';
import { parseDiff } from '../../../src/lib/text/diff.js';
import { spendBefore } from '../../../src/loop/budget.js';
import { applyChanges } from '../../../src/memory/change.js';
import { statePath } from '../../../src/memory/state.js';
import type { MemoryStore } from '../../../src/memory/store.js';
import { DEFAULT_DIFF_POLICY } from '../../../src/prompt/diff-policy.js';
import { createActionPublisher } from '../../../src/publish/publisher.js';
import type { Dependencies } from '../../../src/run/dependencies.js';
import { readFindings } from '../../../src/run/earlier-reviews.js';
import { createGitHubPort } from '../../../src/run/github.js';
import {
  openPublications,
  publish,
  refuseWithoutFindings,
  reportSkipped,
} from '../../../src/run/publish.js';
import type { Conversed, Memory, OpenRun, Plan } from '../../../src/run/records.js';
import { save } from '../../../src/run/save.js';
import { publishedLine } from '../../../src/run/views/published.js';
import { createFakeDependencies, makeRequest } from '../../helpers/dependencies-fake.js';
import { completed, formatSummary } from '../../helpers/reports.js';
import { pullRequest } from '../../helpers/triggers.js';
import { prepare } from '../../run/prepare.js';
import type { Code, Spot } from './code.js';
import { AUTHOR, PULL, type PullRequestOnGitHub, STRANGER, WRITER } from './github.js';
import { agreesToEnd, type Mind, review, type Truth } from './minds.js';
import { type Fault, Killed, Wire } from './wire.js';

/** What a life begins with. */
export interface Setup {
  /** The word with which a run begins. */
  readonly word: 'own' | 'mixed' | 'guest' | 'fork';
  readonly hasState: boolean;
  readonly canResolve: boolean;
  readonly authorMayWrite: boolean;
  readonly maxComments: number;
  readonly blockOn: Severity | undefined;
  readonly failOn: Severity | undefined;
  readonly agents: readonly string[];
}

/** Everything outside of a run. */
export interface Surroundings {
  readonly setup: Setup;
  readonly github: PullRequestOnGitHub;
  readonly code: Code;
  /** Files of the memory, by their path. */
  memory: ReadonlyMap<string, string>;
  readonly truth: Truth;
}

/** A run whose model has spoken, and which has not ended. */
export interface WaitingRun {
  readonly agent: string;
  readonly mind: Mind;
  readonly conversed: Conversed;
  /** The commit that it reviews, and what was wrong with it. */
  readonly head: string;
  readonly standing: readonly Spot[];
  /** What it says of findings that it names, by their id. */
  readonly named: ReadonlyMap<string, NamedSpot>;
}

/** Where a model says that an earlier finding is, and about which fault. */
export interface NamedSpot {
  readonly fault: string | undefined;
  readonly path: string;
  /** See `lineFingerprint`. */
  readonly key: string;
}

/** The end of a run, as other programs learn of it. */
export interface RunEnd {
  readonly agent: string;
  readonly head: string;
  readonly kind: 'review' | 'skip' | 'unread';
  readonly mind: Mind | undefined;
  readonly fault: Fault;
  readonly result: ReviewResult | undefined;
  /** What people read of a review, each by the name of its surface; left out: it had none. */
  readonly surfaces?: Readonly<Record<string, string>>;
  readonly standing: readonly Spot[];
}

const AGENT = (name: string) =>
  `name = "${name}"\nmodel = "openai/m"\nsystem_prompt = "You review."\ntools = ["add_review_comment"]\n[memory]\nenabled = true\n`;

const prepared = new Map<string, Promise<Plan>>();

/** The plan of an agent's runs, as far as it is the same in all. */
async function planOf(agent: string): Promise<Plan> {
  const known = prepared.get(agent);
  if (known !== undefined) return await known;
  const planning = prepare(
    makeRequest({ agent }),
    createFakeDependencies({ agents: { [agent]: AGENT(agent) } }),
  ).then((ready) => {
    if (ready.kind === 'skipped') throw new Error(ready.decision.message);
    return ready.plan;
  });
  prepared.set(agent, planning);
  return await planning;
}

function rulesOf({ maxComments, blockOn, failOn }: Setup): PublishRules {
  return { ...DEFAULT_PUBLISH_RULES, maxComments, blockOn, failOn };
}

function triggerOf({ setup, code }: Surroundings): PullRequestTrigger {
  const isFork = setup.word === 'fork';
  const actor = { login: setup.word === 'guest' || isFork ? STRANGER : WRITER, isBot: false };
  const author = { login: setup.authorMayWrite ? AUTHOR : STRANGER, isBot: false };
  return pullRequest({
    number: PULL,
    action: 'synchronize',
    actor,
    author,
    isFork,
    head: { sha: code.head, ref: 'keys', repository: isFork ? 'eve/hello' : 'octocat/hello' },
    base: { sha: 'base', ref: 'main' },
  });
}

function factsOf({ word }: Setup): Facts {
  return {
    asker: word === 'guest' ? 'other' : 'writer',
    code: word === 'fork' ? 'fork' : 'ours',
    strangers: word === 'mixed' ? ['eve commented'] : [],
  };
}

/** The product's own ways out, over this GitHub and memory. */
function dependenciesOf(world: Surroundings, wire: Wire): Dependencies {
  const { github, setup } = world;
  const client = github.client(wire);
  const port = createGitHubPort(client, triggerOf(world));
  if (port === undefined) throw new Error('a pull request is on GitHub');
  const unread = { kind: 'unread', message: 'GitHub gave no answer.' } as const;
  const isUnreadable = ({ isFresh }: { readonly isFresh: boolean }) =>
    wire.fault === 'unreadable' || (wire.fault === 'unread-again' && isFresh);
  const progress = createCheckProgress({
    client,
    runUrl: '',
    clean: (text) => text,
    log: () => undefined,
    keep: async () => undefined,
  });
  const reporter = { event: () => undefined, warn: () => undefined };
  const rules = rulesOf(setup);
  const { code } = world;
  return {
    ...BASE,
    reporter,
    progress,
    publishRules: rules,
    github: {
      ...port,
      said: async (pull, how, signal) =>
        isUnreadable(how) ? unread : await port.said(pull, how, signal),
      filesAt: async (commit, paths) =>
        new Map(paths.map((path) => [path, code.at(commit).get(path)?.join('\n') ?? null])),
      change: async () => {
        const change = { head: code.head, base: 'base', diff: code.diff(), hasAllFiles: true };
        return { kind: 'read', isFork: setup.word === 'fork', ...change };
      },
    },
    openMemory: () => storeOf(world, wire),
    publisher: createActionPublisher({
      client,
      progress,
      comment: 'auto',
      rules,
      reporter,
      secrets: [],
      reportTo: '',
      checkRun: true,
      runUrl: '',
      docsUrl: '',
      offersCommands: true,
      workflow: 'review.yml',
      run: '7/1/review',
      now: () => github.now(),
    }),
    clock: { ...BASE.clock, now: () => github.now() },
  };
}

const { steps: _steps, journal: _journal, ...BASE } = createFakeDependencies();

function storeOf(world: Surroundings, wire: Wire): MemoryStore {
  const location = 'memory';
  return {
    kind: 'branch',
    read: async () => ({ kind: 'empty', location, warnings: [] }),
    readTree: async () => ({ kind: 'tree', tree: world.memory, warnings: [], location }),
    async write(changes) {
      wire.live();
      if (wire.fault === 'unsaved')
        return { kind: 'failed', reason: 'unavailable', message: 'no answer' };
      world.memory = applyChanges(world.memory, changes);
      return { kind: 'saved', location, attempts: 1 };
    },
  };
}

const parsed = new Map<string, { readonly text: string; readonly facts: readonly ReviewFact[] }>();

function stateOf({ memory }: Surroundings, agent: string): readonly ReviewFact[] {
  const text = memory.get(statePath(`${agent}.md`)) ?? '';
  const known = parsed.get(agent);
  if (known?.text === text) return known.facts;
  const facts = parseReviewFacts(text);
  parsed.set(agent, { text, facts });
  return facts;
}

/** The state knows the pull request. */
export function hasRecord(world: Surroundings, agent: string): boolean {
  return stateOf(world, agent).some((fact) => fact.pull === PULL);
}

/** What a run takes to read findings. */
function readingParts(world: Surroundings, agent: string, reading: Reading) {
  const { setup, code } = world;
  return {
    agent,
    trigger: triggerOf(world),
    permission: setup.word === 'guest' || setup.word === 'fork' ? 'read' : 'write',
    facts: stateOf(world, agent),
    keepsState: setup.hasState,
    rights: reading.rights,
    change: { head: code.head, diff: code.diff(), hasAllFiles: true },
    isFork: setup.word === 'fork',
  } as const;
}

/** The findings as the next run will read them. */
export async function readNow(world: Surroundings, agent: string): Promise<Ledger> {
  const deps = dependenciesOf(world, new Wire());
  const parts = readingParts(world, agent, new Reading(factsOf(world.setup)));
  return (await readFindings(PULL, parts, deps)).ledger;
}

/** What a run has before its model is asked. */
async function begin(world: Surroundings, agent: string, deps: Dependencies): Promise<OpenRun> {
  const { setup } = world;
  const common = await planOf(agent);
  const reading = new Reading(factsOf(setup));
  const parts = readingParts(world, agent, reading);
  const { ledger, trouble } = await readFindings(PULL, parts, deps);
  for (const text of strangersInTitles(ledger.findings)) reading.add(text);

  const plan: Plan = {
    ...common,
    trigger: parts.trigger,
    reading,
    memory: setup.hasState ? common.memory : undefined,
    scope: scopeOf(world, parts.facts),
  };
  const memory: Memory | undefined = setup.hasState
    ? {
        store: storeOf(world, new Wire()),
        restored: { kind: 'empty', location: 'memory', warnings: [] },
        text: '',
        facts: parts.facts,
      }
    : undefined;
  const change = { base: 'base', into: 'main', ...parts.change };
  return {
    plan,
    change,
    memory,
    learned: { ledger, others: [], trouble },
    hidden: [],
  };
}

function scopeOf({ code }: Surroundings, facts: readonly ReviewFact[]): ReviewScope {
  const { head } = code;
  const files = filesOf(code.diff());
  const of = { head, filesTotal: files.length };
  const planned = planScope({ facts, pull: PULL, head, into: 'main', isFullRequested: false });
  if (planned.kind === 'full') return { ...planned, ...of };
  const diff = code.diffSince(planned.before.last);
  if (diff === undefined) return { kind: 'full', why: 'rewritten', before: planned.before, ...of };
  const change = { diff, files: filesOf(diff), filesTotal: filesOf(diff).length };
  return { kind: 'since', before: planned.before, change, ...of };
}

function filesOf(diff: string) {
  return parseDiff(diff).map(({ path }) => ({
    path,
    status: 'modified',
    additions: 1,
    deletions: 1,
  }));
}

/** A review begins, and its model speaks; the end of a run that could not read what is open. */
export async function startReview(
  world: Surroundings,
  {
    agent,
    mind,
    n,
    m,
  }: { readonly agent: string; readonly mind: Mind; readonly n: number; readonly m: number },
  wire: Wire,
): Promise<WaitingRun | RunEnd> {
  const { code, truth, setup } = world;
  const deps = dependenciesOf(world, wire);
  const restored = await begin(world, agent, deps);
  const { head } = code;
  const refused = await refuseWithoutFindings(restored, deps);
  if (refused?.kind === 'skipped') {
    const end = { agent, head, mind: undefined, fault: wire.fault, standing: [] };
    return { ...end, kind: 'unread', result: refused.reviewResult };
  }

  const { ledger } = restored.learned;
  const run = `run ${world.github.newId()}`;
  const rules = rulesOf(setup);
  const buffer = openPublications(restored, { policy: DEFAULT_DIFF_POLICY, run, rules });
  if (buffer === undefined || ledger === undefined) throw new Error('there is nothing to review');
  const thought = { mind, n, m, code, truth };
  review(buffer, ledger, thought);
  const isFork = setup.word === 'fork';
  const settlements = buffer.buffered.settlements.map((settlement) => ({
    ...settlement,
    isAgreed: agreesToEnd(settlement, thought, isFork),
  }));
  const files = restored.plan.scope?.filesTotal ?? 0;
  const { trigger } = restored.plan;
  const limits = { perPullUsd: 0, perDayUsd: 0 };
  const conversed: Conversed = {
    ...restored,
    outcome: completed(''),
    read: { coverage: { kind: 'whole', files, read: files, unread: [] }, unseen: [] },
    buffered: { ...buffer.buffered, settlements },
    spend: spendBefore([], { trigger, limits, now: new Date(0) }),
    usage: [],
    lost: [],
    artifacts: undefined,
  };
  const named = new Map(
    conversed.buffered.repeated.map(({ of, finding }): [string, NamedSpot] => {
      const { path, line, code: text = '' } = finding;
      const spots = code.standing().filter((spot) => spot.path === path && spot.line === line);
      // A line can have two faults.
      const spot = spots.find(({ fault }) => fault === truth.get(of.id)) ?? spots[0];
      return [of.id, { fault: spot?.fault, path, key: lineFingerprint(text) }];
    }),
  );
  return { agent, mind, conversed, head, standing: code.standing(), named };
}

/** A run ends; undefined if its job was killed. */
export async function finishReview(
  world: Surroundings,
  { agent, mind, conversed, head, standing }: WaitingRun,
  wire: Wire,
): Promise<RunEnd | undefined> {
  const deps = dependenciesOf(world, wire);
  const memory = conversed.memory && { ...conversed.memory, store: storeOf(world, wire) };
  const ending = { ...conversed, memory };
  return await unlessKilled(async () => {
    const before = world.github.reviews.length;
    const { published, ...end } = await publish(ending, deps);
    const remembered = await save(ending, { published, ...end }, deps);
    const result = published.reviewResult;
    const report = { ...ending, kind: 'ran', published, remembered } as const;
    const surfaces = {
      summary: formatSummary(report).split('\n', 1)[0] ?? '',
      log: publishedLine(published),
      memory: remembered?.entries[0]?.text ?? '',
      review: world.github.reviews.slice(before).at(-1)?.body ?? '',
    };
    return { agent, head, kind: 'review', mind, fault: wire.fault, result, surfaces, standing };
  });
}

/** An event whose run is skipped, or a command: no model is asked. */
export async function skip(
  world: Surroundings,
  agent: string,
  wire: Wire,
): Promise<RunEnd | undefined> {
  const deps = dependenciesOf(world, wire);
  const { plan, memory } = await begin(world, agent, dependenciesOf(world, new Wire()));
  const stored = memory && { ...memory, store: storeOf(world, wire) };
  const { trigger } = plan;
  const { head } = world.code;
  return await unlessKilled(async () => {
    const { reviewResult: result } = await reportSkipped(
      {
        kind: 'skipped',
        decision: { kind: 'skip', reason: 'nothing-new', message: 'Nothing is new' },
        admitted: {
          kind: 'admitted',
          facts: { event: { trigger, policy: makeRequest().admissionPolicy }, permission: 'write' },
          basis: { ...plan, reading: new Reading(factsOf(world.setup)) },
          reads: {
            memory: Promise.resolve(stored),
            context: Promise.resolve(undefined),
            guidance: Promise.resolve({ files: [], paths: [], warnings: [], checks: [] }),
          },
        },
      },
      makeRequest({ trigger }),
      deps,
    );
    const standing = world.code.standing();
    return { agent, head, kind: 'skip', mind: undefined, fault: wire.fault, result, standing };
  });
}

async function unlessKilled(run: () => Promise<RunEnd>): Promise<RunEnd | undefined> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof Killed) return undefined;
    throw thrown;
  }
}
