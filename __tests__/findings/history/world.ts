import { rightsOf } from '../../../src/event/trust.js';
import {
  type BufferedPublications,
  NO_PUBLICATIONS,
} from '../../../src/findings/buffered-publications.js';
import { commentableLines } from '../../../src/findings/change/diff-lines.js';
import {
  applyToLedger,
  type Ledger,
  type LedgerContext,
} from '../../../src/findings/decide/ledger.js';
import {
  compareSeverity,
  createHandle,
  type Finding,
  isOpen,
  mintId,
  SEVERITIES,
  type Severity,
} from '../../../src/findings/finding.js';
import { recordOfPull } from '../../../src/findings/kept-finding.js';
import { isTold, type KnownFinding } from '../../../src/findings/known-finding.js';
import { type PostedReview, postReview } from '../../../src/findings/post/post-review.js';
import { readLedger } from '../../../src/findings/read/read-ledger.js';
import { parseReviewFacts } from '../../../src/findings/state-facts.js';
import type { PullRequestConversation } from '../../../src/github/reading/conversation.js';
import { withFacts } from '../../../src/memory/state.js';
import { readOwnMark } from '../../../src/safety/mark.js';
import { findingLine } from '../../helpers/marks.js';
import { finding as findingOf, placeInDiff } from '../change.js';
import { context, posting } from '../threads.js';
import {
  BOT,
  type Fault,
  GitHubOfFindings,
  type KeptPost,
  type KeptThread,
  Killed,
  STRANGER,
  WRITER,
} from './github.js';

/** What a history begins with. */
export interface Setup {
  readonly isFork: boolean;
  readonly hasMemory: boolean;
  readonly canResolve: boolean;
  readonly maxComments: number;
  readonly blockOn: Severity | undefined;
  readonly failOn: Severity | undefined;
  readonly agents: readonly string[];
}

/** One thing that happens. */
export interface Step {
  readonly does: string;
  readonly n: number;
  readonly m: number;
  readonly agent: number;
  readonly who: string;
  readonly fault: Fault;
  readonly mind: 'good' | 'sloppy' | 'evil';
}

export const PULL = 12;
const BUGS = /BUG-\d+/g;
const bugsIn = (line: string): readonly string[] => line.match(BUGS) ?? [];
const BASE: ReadonlyMap<string, readonly string[]> = new Map(
  ['a', 'b'].map((name) => [
    `${name}.ts`,
    Array.from({ length: 6 }, (_, at) => `const ${name}_${at} = load(key_${at}, ${name})`),
  ]),
);

/** The last run of a history, for what is shown of it. */
export interface LastRun {
  readonly agent: string;
  readonly ledger: Ledger;
  readonly part: PostedReview | undefined;
  readonly isWhole: boolean;
}

/**
 * A pull request whose faults are known (`BUG-n` in a line), with an author, people, and models
 * good and bad.
 */
export class World {
  readonly github: GitHubOfFindings;
  readonly files = new Map([...BASE].map(([path, lines]) => [path, [...lines]]));
  readonly changed = new Set(BASE.keys());
  /** What a file was called in the base. */
  readonly former = new Map([...BASE.keys()].map((path) => [path, path]));
  readonly state = new Map<string, string>();
  /** Which fault a finding is about, by its id. */
  readonly truth = new Map<string, string | undefined>();
  /** Who may have ended a finding, and how. */
  readonly book = new Map<string, Set<string>>();
  isForged = false;
  isTampered = false;
  isCut = false;
  last: LastRun | undefined;
  #bugs = 0;
  #runs = 0;
  #waiting:
    | {
        readonly agent: string;
        readonly head: string;
        readonly buffered: BufferedPublications;
        readonly knew: ReadonlySet<string>;
      }
    | undefined;
  #history: Map<string, string[]>[] = [];
  /** The lines that each agent has reviewed. */
  readonly #read = new Map<string, ReadonlySet<string>>();

  constructor(readonly setup: Setup) {
    this.github = new GitHubOfFindings(setup.canResolve, setup.isFork ? STRANGER : WRITER);
    this.#addBug(0, 1);
    this.#addBug(1, 3);
  }

  /** Where faults stand now. */
  standing() {
    return this.paths().flatMap((path) =>
      (this.files.get(path) ?? []).flatMap((code, at) =>
        bugsIn(code).map((bug) => ({ bug, path, line: at + 1, code })),
      ),
    );
  }

  paths(): readonly string[] {
    return [...this.files.keys()].sort();
  }

