import {
  isDistinctiveFingerprint,
  lineFingerprint,
  showsNoLine,
} from '../../../src/findings/change/diff-lines.js';
import type { Ledger } from '../../../src/findings/decide/ledger.js';
import {
  compareSeverity,
  formatOpenCount,
  isBlocking,
  isOpen,
  type Severity,
} from '../../../src/findings/finding.js';
import { saidRevsIn } from '../../../src/findings/kept-finding.js';
import { isTold, type KnownFinding } from '../../../src/findings/known-finding.js';
import { blockingFindings, countOpen, formatSarif } from '../../../src/findings/post/record.js';
import { submittedReviewsOf } from '../../../src/findings/state-facts.js';
import { recordFindings } from '../../../src/report/record-run.js';
import { reviewOutputs } from '../../../src/report/views/outputs.js';
import type { Spot } from './code.js';
import { BOT, STRANGER } from './github.js';
import { GESTURE_NAMES } from './people.js';
import { hasRecord, type RunEnd } from './runs.js';
import type { Step, World } from './world.js';

/** What holds after every step of every life, by its name. */
export const PROMISES = {
  missed:
    'After a whole review by a good model each fault has an open finding, or a person decided.',
  ghost:
    'After it no open finding is about a fault that is gone; on a fork people end findings, and so they do where the change shows no line of the file.',
  ended:
    'A finding whose fault is there is ended by a person, or by one model where it does not block; on a fork none that blocks leaves with its file.',
  stranger: 'What an account without write access does, or copies, changes no finding.',
  decision: 'What a person with write access decided stays so.',
  around: 'Nothing that was dismissed is raised again on its line.',
  duplicate: 'A fault has one open finding.',
  'said twice': 'No decision is said twice in a conversation.',
  conversation: 'A conversation is about one finding, and a finding has one conversation.',
  untold: 'After a whole run everything that was decided is said, or nobody needs to be told.',
  shown: 'An open finding is in an open conversation, or in the text of a review.',
  verdict: 'A review asks for changes as long as a finding is open that blocks.',
  check:
    'The check is green only if all was read and nothing is open, and red if a finding blocks.',
  'next reading': 'The next run reads what this one decided.',
  surfaces:
    'Review, check, job summary, log, memory, outputs, SARIF and `fail-on` have the findings that are open.',
  milder: 'No run makes a finding milder.',
  names: 'A finding keeps its name, and no other has it.',
} as const;

export type Promised = keyof typeof PROMISES;

/** A broken promise. */
export interface Breach {
  readonly promise: Promised;
  readonly text: string;
}

const GESTURES: ReadonlySet<string> = new Set(GESTURE_NAMES);

interface Judging {
  readonly world: World;
  readonly step: Step;
  readonly agent: string;
  readonly ledger: Ledger;
  /** Where faults are now. */
  readonly standing: readonly Spot[];
  fail(promise: Promised, text: string): void;
}

/** Judges a life step by step, and remembers what was. */
export class Judge {
  readonly #open = new Map<string, string>();
  readonly #severities = new Map<string, Severity>();
  readonly #handles = new Map<string, string>();
  /** The ends of each finding since it was open: a 👎 that is taken back shows an earlier one again. */
  readonly #ended = new Map<string, Set<string>>();
  /** The line of a finding when a person closed it. */
  readonly #closed = new Map<string, string>();
  readonly #known = new Set<string>();

  judge(world: World, step: Step): readonly Breach[] {
    const breaches: Breach[] = [];
    const standing = world.code.standing();
    const fail = (promise: Promised, text: string) => void breaches.push({ promise, text });
    judgeConversations(world, fail);
    for (const agent of world.setup.agents) {
      const ledger = world.readings.get(agent);
      if (ledger === undefined) continue;
      if (step.does === 'loseMemory') {
        this.#startAgain(agent, ledger);
        continue;
      }
      const judging = { world, step, agent, ledger, standing, fail };
      for (const finding of ledger.findings) {
        this.#judgeDecision(finding, judging);
        this.#judgeEnd(finding, judging);
        this.#judgeNames(finding, judging);
        this.#judgeSeverity(finding, judging);
      }
      this.#judgeStranger(judging);
      judgeTexts(judging);
      if (world.ended?.agent === agent) {
        judgeRun(judging, world.ended);
        if (world.isWhole && world.ended.mind === 'good') this.#judgeReview(judging);
        this.#judgeAround(judging);
      }
      for (const { id } of ledger.findings) this.#known.add(id);
    }
    return breaches;
  }

