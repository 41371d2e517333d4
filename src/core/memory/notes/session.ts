import { ToolError } from '../../errors.js';
import { createQueue } from '../../queue.js';
import { cutToBytes, utf8Bytes } from '../../text/cut.js';
import { dateOf } from '../../text/dates.js';
import { count } from '../../text/number.js';
import type { Warning } from '../../warning.js';
import { blockedAt, firstUnread } from '../blocked.js';
import type { NoteChange } from '../change.js';
import { untrustedPath } from '../log-path.js';
import { promptText, readableText } from '../prompt-text.js';
import type { FailedSave, SaveResult, TreeResult } from '../store.js';
import type { MemoryTree } from '../tree.js';
import { editAnswer, type NotesCaps, notRead, notSaved, recentWrite } from './answer.js';
import { compactionHeading, composeEdit } from './compose-edit.js';
import { TRUNCATED_MARK } from './context-block.js';
import { editedText, editNote, type NoteEdit, versionId } from './edit.js';
import { formatMemoryError } from './memory-error.js';
import type { NoteAnswer, Notes, NoteWish } from './notes-port.js';
import { flatDailyPath, type NotesPlaces, type NoteTarget, pathOf } from './place.js';
import { type RecentWrite, withRecent } from './ring.js';
import { type SearchHit, type SearchResult, searchNotes } from './search.js';
import { createView, listNotes } from './view.js';

/** What the notes of a run are worked on with. */
interface NotesSessionOptions {
  readonly places: NotesPlaces;
  /** Places of the agent's own run log, which is searched and read with the notes. */
  readonly runLogs: readonly string[];
  /** What is before paths that are shown: the absolute folder, or the name of the place. */
  readonly root: string;
  readonly caps: NotesCaps;
  /** Reads what is wanted of the store, all of it for undefined: `MemoryStore.readTree` with its signal. */
  load(under: readonly string[] | undefined): Promise<TreeResult>;
  redact(text: string): string;
  now(): Date;
  newId(): string;
  warn(warning: Warning): void;
  /** Hears of each change that was made. */
  noteWrite?(write: RecentWrite): void;
  /**
   * Saves changes at once, and every call reads the store anew: on the command line. Without it the store is read once,
   * at the first call, and changes are kept for the save of the run.
   */
  writeThrough?(changes: readonly NoteChange[]): Promise<SaveResult>;
}

/** The notes of one run. */
export interface NotesSession extends Notes {
  /** Keeps the summary of a conversation that is shortened in the daily log; `messages` is how many it sums up. */
  addSummary(summary: string, messages: number | undefined): Promise<NoteAnswer>;
  /** Everything a run may ask for, with its changes. */
  tree(): Promise<TreeResult>;
  /** The changes that still have to be saved, in order, for one of the lanes (D19). */
  changes(lane: 'trusted' | 'untrusted'): readonly NoteChange[];
  /** The newest changes, saved or not, oldest first. */
  recent(): readonly RecentWrite[];
}