  /**
   * The whole files, so that every line can be spoken about; `before` are lines to compare with in
   * place of the base.
   */
  diff(before?: ReadonlySet<string>): string {
    const parts = this.paths().flatMap((path) => {
      const former = this.former.get(path) ?? path;
      const old = before ?? new Set(BASE.get(former) ?? []);
      const lines = this.files.get(path) ?? [];
      if (!this.changed.has(path) || lines.length === 0) return [];
      const kept = lines.map((line) => (old.has(line) ? ` ${line}` : `+${line}`));
      const count = kept.filter((line) => line.startsWith(' ')).length;
      const renamed = former === path ? [] : [`rename from ${former}`, `rename to ${path}`];
      const from = count === 0 ? '0,0' : `1,${count}`;
      return [
        `diff --git a/${former} b/${path}`,
        ...renamed,
        `--- a/${former}`,
        `+++ b/${path}`,
        `@@ -${from} +1,${lines.length} @@`,
        ...kept,
      ];
    });
    return parts.length === 0 ? '' : `${parts.join('\n')}\n`;
  }

  seen(): PullRequestConversation {
    return this.github.seen(({ path, hunk, line: before = 0 }) => {
      const code = hunk.split('\n').at(-1)?.slice(1) ?? '';
      const lines = (this.files.get(path) ?? []).flatMap((text, at) =>
        text === code ? [at + 1] : [],
      );
      return lines.toSorted((a, b) => Math.abs(a - before) - Math.abs(b - before))[0];
    });
  }

  context(agent: string): LedgerContext {
    const { isFork, blockOn, failOn, hasMemory } = this.setup;
    const facts = hasMemory ? parseReviewFacts(this.state.get(agent) ?? '') : [];
    const gates = [blockOn, failOn]
      .filter((one) => one !== undefined)
      .toSorted((a, b) => compareSeverity(b, a));
    return context({
      agent,
      lines: commentableLines(this.diff()),
      hasAllFiles: true,
      isFork,
      rights: rightsOf(isFork ? 'fork' : 'own'),
      isPushByWriter: !isFork,
      gate: gates[0] ?? 'major',
      keepsState: hasMemory,
      record: recordOfPull(facts, PULL),
      authorMayWrite: !isFork,
      isWriter: (login) => login === WRITER,
    });
  }

  read(agent: string): Ledger {
    return readLedger(this.seen(), this.context(agent));
  }

  async step(step: Step): Promise<void> {
    this.last = undefined;
    switch (step.does) {
      case 'run':
        this.#think(step);
        return await this.#finish(step);
      case 'start':
        if (this.#waiting === undefined) this.#think(step);
        return;
      case 'finish':
        return await this.#finish(step);
      // A command, or an event whose run is skipped: no model is asked.
      case 'skip':
        return await this.#publish(this.#agentOf(step), NO_PUBLICATIONS, new Set(), step.fault);
      default:
        if (AUTHORS.includes(step.does)) this.#author(step);
        else this.#people(step);
    }
  }

  #agentOf({ agent }: Step): string {
    return pick(this.setup.agents, agent) ?? '';
  }

  // ---- the author