  /** The newest review says what was there before. */
  #startAgain(agent: string, { findings }: Ledger): void {
    this.#open.set(agent, openIds(findings));
    for (const finding of findings) {
      const { id, severity } = finding;
      this.#severities.set(id, severity);
      if (isOpen(finding)) this.#ended.delete(id);
      else this.#noteEnd(finding);
    }
  }

  #judgeDecision(finding: KnownFinding, { world, agent, fail }: Judging): void {
    const { id, path, code = '', state, by } = finding;
    // A model may read a dismissal in what a writer said.
    if (finding.why === 'words' && world.spokenOf.has(id)) world.wishes.forget(id);
    // A model has ended what a person opened. Who had ended it before is in the record that is left.
    if (world.wishes.of(id) === 'opened' && world.lost.has(id)) world.wishes.forget(id);
    const wish = world.wishes.of(id);
    const isThere = (text: string) =>
      world.code.isInChange(path) &&
      (world.code.files.get(path) ?? []).some((line) => line.text === text);
    const pinned = this.#closed.get(id);
    if (wish === 'closed' && pinned === undefined && isThere(code)) this.#closed.set(id, code);
    if (wish === 'closed' && !isThere(pinned ?? code)) world.wishes.forget(id);
    if (wish !== 'closed') this.#closed.delete(id);
    // Without a state a run that was cut may not have kept what it read.
    if (world.isCut && !hasRecord(world, agent)) return;
    if (wish === 'dismissed' && state !== 'dismissed')
      fail('decision', `${describe(finding, world)}, but a writer dismissed it`);
    if (wish === 'closed' && isOpen(finding) && pinned !== undefined && isThere(pinned))
      fail('decision', `${describe(finding, world)}, but a writer closed it`);
    if (wish === 'opened' && !isOpen(finding) && by === 'person')
      fail('decision', `${describe(finding, world)}, but a writer opened it`);
    if (finding.login === STRANGER) fail('stranger', describe(finding, world));
  }

  /** Ends since the last step. */
  #judgeEnd(finding: KnownFinding, judging: Judging): void {
    const { world, agent, ledger, standing, fail } = judging;
    const { id, rev, by, why } = finding;
    const isNew = !isOpen(finding) && this.#noteEnd(finding);
    // No run has decided what a reading between two of them finds: it is no end that comes back.
    const isKept = rev === finding.stored?.rev;
    if (isOpen(finding) && isKept) this.#ended.delete(id);
    const isJudged = isNew && by !== 'person' && !(world.isCut && !hasRecord(world, agent));
    if (!isJudged) return;

    const isOnFork = world.setup.word === 'fork';
    if (isOnFork && why === 'left' && ledger.isBlocking(finding))
      fail('ended', `${describe(finding, world)} with its file, on a fork`);

    const fault = world.truth.get(id);
    const isThere = (spot: Spot) => spot.fault === fault;
    const wasThere = world.ended?.standing.some(isThere) ?? true;
    if (!standing.some(isThere) || !wasThere) return;
    const isByWord = why === 'fixed' || why === 'wrong' || why === 'suggestion';
    const isOneWord = isByWord && world.setup.word === 'own' && !ledger.isBlocking(finding);
    // It has left with its file. In other words, on a short line, or in a file of which the change
    // shows no line, the next review finds it.
    const { code: now } = world;
    const isElsewhere =
      why === 'left' &&
      !(now.files.has(finding.path) && now.isInChange(finding.path)) &&
      !standing.some(
        ({ code, ...spot }) =>
          isThere({ code, ...spot }) &&
          !isUnseen(spot.path, ledger) &&
          lineFingerprint(code) === finding.key &&
          isDistinctiveFingerprint(finding.key),
      );
    if (!isOneWord && !isElsewhere) fail('ended', `${describe(finding, world)} while it is there`);
  }

  /** True for an end that was not there before. */
  #noteEnd({ id, rev, decided }: KnownFinding): boolean {
    const ends = this.#ended.get(id) ?? new Set();
    const end = `${rev} ${decided}`;
    const isNew = !ends.has(end);
    this.#ended.set(id, ends.add(end));
    return isNew;
  }

  #judgeNames({ id, handle }: KnownFinding, { fail }: Judging): void {
    const known = this.#handles.get(id);
    if (known !== undefined && known !== handle) fail('names', `${known} is ${handle} now`);
    const isTaken = known === undefined && [...this.#handles.values()].includes(handle);
    if (isTaken) fail('names', `${handle} is two findings`);
    this.#handles.set(id, handle);
  }

  #judgeSeverity(finding: KnownFinding, { world, agent, fail }: Judging): void {
    const { id, severity } = finding;
    const before = this.#severities.get(id);
    const isSure = !(world.isCut && !hasRecord(world, agent));
    if (isSure && before !== undefined && compareSeverity(severity, before) > 0)
      fail('milder', `${describe(finding, world)} was ${before}, is ${severity}`);
    this.#severities.set(id, severity);
  }

  #judgeStranger({ world, step, agent, ledger, fail }: Judging): void {
    const open = openIds(ledger.findings);
    const before = this.#open.get(agent);
    this.#open.set(agent, open);
    const isForeign = step.who === STRANGER || step.does === 'forge';
    if (before === undefined || !isForeign || !GESTURES.has(step.does)) return;
    // Where a stranger may open conversations, a Resolve that no run has seen can be undone.
    const isUndone =
      step.does === 'unresolve' && ledger.findings.some(({ id }) => world.wishes.isUnread(id));
    if (open !== before && !isUndone)
      fail('stranger', `${step.does}: open were ${before}, and are ${open}`);
  }

  /** After a whole review by a good model. */
  #judgeReview({ world, ledger, standing, fail }: Judging): void {
    const { setup, truth, wishes } = world;
    const { findings } = ledger;
    const raisable = standing.filter(({ path, line }) => {
      const shown = ledger.context.lines?.get(path)?.RIGHT.get(line);
      return shown !== undefined && shown.other === undefined;
    });
    for (const fault of new Set(raisable.map((spot) => spot.fault))) {
      const about = findings.filter(({ id }) => truth.get(id) === fault);
      const isDecided = about.some(
        (finding) =>
          finding.state === 'dismissed' || (finding.by === 'person' && isLineThere(finding, world)),
      );
      if (!about.some(isOpen) && !isDecided) {
        const known = about.map((finding) => describe(finding, world)).join(', ');
        fail('missed', `${fault} has ${known || 'no finding'}`);
      }
    }

    const there = new Set(standing.map(({ fault }) => fault));
    for (const finding of findings.filter(isOpen)) {
      const fault = truth.get(finding.id) ?? '';
      const isOpened =
        wishes.of(finding.id) === 'opened' ||
        (finding.by === 'person' && wishes.isUnsure(finding.id));
      const isWanted = setup.word === 'fork' || isUnseen(finding.path, ledger) || isOpened;
      if (!there.has(fault) && !isWanted)
        fail('ghost', `${describe(finding, world)}, and its fault is gone`);
      const twin = findings.find(
        (other) => other.id !== finding.id && isOpen(other) && truth.get(other.id) === fault,
      );
      if (twin !== undefined && !this.#known.has(finding.id))
        fail('duplicate', `${describe(finding, world)} and ${describe(twin, world)}`);
    }
  }

  #judgeAround({ world, ledger, fail }: Judging): void {
    for (const finding of ledger.findings) {
      if (this.#known.has(finding.id) || !isOpen(finding)) continue;
      const dismissed = ledger.findings.find(
        ({ state, path, line, category, key }) =>
          state === 'dismissed' &&
          path === finding.path &&
          line === finding.line &&
          category === finding.category &&
          key === finding.key &&
          isDistinctiveFingerprint(key),
      );
      if (dismissed !== undefined)
        fail('around', `${describe(finding, world)} in place of ${describe(dismissed, world)}`);
    }
  }
}