/** Opens the notes of a run. Nothing is read before the first call; calls are carried out one after the other. */
export function createNotesSession(options: NotesSessionOptions): NotesSession {
  const { places, runLogs, root, caps, now, writeThrough } = options;
  const inTurn = createQueue();
  const view = createView({ ...options, isLive: writeThrough !== undefined });
  const large = new Set<string>();
  let changes: readonly NoteChange[] = [];
  let recent: readonly RecentWrite[] = [];

  async function change(target: NoteTarget, wish: NoteWish): Promise<NoteAnswer> {
    const timestamp = now();
    const path = pathOf(target, places);
    if (target.kind === 'note' && options.redact(target.name) !== target.name) return SECRET_NAME;
    const loaded = await view.tree([path]);
    if (loaded.kind === 'failed') return notRead(loaded);
    const blocked = blockedAt(loaded, path);
    if (blocked !== undefined) return notSaved({ kind: 'failed', ...blocked });
    const composed = composeEdit(target, wish, { ...caps, redact: options.redact, now: timestamp });
    const { edit } = composed;
    const text = loaded.tree.get(path) ?? '';
    const result = editNote(text, edit);
    if (result.kind === 'duplicate') return { ...result, path: shown(path) };
    if (makesSecret(text, edit, options.redact)) return SECRET_TEXT;
    // What is written anew may be what another run has written since this one began (D12).
    const backup = wish.kind === 'overwrite';
    const makes = versionId(result.text);
    const failure = await keep({ kind: 'note', path, edit, backup, makes, id: options.newId() });
    if (failure !== undefined) return notSaved(failure);
    const done = { path: shown(path), timestamp, target: target.kind, composed };
    const write = recentWrite(wish, done);
    recent = withRecent(recent, write);
    options.noteWrite?.(write);
    const answer = editAnswer(result, done, caps);
    warnOfSize(answer);
    return answer;
  }

  async function keep(next: NoteChange): Promise<FailedSave | undefined> {
    if (writeThrough === undefined) {
      view.apply(next);
      changes = [...changes, next];
      return undefined;
    }
    const saved = await writeThrough([next]);
    return saved.kind === 'failed' ? saved : undefined;
  }

  /** Once for each file. */
  function warnOfSize(answer: NoteAnswer): void {
    if (answer.kind !== 'written' || answer.fileBytes <= answer.warnBytes || large.has(answer.path)) return;
    const { path, fileBytes: bytes, warnBytes: limitBytes } = answer;
    large.add(path);
    const message = formatMemoryError({ kind: 'file-too-large', path, bytes, limitBytes });
    options.warn({ code: 'memory-file-large', message, remedy: 'Consider memory maintenance.' });
  }

  /** Of files that are asked for by name, one that cannot be read is an error; a search goes on without it. */
  async function readTree(requested?: readonly string[]): Promise<MemoryTree> {
    const loaded = await view.tree(requested);
    const trouble = loaded.kind === 'failed' ? loaded : firstUnread(loaded, requested ?? []);
    if (loaded.kind === 'failed' || trouble !== undefined)
      throw new ToolError(notRead({ message: '', ...trouble }).message);
    return loaded.tree;
  }

  async function read(target: NoteTarget): Promise<string> {
    const path = pathOf(target, places);
    const text = (await readTree([path])).get(path) ?? '';
    if (text !== '' || target.kind !== 'daily') return readableText(text);
    const flat = flatDailyPath(target.date);
    return readableText((await readTree([flat])).get(flat) ?? '');
  }

  async function readRunLog(): Promise<string> {
    const tree = await readTree(runLogs);
    return runLogs.map((path) => promptText(tree.get(path) ?? '')).join('');
  }

  function shown(path: string): string {
    return root === '' ? path : `${root}/${path}`;
  }

  return {
    today: () => dateOf(now()),
    change: (target, wish) => inTurn(() => change(target, wish)),
    read: (target) => inTurn(() => read(target)),
    readRunLog: () => inTurn(readRunLog),
    list: () => inTurn(async () => listNotes(await readTree(), places).map(shown)),
    search: (query, limits) =>
      inTurn(async () => {
        const result = searchNotes(await readTree(), query, { ...places, runLogs });
        return renderSearch(result, { root, ...limits });
      }),
    addSummary: (content, messages) =>
      inTurn(() => {
        const form = { heading: compactionHeading(messages) };
        return change({ kind: 'daily', date: dateOf(now()) }, { kind: 'append', content, form });
      }),
    tree: () => inTurn(() => view.tree()),
    // In the untrusted lane what is added to begins with nothing (D19).
    changes: (lane) =>
      lane === 'trusted' ? changes : changes.map((one) => ({ ...one, path: untrustedPath(one.path) })),
    recent: () => recent,
  };
}

/** A file's name is stored too, and cannot be masked. */
const SECRET_NAME: NoteAnswer = {
  kind: 'failed',
  reason: 'error',
  message: 'the name of the note holds a secret. Choose another name.',
};

/**
 * Whether a change joins pieces that are not secrets to one that is: each piece alone passed the redaction (D11). A secret
 * that was there before is masked first, so that only what the change itself makes counts.
 */
function makesSecret(before: string, edit: NoteEdit, redact: (text: string) => string): boolean {
  const after = editedText(redact(before), edit);
  return redact(after) !== after;
}

const SECRET_TEXT: NoteAnswer = {
  kind: 'failed',
  reason: 'error',
  message: 'together with what is there it would be a secret. Leave it out.',
};

/** How a search is shown. */
interface SearchView {
  /** Folder or location that paths are shown below; empty shows them as they are in the tree. */
  readonly root: string;
  /** The text is cut here; the mark that says so is behind it. */
  readonly maxBytes: number;
  /** Most files that are shown; undefined for as many as there is room for. */
  readonly limit?: number | undefined;
}

/** What the model is told of a search (memory-tools 1.5): a line of figures, then the best files until there is no more room. */
export function renderSearch(result: SearchResult, view: SearchView): string {
  const text = result.hits.length === 0 ? `No matches for '${result.query}'.` : withHits(result, view);
  const { text: kept, leftOutBytes } = cutToBytes(readableText(text), view.maxBytes);
  return leftOutBytes === 0 ? kept : kept + TRUNCATED_MARK;
}

/** Kept free for the line of figures and the line of what was left out. */
const FRAME_BYTES = 256;

function withHits({ terms, hits }: SearchResult, { root, maxBytes, limit }: SearchView): string {
  const blocks: string[] = [];
  let bytes = 0;
  for (const hit of hits.slice(0, limit)) {
    const block = formatHit(hit, root);
    bytes += utf8Bytes(block) + (blocks.length === 0 ? 0 : SEPARATOR.length);
    if (blocks.length > 0 && bytes > maxBytes - FRAME_BYTES) break;
    blocks.push(block);
  }
  const counts = terms.map(({ term, lines }) => `${term}(${lines})`).join(' ');
  const head = `Searched ${count(terms.length, 'term')}: ${counts} across ${count(hits.length, 'file')}. Showing top ${blocks.length} by relevance.`;
  const left = hits.length - blocks.length;
  const tail = left === 0 ? [] : [`…[search truncated, ${count(left, 'more file')} omitted]`];
  return [head, ...blocks, ...tail].join(SEPARATOR);
}

const SEPARATOR = '\n\n';

function formatHit({ path, matchedTerms, body }: SearchHit, root: string): string {
  const shown = root === '' ? path : `${root}/${path}`;
  return `${shown}  [matched: ${matchedTerms.join(', ')}]\n${body}`;
}
