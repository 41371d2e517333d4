import { readCategory } from './severity.js';
import { CATEGORIES, type Category, SEVERITIES, type Severity } from './terms.js';

/** How the life of a finding ended. */
const ENDINGS = ['settled', 'dismissed', 'withdrawn', 'outdated'] as const;

/** One of {@link ENDINGS}. */
export type Ending = (typeof ENDINGS)[number];

/** What ended it. */
export const END_REASONS = [
  /** The code fixes it: by the model's evidence, or by what people say of a changed line. */
  'fixed',
  /** Its suggestion was committed. */
  'suggestion',
  /** Somebody resolved the conversation, which says neither right nor wrong. */
  'closed',
  'thumbs-down',
  'reply',
  /** `/axe dismiss` or `/axe done`. */
  'command',
  /** A person's own words, as the model read them. */
  'words',
  /** The model takes it back. */
  'wrong',
  /** Its line is no longer part of the change. */
  'gone',
] as const;

/** One of {@link END_REASONS}. */
export type EndReason = (typeof END_REASONS)[number];

/** A finding that was published, or that came back. */
export interface Raised {
  readonly kind: 'finding';
  readonly id: string;
  readonly pull: number;
  readonly path: string;
  readonly category: Category;
  /** Undefined for what an older version has kept. */
  readonly severity: Severity | undefined;
  readonly at: Date;
}

/** The end of a finding on its pull request; one that is raised later than this is open again. */
export interface Ended {
  readonly kind: 'ended';
  readonly id: string;
  readonly pull: number;
  readonly path: string;
  readonly category: Category;
  readonly how: Ending;
  readonly why: EndReason;
  /** Login of the person; empty for a run. */
  readonly by: string;
  readonly at: Date;
}

/** What a dismissal teaches beyond its pull request. No word of anybody is in it. */
export interface LessonFact {
  readonly kind: 'lesson';
  readonly id: string;
  readonly pull: number;
  readonly path: string;
  readonly category: Category;
  /** 1 for a gesture that says just this, 0.5 for set words. */
  readonly strength: number;
  /** Hashed words of the finding, see `review/likeness.ts`. */
  readonly sketch: string;
  /** {@link textId} of its normalized line of code; empty where none is known. */
  readonly code: string;
  readonly by: string;
  readonly at: Date;
}

/** A finding that was acted on: findings like it are wanted. */
interface AcceptedFact {
  readonly kind: 'accepted';
  readonly id: string;
  readonly pull: number;
  readonly path: string;
  readonly category: Category;
  readonly sketch: string;
  readonly at: Date;
}

/** How much a dismissal teaches: a person's own words are less sure than a gesture that means just this. */
export function strengthOf(why: EndReason): number {
  return why === 'reply' ? 0.5 : 1;
}

/** What is kept of a finding. */
export type FindingFact = Raised | Ended | LessonFact | AcceptedFact;

/** What a line of a state file is known by. */
export function findingKey(fact: FindingFact): string {
  return fact.kind === 'lesson' || fact.kind === 'accepted' ? fact.id : `${fact.id}/${fact.pull}`;
}

type Pair = readonly [string, string];

/** The fields of a line, but for its time. */
export function findingFields(fact: FindingFact): readonly Pair[] {
  const { pull, path, category } = fact;
  const place: readonly Pair[] = [
    ['pr', `${pull}`],
    ['path', path],
    ['cat', category],
  ];
  switch (fact.kind) {
    case 'finding':
      return [...place, ...(fact.severity === undefined ? [] : [['sev', fact.severity] as const])];
    case 'ended':
      return [...place, ['how', fact.how], ['why', fact.why], ['by', fact.by]];
    case 'accepted':
      return [...place, ['sk', fact.sketch]];
    case 'lesson':
      return [
        ...place,
        ['strength', `${fact.strength}`],
        ['sk', fact.sketch],
        ['code', fact.code],
        ['by', fact.by],
      ];
  }
}

/** A line of a state file, taken apart. */
interface FactLine {
  readonly key: string;
  readonly pull: number | undefined;
  readonly fields: ReadonlyMap<string, string>;
  readonly at: Date;
}

/**
 * Reads a line about a finding; undefined for one that is not whole. Lines of older versions name a rule in place of a
 * category, and say `withdrawn` for an end.
 */