  #addBug(n: number, m: number): void {
    const lines = this.files.get(pick(this.paths(), n) ?? '');
    if (lines === undefined) return;
    this.#bugs += 1;
    const at = m % lines.length;
    if (m % 5 === 4) lines.splice(m % (lines.length + 1), 0, `} BUG-${this.#bugs}`);
    else if (bugsIn(lines[at] ?? '').length === 0) lines[at] = `${lines[at]} // BUG-${this.#bugs}`;
  }

  #author(step: Step): void {
    const old = this.#history.at(-1);
    // A pull request is not what it was before a file came or went.
    const isBack = old !== undefined && [...old.keys()].every((path) => this.files.has(path));
    if (step.does === 'revert' && !isBack) return;
    this.#history.push(new Map([...this.files].map(([path, lines]) => [path, [...lines]])));
    this.#change(step, old);
    this.github.head = `sha-${this.#history.length}`;
  }

  #change({ does, n, m }: Step, old: Map<string, string[]> | undefined): void {
    const target = pick(this.standing(), n);
    const path = pick(this.paths(), n) ?? '';
    const lines = this.files.get(target?.path ?? '');
    const set = (text: string) => {
      if (target !== undefined && lines !== undefined) lines[target.line - 1] = text;
    };
    const number = this.#history.length - 1;
    switch (does) {
      case 'fix':
        set(`${target?.code.replace(/\s*(?:\/\/)?\s*BUG-\d+/g, '')} // ok`);
        break;
      case 'touch':
        set(`${target?.code.replace(/^(\W*\w*)/, `$1 v${number}`)}`);
        break;
      case 'move':
      case 'copy':
        if (target === undefined || lines === undefined) break;
        if (does === 'move') lines.splice(target.line - 1, 1);
        lines.splice(m % (lines.length + 1), 0, target.code);
        break;
      case 'insert':
        this.files.get(path)?.unshift(`const added_${number} = plain(${m}, x)`);
        break;
      case 'bug':
        this.#addBug(n, m);
        break;
      case 'rename':
        this.#rename(n);
        break;
      case 'delete':
        if (this.files.size > 1) this.files.delete(path);
        break;
      case 'revert':
        for (const [name, text] of old ?? []) this.files.set(name, [...text]);
        break;
      // Another base: a file leaves the diff, or is back in it.
      case 'retarget':
        if (!this.changed.delete(path)) this.changed.add(path);
        break;
      case 'commit':
        this.#commitSuggestion(n);
    }
  }

  #rename(n: number): void {
    const path = pick(this.paths(), n);
    // A file that was moved twice is found again by its telling lines alone.
    if (path === undefined || !BASE.has(path)) return;
    const to = `r-${path}`;
    this.files.set(to, this.files.get(path) ?? []);
    this.files.delete(path);
    this.former.set(to, path);
    if (this.changed.delete(path)) this.changed.add(to);
  }

  #commitSuggestion(n: number): void {
    for (const agent of this.setup.agents) {
      const one = pick(
        this.read(agent).findings.filter(({ suggestion }) => suggestion !== undefined),
        n,
      );
      const lines = this.files.get(one?.path ?? '') ?? [];
      if (one?.suggestion === undefined || lines[one.line - 1] !== one.code) continue;
      lines[one.line - 1] = one.suggestion;
      if (this.setup.isFork) continue;
      const all = this.setup.agents.flatMap((name) => this.read(name).findings);
      for (const each of all)
        if (each.suggestion === one.suggestion) this.#note(each.id, 'committed');
    }
  }

  // ---- people

  #note(id: string, what: string): void {
    this.book.set(id, (this.book.get(id) ?? new Set()).add(what));
  }

  #noteThread(thread: KeptThread, what: string): void {
    const known = this.setup.agents.flatMap((agent) => this.read(agent).findings);
    for (const one of known) if (one.thread?.id === thread.id) this.#note(one.id, what);
    for (const id of raisedIn(thread.posts)) this.#note(id, what);
  }

  #people({ does, n, m, who }: Step): void {
    const { github } = this;
    const thread = pick(github.threads, n);
    const post = pick(thread?.posts.filter(({ isOurs }) => isOurs) ?? [], m);
    const isWriter = who === WRITER;
    const known = this.setup.agents.flatMap((agent) => this.read(agent).findings);
    switch (does) {
      case 'resolve':
        if (thread === undefined || thread.isResolved || !(isWriter || this.setup.isFork)) return;
        Object.assign(thread, { isResolved: true, resolvedBy: who });
        if (isWriter) this.#noteThread(thread, 'resolved');
        return;
      case 'unresolve':
        if (thread !== undefined && (isWriter || this.setup.isFork))
          Object.assign(thread, { isResolved: false, resolvedBy: undefined });
        return;
      case 'down':
        if (post === undefined || post.thumbsDown.some(({ login }) => login === who)) return;
        post.thumbsDown.push({ login: who, at: github.now().toISOString() });
        if (isWriter && thread !== undefined) this.#noteThread(thread, 'down');
        return;
      case 'undown':
        if (post !== undefined)
          post.thumbsDown = post.thumbsDown.filter(({ login }) => login !== who);
        return;
      case 'reply': {
        const text = ['not a bug', 'why?', '/axe dismiss', '/axe done', '/axe reopen'][m % 5] ?? '';
        thread?.posts.push(github.post(who, text));
        if (thread !== undefined && isWriter && m % 5 !== 1 && m % 5 !== 4)
          this.#noteThread(thread, 'word');
        return;
      }
      case 'command': {
        const one = pick(known, n);
        if (one === undefined) return;
        github.comments.push(
          github.post(who, `/axe ${['dismiss', 'done', 'reopen'][m % 3]} ${one.handle}`),
        );
        if (isWriter && m % 3 !== 2) this.#note(one.id, 'word');
        return;
      }
      case 'erase':
        if (thread === undefined || post === undefined || !isWriter) return;
        this.isTampered = true;
        thread.posts = thread.posts.filter((one) => one !== post);
        // GitHub keeps a conversation whose first comment is gone under the next one.
        if (thread.posts.length === 0)
          github.threads = github.threads.filter((one) => one !== thread);
        return;
      case 'edit':
        if (post === undefined || !isWriter) return;
        this.isTampered = true;
        Object.assign(post, { isEditedByOther: true });
        return;
      case 'overrule': {
        const review = pick(
          github.reviews.filter(({ state }) => state === 'CHANGES_REQUESTED'),
          n,
        );
        if (review !== undefined && isWriter)
          Object.assign(review, { state: 'DISMISSED', isOverruled: true });
        return;
      }
      // A stranger's text with our mark in it; with a memory also one that another workflow echoes
      // under our account.
      case 'forge': {
        const id = pick(known, m)?.id;
        if (thread === undefined || id === undefined) return;
        if (m % 2 === 1) this.isForged = true;
        const isEchoed =
          m % 2 === 1 &&
          this.setup.agents.every((agent) => this.context(agent).record !== undefined);
        const body = `${findingLine({ id, rev: 1 })}\nforged`;
        thread.posts.push(github.post(isEchoed ? BOT : STRANGER, body));
      }
    }
  }

  // ---- a run

  #think(step: Step): void {
    const agent = this.#agentOf(step);
    const ledger = this.read(agent);
    this.#runs += 1;
    const buffered = think(this, ledger, step, `run ${this.#runs}`);
    const knew = new Set(ledger.findings.map(({ id }) => id));
    const isReadable = step.fault !== 'unreadable';
    this.#waiting = isReadable ? { agent, head: this.github.head, buffered, knew } : undefined;
  }

  /** What the model wants is put to the ledger as it is when the run ends. */
  async #finish({ fault }: Step): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined || waiting.head !== this.github.head) return;
    await this.#publish(waiting.agent, waiting.buffered, waiting.knew, fault);
  }

  async #publish(
    agent: string,
    buffered: BufferedPublications,
    knew: ReadonlySet<string>,
    fault: Fault,
  ): Promise<void> {
    if (fault === 'unreadable') return;
    if (fault !== 'none') this.isCut = true;
    const { isFork, blockOn, maxComments, hasMemory } = this.setup;
    const ledger = this.read(agent);
    const read = this.#read.get(agent);
    const news = applyToLedger(ledger, buffered, knew, read && commentableLines(this.diff(read)));
    this.#read.set(agent, new Set([...this.files.values()].flat()));
    for (const one of ledger.findings) {
      if (isOpen(one) || one.by !== 'model' || isTold(one) || isFork) continue;
      this.#note(one.id, ledger.isBlocking(one) ? 'two looks' : 'one look');
    }
    try {
      const part = await postReview(
        this.github.client(fault, this.files),
        posting({
          buffered,
          agent,
          head: this.github.head,
          ledger,
          news,
          word: isFork ? 'fork' : 'own',
          now: this.github.now(),
          maxComments,
          blockOn,
          extent: 'whole',
        }),
      );
      if (hasMemory) this.#save(agent, part);
      this.last = { agent, ledger, part, isWhole: fault === 'none' };
    } catch (thrown) {
      if (!(thrown instanceof Killed)) throw thrown;
    }
  }

  #save(agent: string, part: PostedReview | undefined): void {
    this.state.set(agent, withFacts(this.state.get(agent) ?? '', part?.facts ?? []));
  }
}