const openIds = (findings: readonly { readonly id: string; readonly state: string }[]) =>
  findings
    .filter(isOpen)
    .map(({ id }) => id)
    .sort()
    .join(' ');

/** The change has the file, and shows no line of it. */
function isUnseen(path: string, { context }: Ledger): boolean {
  const file = context.lines?.get(path);
  return file !== undefined && showsNoLine(file);
}

/** The file of the finding has its line. */
function isLineThere({ path, key }: KnownFinding, { code }: World): boolean {
  return (code.files.get(path) ?? []).some(({ text }) => lineFingerprint(text) === key);
}

function describe({ id, handle, state, by, why }: KnownFinding, { truth }: World): string {
  const how = [state, by === undefined ? '' : `by ${by}`, why ?? ''].filter((word) => word !== '');
  return `${handle} about ${truth.get(id)} (${how.join(' ')})`;
}

function judgeConversations({ github }: World, fail: Judging['fail']): void {
  const conversationOf = new Map<string, string>();
  for (const { id: conversation, posts } of github.conversations) {
    const ours = posts.filter(({ login, editor }) => login === BOT && editor === undefined);
    const about = new Set(ours.flatMap(({ body }) => saidRevsIn(body).map(({ id }) => id)));
    if (about.size > 1) fail('conversation', `${conversation} is about ${[...about].join(' ')}`);
    for (const id of about) {
      const known = conversationOf.get(id);
      if (known !== undefined) fail('conversation', `${id} is in ${known} and ${conversation}`);
      conversationOf.set(id, conversation);
    }
  }
}

