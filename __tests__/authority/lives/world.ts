import type { Ledger } from '../../../src/findings/decide/ledger.js';
import type { KnownFinding } from '../../../src/findings/known-finding.js';
import { statePath } from '../../../src/memory/state.js';
import { Code, PUSH_NAMES, type PushName, pick } from './code.js';
import { AUTHOR, BOT, PullRequestOnGitHub, STRANGER } from './github.js';
import type { Mind } from './minds.js';
import { GESTURES, type GestureName } from './people.js';
import {
  finishReview,
  type RunEnd,
  readNow,
  type Setup,
  type Surroundings,
  skip,
  startReview,
  type WaitingRun,
} from './runs.js';
import { type Fault, Wire } from './wire.js';
import { Wishes } from './wishes.js';

/** What an agent's runs do; `review` is `start` and `finish` at once. */
export const RUN_NAMES = ['review', 'skip', 'start', 'finish', 'loseMemory'] as const;

type RunName = (typeof RUN_NAMES)[number];

/** Something that happens; `n` and `m` choose what it happens to. */
export interface Step {
  readonly does: PushName | 'commitSuggestion' | GestureName | RunName;
  readonly n: number;
  readonly m: number;
  readonly agent: number;
  readonly who: string;
  readonly fault: Fault;
  readonly mind: Mind;
}

/** Runs at once. */
const MOST_AT_ONCE = 2;

/** A pull request whose faults are known, with its author, people, and models good and bad. */
export class World implements Surroundings {
  readonly code = new Code();
  readonly github: PullRequestOnGitHub;
  memory: ReadonlyMap<string, string> = new Map();
  readonly truth = new Map<string, string | undefined>();
  readonly wishes = new Wishes();
  /** Findings in whose conversation a person with write access wrote. */
  readonly spokenOf = new Set<string>();
  /** The findings of each agent after the last step, as its next run will read them. */
  readonly readings = new Map<string, Ledger>();
  /** Something of a run was lost. */
  isCut = false;
  isOverruled = false;
  /** Two runs of one agent were there at once. */
  hasRaced = false;
  /** Findings that a run of this step has ended, and whose new record was lost. */
  lost: ReadonlySet<string> = new Set();
  /** The run that has ended in this step. */
  ended: RunEnd | undefined;
  /** Nothing else happened from its beginning to its end. */
  isWhole = false;
  #waiting: WaitingRun[] = [];
  #finished: WaitingRun | undefined;

  constructor(readonly setup: Setup) {
    const author = setup.authorMayWrite ? AUTHOR : STRANGER;
    const lineOf = (commit: string, path: string, line: number) =>
      this.code.at(commit).get(path)?.[line - 1] ?? '';
    this.github = new PullRequestOnGitHub(author, setup.canResolve, lineOf);
    this.github.head = this.code.head;
  }

  findings(): readonly KnownFinding[] {
    return [...this.readings.values()].flatMap(({ findings }) => findings);
  }

  async step(step: Step): Promise<void> {
    this.ended = undefined;
    this.isWhole = false;
    this.#finished = undefined;
    const resolved = this.#resolvedByRuns();
    await this.#happen(step);
    const before = new Map(this.findings().map((finding) => [finding.id, finding]));
    for (const agent of this.setup.agents) this.readings.set(agent, await readNow(this, agent));
    this.#followMoved(before);
    const isLost = ({ id, thread, stored }: KnownFinding) =>
      step.fault !== 'none' &&
      !resolved.has(thread?.id) &&
      this.#resolvedByRuns().has(thread?.id) &&
      stored?.rev === before.get(id)?.stored?.rev;
    this.lost = new Set(this.findings().flatMap((each) => (isLost(each) ? [each.id] : [])));
    if (this.ended !== undefined) this.#afterRun(this.ended);
  }

