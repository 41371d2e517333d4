import type { Repository } from '../event/trigger.js';
import type { Word } from '../event/trust.js';
import { type BufferedPublications, NO_PUBLICATIONS } from '../findings/buffered-publications.js';
import type { CommentableLines } from '../findings/change/diff-lines.js';
import { applyToLedger, type Ledger, raiseAlone } from '../findings/decide/ledger.js';
import type { PullRecord } from '../findings/kept-finding.js';
import type { ReviewExtent } from '../findings/post/finding-texts.js';
import {
  hasEarlierNews,
  hasNews,
  withoutEarlier,
  withoutOthers,
  withoutSaid,
} from '../findings/read/look.js';
import type { Dependencies, FindingsToTell } from './dependencies.js';
import { readAgain, troubleOf } from './earlier-reviews.js';
import { type RecordSave, type RecordStore, saveRecord } from './save.js';

/** A run's decision about the findings of a pull request. */
export interface Decision {
  readonly pull: number;
  /** The findings as the run has read them at its beginning. */
  readonly start: Ledger;
  /** The findings that the run has raised and ended; left out: none. */
  readonly buffered?: BufferedPublications;
  /** The lines that were pushed since the last review; undefined if nobody knows. */
  readonly pushed?: CommentableLines;
  /** The run has worked since it has read them. */
  readonly isOld: boolean;
}

/** The run that decides, and where its record is. */
export interface DecidingRun extends RecordStore {
  readonly repository: Repository;
  readonly agent: string;
  /** The commit that findings are held against. */
  readonly head: string;
  readonly word: Word;
  readonly model?: string;
  readonly extent?: ReviewExtent;
}

/** Findings that are decided, and not saved yet. */
interface DecidedFindings extends FindingsToTell {
  /** As they were before the run's decisions. */
  readonly before: Ledger;
  /** Why GitHub could not be read again; left out: it was, or nobody tried. */
  readonly trouble?: string;
}

/** Findings that are decided and saved, and that can be said. */
export interface SettledFindings extends DecidedFindings {
  /** The result of saving the record. */
  readonly save: RecordSave;
}

/** Maximum decisions of one run, if others keep changing the record. */
const MAX_DECISIONS = 3;

/**
 * Decides about findings, turns their conversations, saves the record, and looks at what was said
 * meanwhile: read again → decide → turn → save → look. If another run has changed the record, what
 * it has decided is read, and everything is decided again. The record is saved before anything is
 * said, so that what is lost on the way is said by the next run, and nothing twice.
 */
export async function settleFindings(
  decision: Decision,
  run: DecidingRun,
  deps: Dependencies,
): Promise<SettledFindings> {
  let { record } = decision.start.context;
  for (let attempt = 1; ; attempt += 1) {
    const isAgain = decision.isOld || attempt > 1;
    const decided = isAgain
      ? await decideAgain(decision, record, run, deps)
      : decideNow(decision, decision.start.copy());
    const turned = await deps.publisher.turn({ ...decided, ...run });
    // Only what the run has accepted itself was kept for the post step: now it is all.
    await deps.journal?.accepted([]);
    const before = decided.ledger.context.record;
    const { facts } = turned;
    const save = await saveRecord({ pull: decision.pull, before, facts }, run, deps);
    if (save.kind === 'moved' && attempt < MAX_DECISIONS) {
      await turned.turnBack?.();
      record = save.record;
    } else {
      const isRecent = isAgain && !turned.isChanged && !save.isRemote;
      return await look({ ...decided, save }, isRecent, deps);
    }
  }
}

/** Decides on what is known, without reading anything again. */
export function decideNow(
  { pull, start, buffered = NO_PUBLICATIONS, pushed }: Decision,
  ledger: Ledger,
): DecidedFindings {
  const before = ledger.copy();
  const news = applyToLedger(ledger, buffered, idsIn(start), pushed);
  return { pull, ledger, news: withoutOthers({ ledger, news }, start), before };
}

/**
 * Decides on what is there now: people could have answered during the run, and another run could
 * have ended. If GitHub cannot be read, only what the run has raised counts.
 */
export async function decideAgain(
  decision: Decision,
  record: PullRecord | undefined,
  { word }: Pick<DecidingRun, 'word'>,
  deps: Dependencies,
): Promise<DecidedFindings> {
  const { pull, start, buffered = NO_PUBLICATIONS } = decision;
  const { ledger, trouble } = await readAgain(start, { pull, record, word }, deps);
  if (trouble === undefined) return decideNow(decision, ledger);

  const before = ledger.copy();
  const news = raiseAlone(ledger, buffered, idsIn(start));
  return { pull, ledger, news, before, isUnread: true, trouble };
}

/** The model knew these findings. */
function idsIn({ findings }: Ledger): ReadonlySet<string> {
  return new Set(findings.map(({ id }) => id));
}

/**
 * The last step before anything is said: leaves out what a text on GitHub says already. GitHub is
 * only asked if another run could have said it: for a decision of an earlier run, or one that was
 * not saved by comparing and swapping. If GitHub does not answer, none of these is said.
 */
async function look(
  settled: SettledFindings,
  /** Nothing was written since the last reading. */
  isRecent: boolean,
  deps: Dependencies,
): Promise<SettledFindings> {
  const { pull, save, trouble } = settled;
  if (trouble !== undefined && !save.isCompared)
    return { ...settled, unsayable: unsayable(pull, trouble) };
  if (trouble !== undefined) {
    const message = `what people have answered on #${pull} since the run began was not read: ${trouble}`;
    deps.reporter.warn({ code: 'context-incomplete', message });
    return settled;
  }

  const isDue = save.isCompared ? hasEarlierNews(settled) : hasNews(settled);
  if (!isDue || isRecent || settled.ledger.seen === undefined) return settled;

  const answer = await deps.github?.said(pull, { isFresh: true }, deps.deadline.closing);
  if (answer?.kind === 'read') return { ...settled, ...withoutSaid(settled, answer.seen) };
  if (save.isCompared) return { ...settled, news: withoutEarlier(settled) };
  return { ...settled, unsayable: unsayable(pull, troubleOf(answer)) };
}

function unsayable(pull: number, trouble: string) {
  const message = `#${pull} could not be read, so nobody knows what was said there: ${trouble.replace(/\.$/, '')}`;
  return { message, remedy: 'Run the job again.' };
}