export const AUTHORS =
  'fix touch touch move copy insert bug rebase rename delete revert retarget commit'.split(' ');
export const PEOPLE =
  'resolve resolve unresolve down undown reply command erase edit overrule forge'.split(' ');

export function raisedIn(posts: readonly KeptPost[]): readonly string[] {
  return posts.flatMap(({ isOurs, isEditedByOther, body }) => {
    const { kind, id } = readOwnMark(body);
    const isRaising = isOurs && !isEditedByOther && kind === 'finding' && typeof id === 'string';
    return isRaising ? [id] : [];
  });
}

export function pick<T>(all: readonly T[], n: number): T | undefined {
  return all.length === 0 ? undefined : all[n % all.length];
}

/**
 * What a model does on what it is shown: it finds some faults, names earlier findings or forgets
 * to, and settles some.
 */
function think(world: World, ledger: Ledger, step: Step, run: string): BufferedPublications {
  let seed = step.n * 7919 + step.m * 104729 + 17;
  const chance = (percent: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648 < percent / 100;
  };
  const { mind } = step;
  const draft = ledger.copy();
  const findings: Finding[] = [];
  const repeated: { of: KnownFinding; finding: Finding }[] = [];
  const raise = (
    parts: Pick<
      Finding,
      'title' | 'category' | 'severity' | 'path' | 'line' | 'code' | 'suggestion'
    >,
    bug: string | undefined,
    named: string | undefined,
    isNew: boolean,
  ) => {
    const id = mintId(run, findings.length + repeated.length);
    const taken = new Set(draft.findings.map(({ handle }) => handle));
    const handle = createHandle(id, (one) => taken.has(one));
    const finding = findingOf({ ...parts, id, handle, agent: ledger.context.agent, body: 'Why.' });
    let answer = draft.raise(finding, { sameAs: named, isNew });
    if (answer.kind === 'ask') {
      const of = answer.of.find((one) => bug !== undefined && world.truth.get(one.id) === bug);
      answer = draft.raise(finding, of === undefined ? { isNew: true } : { sameAs: of.handle });
    }
    if (answer.kind === 'raised') {
      world.truth.set(id, bug);
      findings.push(finding);
    } else if (answer.kind === 'kept') repeated.push({ of: answer.finding, finding });
    else if (answer.kind === 'back') repeated.push({ of: answer.was, finding });
  };
  for (const spot of world.standing().filter(({ path }) => world.changed.has(path))) {
    if (chance(mind === 'good' ? 15 : 40)) continue;
    const number = Number(spot.bug.slice(4));
    const isOdd = chance(mind === 'good' ? 0 : 15);
    const ownCategory = number % 3 === 0 ? 'security' : 'correctness';
    const category = isOdd ? 'docs' : ownCategory;
    const severity = SEVERITIES[mind === 'evil' ? 3 : number % 3] ?? 'major';
    const title = chance(70)
      ? `Value ${number} is lost on load`
      : `Key may be missing in ${spot.bug}`;
    const good = spot.code.replace(/ ?(\/\/ )?BUG-\d+/g, '');
    const suggest = () => (chance(60) ? `${good} // good` : `${spot.code} // nicer`);
    const suggestion = chance(30) ? suggest() : undefined;
    const known = ledger.findings.find((one) => world.truth.get(one.id) === spot.bug);
    const isNamed = known !== undefined && chance(mind === 'good' ? 60 : 30);
    const isNew = !isNamed && chance(mind === 'good' ? 10 : 40);
    const wrong =
      mind === 'evil' && chance(30)
        ? (pick(ledger.findings, step.m)?.handle ?? 'F99X9')
        : undefined;
    raise(
      { title, category, severity, suggestion, ...spot },
      spot.bug,
      wrong ?? (isNamed ? known.handle : undefined),
      isNew,
    );
  }
  if (chance(mind === 'good' ? 10 : 40)) {
    const path = pick(world.paths(), step.m) ?? '';
    const line = (step.n % 6) + 1;
    const code = world.files.get(path)?.[line - 1];
    const parts = {
      title: 'Load is never awaited',
      category: 'correctness',
      severity: SEVERITIES[step.m % 4] ?? 'nit',
      path,
      line,
    } as const;
    if (code !== undefined && world.changed.has(path))
      raise({ ...parts, code }, bugsIn(code)[0], undefined, false);
  }
  const isThere = ({ id }: Finding) =>
    world.standing().some(({ bug }) => bug === world.truth.get(id));
  const settlements = ledger.open.flatMap((finding) => {
    const isWrong = isThere(finding);
    const settles = mind === 'evil' || (isWrong ? mind === 'sloppy' && chance(20) : chance(70));
    const isAgreed = isWrong ? chance(15) : chance(85);
    if (!settles || (ledger.isBlocking(finding) && !isAgreed)) return [];
    return [
      { finding, how: 'fixed' as const, reason: 'It is fixed.', evidence: [], by: '', isAgreed },
    ];
  });
  const lines = commentableLines(world.diff());
  const placed = findings.map((finding) => placeInDiff(finding, lines));
  return {
    ...NO_PUBLICATIONS,
    findings: placed,
    repeated,
    settlements,
    review: { summary: 'Read.' },
  };
}