function judgeTexts({ world, agent, fail }: Judging): void {
  const { github, isCut, hasRaced } = world;
  // Two runs in the same seconds can say it twice where nothing can compare and swap.
  if (isCut || (hasRaced && !hasRecord(world, agent))) return;
  const posts = github.conversations.flatMap((each) => each.posts);
  // A review also lists what is still open.
  const ours = posts.filter(({ login, editor }) => login === BOT && editor === undefined);
  const said = ours.flatMap(({ body }) => saidRevsIn(body).map(({ id, rev }) => `${id}.${rev}`));
  const twice = said.filter((decision, index) => said.indexOf(decision) !== index);
  if (twice.length > 0) fail('said twice', twice.join(' '));
}

/** The texts of one run say the same number, whatever became of the run. */
function judgeTextsOf({ surfaces = {}, result }: RunEnd, fail: Judging['fail']): void {
  if (result === undefined) return;
  const counted = countOpen(result.report.findings);
  const count = formatOpenCount(counted.open);
  const isSomeNew = counted.fresh > 0 && counted.fresh < counted.open.length;
  for (const [name, text] of Object.entries(surfaces)) {
    const [, said, fresh] =
      /(\d+ open: \d+ \w+(?:, \d+ \w+)*)(?:\.?\*{0,2} (?:· )?(\d+) (?:new|is new|are new))?/.exec(
        text,
      ) ?? [];
    if (said !== undefined && said !== count)
      fail('surfaces', `${name} says "${said}", not "${count}"`);
    if (said !== undefined && Number(fresh ?? 0) !== (isSomeNew ? counted.fresh : 0))
      fail('surfaces', `${name} calls ${fresh ?? 'none'} new, not ${counted.fresh}`);
    const isCounted = name === 'summary' || (name === 'review' && /^\*\*\d/m.test(text));
    if (isCounted && said === undefined && counted.open.length > 0)
      fail('surfaces', `${name} does not say "${count}"`);
  }
  const findings = recordFindings(result, 0);
  const { 'findings-open': open } = reviewOutputs({
    end: 'ran',
    conclusion: 'success',
    findings,
  });
  if (open !== String(counted.open.length))
    fail('surfaces', `the output says ${open}, open are ${counted.open.length}`);
}