  /** Conversations that a run has resolved. */
  #resolvedByRuns(): Set<string | undefined> {
    const resolved = this.github.conversations.filter(({ resolvedBy }) => resolvedBy === BOT);
    return new Set(resolved.map(({ id }) => id));
  }

  /** A model that names an earlier finding elsewhere makes it one about what is there. */
  #followMoved(before: ReadonlyMap<string, KnownFinding>): void {
    for (const { id, path, key, state } of this.findings()) {
      const named = this.#finished?.named.get(id);
      const known = before.get(id);
      const isThere = state === 'open' && named?.path === path && named.key === key;
      const wasThere = known?.path === path && known.key === key;
      if (isThere && !wasThere) this.truth.set(id, named.fault);
    }
  }

  async #happen(step: Step): Promise<void> {
    const { does, n, m, mind } = step;
    const agent = pick(this.setup.agents, step.agent) ?? '';
    const wire = new Wire(step.fault, m % 7);
    switch (does) {
      case 'review': {
        if (this.#waiting.length >= MOST_AT_ONCE) return;
        this.isWhole = true;
        const run = await this.#start({ agent, mind, n, m }, wire);
        if (run !== undefined) await this.#finish(run, wire);
        return;
      }
      case 'start': {
        if (this.#waiting.length >= MOST_AT_ONCE) return;
        const run = await this.#start({ agent, mind, n, m }, new Wire());
        if (run !== undefined) this.#waiting.push(run);
        return;
      }
      case 'finish': {
        const run = this.#waiting.shift();
        if (run !== undefined) await this.#finish(run, wire);
        return;
      }
      case 'skip':
        this.isWhole = true;
        return this.#end(await skip(this, agent, wire), wire);
      case 'loseMemory':
        return this.#loseMemory(agent);
      case 'commitSuggestion':
        return this.#commitSuggestion(step);
      default:
        if (isPush(does)) this.#push(does, n, m);
        else GESTURES[does](this, step);
    }
  }

  async #start(
    parts: Parameters<typeof startReview>[1],
    wire: Wire,
  ): Promise<WaitingRun | undefined> {
    if (this.#waiting.length > 0) this.hasRaced = true;
    const run = await startReview(this, parts, wire);
    if ('conversed' in run) return run;
    this.#end(run, wire);
    return undefined;
  }

  async #finish(run: WaitingRun, wire: Wire): Promise<void> {
    this.#finished = run;
    this.#end(await finishReview(this, run, wire), wire);
    // Of a commit that is no longer the newest.
    this.#follow();
  }

  #end(end: RunEnd | undefined, { fault }: Wire): void {
    if (fault !== 'none') this.isCut = true;
    this.isWhole &&= fault === 'none' && end?.kind !== 'unread';
    this.ended = end;
  }

  /** What it has read, and kept, is no news any more. */
  #afterRun({ agent, kind, fault }: RunEnd): void {
    if (kind === 'unread' || fault !== 'none') return;
    for (const { id, stored } of this.readings.get(agent)?.findings ?? [])
      if (stored !== undefined) this.wishes.read(id);
  }

  #push(name: PushName, n: number, m: number): void {
    this.code.push(name, n, m);
    this.#follow();
  }

  #commitSuggestion({ n, m }: Step): void {
    const offering = this.findings().filter(({ suggestion }) => suggestion !== undefined);
    const { path, line, code = '', suggestion } = pick(offering, n) ?? {};
    if (path === undefined || line === undefined || suggestion === undefined) return;
    this.code.commitSuggestion({ path, line, code }, m % 4 !== 0, suggestion);
    this.#follow();
  }

  /** GitHub moves a conversation with its line, as long as that is in the diff. */
  #follow(): void {
    const { github, code } = this;
    github.head = code.head;
    for (const conversation of github.conversations) {
      const { path, line = 0 } = conversation;
      const lines = code.files.get(path) ?? [];
      const found = lines.flatMap(({ text }, index) =>
        text === conversation.code ? [index + 1] : [],
      );
      [conversation.line] = found.toSorted((a, b) => Math.abs(a - line) - Math.abs(b - line));
    }
  }

  /** The branch with the memory is gone: an agent has what its newest review says. */
  #loseMemory(agent: string): void {
    if (this.#waiting.length > 0) return;
    const memory = new Map(this.memory);
    memory.delete(statePath(`${agent}.md`));
    this.memory = memory;
    for (const { id } of this.readings.get(agent)?.findings ?? []) this.wishes.lose(id);
  }
}

function isPush(name: string): name is PushName {
  return (PUSH_NAMES as readonly string[]).includes(name);
}
