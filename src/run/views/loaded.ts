import { groupBy } from '../../lib/data.js';
import { cleanLine, count, formatInteger } from '../../lib/text/format.js';
import type { RecalledEntry, Subject } from '../../memory/recall.js';
import type { StoreKind } from '../../memory/store.js';
import type { Memory } from '../records.js';

/** The memory that a run was given, as facts. */
export interface LoadedMemory {
  readonly store: StoreKind;
  readonly kind: Memory['restored']['kind'];
  readonly location: string;
  readonly url?: string;
  /** Number of entries. */
  readonly loaded: number;
  /** Undefined if nobody counted. */
  readonly total?: number;
  /** Entries that were chosen by the subject of the run; left out: none. */
  readonly chosen?: {
    readonly related: number;
    readonly newest: number;
    /** Left out: the memory is in another repository. */
    readonly terms?: SharedTerms;
  };
  /** Number of computed entries, which are never chosen. */
  readonly computed: number;
  readonly text: {
    /** Why nothing was loaded. */
    readonly why?: string;
  };
}

interface SharedTerms {
  /** The path that most entries share, else such a number or word. */
  readonly first: string;
  readonly others: number;
  readonly arePaths: boolean;
}

/** `isHidden`: the memory is in another repository, so nothing says what it is about. */
export function loadedMemory(
  { store, restored, recalled }: Memory,
  subject: Subject | undefined,
  isHidden: boolean,
): LoadedMemory {
  const { kind, location, url } = restored;
  const entries = recalled?.entries ?? [];
  const related = entries.filter(({ shares }) => shares.length > 0);
  const isChosen = related.length > 0 && recalled !== undefined && recalled.leftOut > 0;
  const terms = isChosen && !isHidden ? sharedTerms(related, subject) : undefined;
  return {
    store: store.kind,
    kind,
    location,
    url,
    loaded: restored.kind === 'restored' ? restored.loaded : 0,
    total: restored.kind === 'restored' ? restored.total : undefined,
    ...(isChosen && {
      chosen: { related: related.length, newest: entries.length - related.length, terms },
    }),
    computed: recalled?.computed ?? 0,
    text: { why: whyNotLoaded(restored) },
  };
}

function whyNotLoaded(restored: Memory['restored']): string | undefined {
  if (restored.kind === 'withheld') return restored.reason;
  return restored.kind === 'failed' ? restored.message : undefined;
}

function sharedTerms(related: readonly RecalledEntry[], subject: Subject | undefined): SharedTerms {
  const byTerm = groupBy(
    related.flatMap(({ shares }) => shares),
    (term) => term,
  );
  const terms = [...byTerm].sort(([, a], [, b]) => b.length - a.length).map(([term]) => term);
  const paths = terms.filter((term) => subject?.paths.includes(term));
  const arePaths = paths.length > 0;
  const [first = '', ...others] = arePaths ? paths : terms;
  return { first, others: others.length, arePaths };
}

/** Formats the location and the path in a description. */
interface Highlight {
  readonly location: (location: string) => string;
  readonly path: (path: string) => string;
}

const PLAIN: Highlight = { location: (location) => location, path: (path) => path };

/** Describes the loaded memory in a few words. */
export function describeLoaded(memory: LoadedMemory, highlight = PLAIN): string {
  const { kind, store, loaded, total, text } = memory;
  const location = highlight.location(memory.location);
  switch (kind) {
    case 'restored': {
      const from = `loaded from ${location}`;
      const reason = describeChosen(memory, highlight);
      if (reason !== '') {
        const all = total === undefined ? 'entries' : `of ${count(total, 'entry')}`;
        return `${formatInteger(loaded)} ${all} ${from}: ${reason}`;
      }
      if (total === undefined) return `the newest ${count(loaded, 'entry')} ${from}`;
      const range = total === loaded ? '' : `the last ${formatInteger(loaded)} of `;
      return `${range}${count(total, 'entry')} ${from}`;
    }
    case 'empty':
      return store === 'none'
        ? 'nothing is kept (`memory-store: none`)'
        : `nothing yet in ${location}`;
    case 'withheld':
      return `not loaded, because ${text.why}`;
    case 'failed':
      return `not loaded: ${text.why}`;
  }
}

/** Says why entries were chosen: `3 newest, 7 about src/auth.ts and 4 more files`. */
function describeChosen({ chosen, computed }: LoadedMemory, { path }: Highlight): string {
  const { newest = 0, related = 0, terms } = chosen ?? {};
  const parts = [
    ...(newest > 0 ? [`${formatInteger(newest)} newest`] : []),
    ...(related > 0 ? [`${related} about ${describeTerms(terms, path)}`] : []),
    ...(computed === 0 ? [] : [`${formatInteger(computed)} computed left out`]),
  ];
  return parts.join(', ');
}

function describeTerms(terms: SharedTerms | undefined, format: Highlight['path']): string {
  if (terms === undefined) return 'its subject';
  const { first, others, arePaths } = terms;
  const name = format(cleanLine(first, PATH_LENGTH));
  return others === 0
    ? name
    : `${name} and ${count(others, arePaths ? 'more file' : 'other term')}`;
}

const PATH_LENGTH = 100;