function judgeRun(judging: Judging, ended: RunEnd): void {
  const { head, kind, result } = ended;
  const { world, agent, ledger, fail } = judging;
  judgeTextsOf(ended, fail);
  const { conclusion: check, title = '' } = world.github.checkOf(agent, head) ?? {};
  if (check === 'success' && kind === 'unread') fail('check', 'success, and nothing was read');
  if (!world.isWhole || head !== world.github.head) return;

  const counted = Number(/^\d+(?= open\b)/.exec(title)?.[0] ?? 0);
  if (check !== undefined && counted !== ledger.open.length)
    fail('surfaces', `the check says "${title}", open are ${ledger.open.length}`);

  const open = openIds(ledger.findings);
  const decided = openIds(result?.report.findings ?? []);
  if (result !== undefined && decided !== open)
    fail('next reading', `this run left open ${decided}, the next reads ${open}`);
  if (result !== undefined) judgeSurfaces(result, judging);

  const { blockOn } = world.setup;
  const isBad = ledger.open.some(
    (finding) => blockOn !== undefined && isBlocking(finding, blockOn),
  );
  const isAsking = submittedReviewsOf(ledger, agent).some(
    ({ state }) => state === 'CHANGES_REQUESTED',
  );
  if (isBad !== isAsking && !(isBad && world.isOverruled))
    fail('verdict', `${isAsking ? 'asks' : 'does not ask'} for changes, with ${open || 'nothing'}`);
  if (check === 'success' && ledger.open.length > 0) fail('check', `success, with ${open}`);
  if (isBad && check === 'success') fail('check', 'success, and a finding blocks');
  if (isAsking && check !== 'failure') fail('check', `${check}, and a review asks for changes`);

  for (const finding of ledger.findings) judgeTold(finding, judging);
}

function judgeTold(finding: KnownFinding, { world, ledger, agent, fail }: Judging): void {
  const { thread } = finding;
  // Without a conversation it is said in the text of a review, which a skipped run does not write.
  const isReview = world.ended?.kind === 'review';
  if (!isTold(finding) && (thread !== undefined || (isReview && isOpen(finding))))
    fail('untold', `${describe(finding, world)} rev ${finding.rev}`);
  if (!isOpen(finding) || !isReview) return;
  const isInText = submittedReviewsOf(ledger, agent).some(({ body }) =>
    saidRevsIn(body).some(({ id }) => id === finding.id),
  );
  const isInConversation = thread !== undefined && !(thread.isResolved && world.setup.canResolve);
  if (!isInConversation && !isInText) fail('shown', describe(finding, world));
}

/** Other programs read the findings of a run. */
function judgeSurfaces(
  { report }: NonNullable<NonNullable<World['ended']>['result']>,
  { world, agent, ledger, fail }: Judging,
): void {
  const open = openIds(ledger.findings);
  const { runs } = JSON.parse(
    formatSarif(report, {
      version: '1',
      agent,
      isSuccessful: true,
      clean: (text: string) => text,
    }),
  ) as {
    readonly runs: readonly {
      readonly results: readonly {
        readonly suppressions?: unknown;
        readonly partialFingerprints: Readonly<Record<string, string>>;
      }[];
    }[];
  };
  const results = (runs[0]?.results ?? []).filter(({ suppressions }) => suppressions === undefined);
  const inSarif = results
    .map(({ partialFingerprints }) => partialFingerprints['axeFindingId/v1'] ?? '')
    .sort()
    .join(' ');
  if (inSarif !== open) fail('surfaces', `SARIF has ${inSarif}, open are ${open}`);

  const { failOn } = world.setup;
  if (failOn === undefined) return;
  const failing = openIds(blockingFindings(report.findings, failOn));
  const due = openIds(ledger.findings.filter((finding) => isBlocking(finding, failOn)));
  if (failing !== due) fail('surfaces', `fail-on has ${failing}, open are ${due}`);
}