export function readFindingFact(kind: string, { key, pull, fields, at }: FactLine): FindingFact | undefined {
  const id = /^[0-9a-f]{16}(?=\/|$)/.exec(key)?.[0];
  const path = fields.get('path');
  const category = one(CATEGORIES, fields.get('cat')) ?? categoryOfRule(fields.get('rule'));
  if (id === undefined || pull === undefined || path === undefined || category === undefined)
    return undefined;
  const by = fields.get('by') ?? '';
  const place = { id, pull, path, category, at };
  switch (kind) {
    case 'finding':
      return { kind, ...place, severity: one(SEVERITIES, fields.get('sev')) };
    case 'ended': {
      const [how, why] = [one(ENDINGS, fields.get('how')), one(END_REASONS, fields.get('why'))];
      return how === undefined || why === undefined ? undefined : { kind, ...place, how, why, by };
    }
    case 'withdrawn': {
      const end = FORMER.get(fields.get('why') ?? '');
      return end === undefined ? undefined : { kind: 'ended', ...place, ...end, by };
    }
    case 'accepted':
      return { kind, ...place, sketch: fields.get('sk') ?? '' };
    case 'lesson': {
      const strength = Number(fields.get('strength'));
      if (!(strength > 0 && strength <= 1)) return undefined;
      return { kind, ...place, strength, sketch: fields.get('sk') ?? '', code: fields.get('code') ?? '', by };
    }
  }
  return undefined;
}

/** What older versions said of an end. To resolve a conversation no longer says that the finding was wrong. */
const FORMER: ReadonlyMap<string, Pick<Ended, 'how' | 'why'>> = new Map([
  ['resolved', { how: 'settled', why: 'closed' }],
  ['fixed', { how: 'settled', why: 'fixed' }],
  ['thumbs-down', { how: 'dismissed', why: 'thumbs-down' }],
  ['reply', { how: 'dismissed', why: 'reply' }],
]);

function categoryOfRule(rule: string | undefined): Category | undefined {
  return rule === undefined ? undefined : (readCategory(rule) ?? 'other');
}

function one<T extends string>(values: readonly T[], value: string | undefined): T | undefined {
  return values.find((known) => known === value);
}

/** The findings of all facts, each with how it ended where it is not open. */
export interface FindingLife {
  readonly raised: Raised | undefined;
  /** The end that holds; undefined for a finding that is open. */
  readonly ended: Ended | undefined;
}

/** By id and pull request (`<id>/<pull>`). */
export function livesOf(facts: readonly { readonly kind: string }[]): ReadonlyMap<string, FindingLife> {
  const lives = new Map<string, FindingLife>();
  for (const fact of facts.filter(isLifeFact)) {
    const key = findingKey(fact);
    const life = lives.get(key) ?? { raised: undefined, ended: undefined };
    lives.set(key, fact.kind === 'finding' ? { ...life, raised: fact } : { ...life, ended: fact });
  }
  return new Map(
    [...lives].map(([key, { raised, ended }]) => {
      const isBack = raised !== undefined && ended !== undefined && raised.at > ended.at;
      return [key, { raised, ended: isBack ? undefined : ended }];
    }),
  );
}

function isLifeFact(fact: { readonly kind: string }): fact is Raised | Ended {
  return fact.kind === 'finding' || fact.kind === 'ended';
}

/** The lessons that hold: of findings that are dismissed still, and of those that were acted on. */
export function lessonsOf(facts: readonly { readonly kind: string }[]): {
  readonly lessons: readonly LessonFact[];
  readonly accepted: readonly AcceptedFact[];
} {
  const dismissed = new Set(
    [...livesOf(facts).values()].flatMap(({ ended }) => (ended?.how === 'dismissed' ? [ended.id] : [])),
  );
  return {
    lessons: facts.filter(isLesson).filter(({ id }) => dismissed.has(id)),
    accepted: facts.filter(isAccepted),
  };
}

function isLesson(fact: { readonly kind: string }): fact is LessonFact {
  return fact.kind === 'lesson';
}

function isAccepted(fact: { readonly kind: string }): fact is AcceptedFact {
  return fact.kind === 'accepted';
}
