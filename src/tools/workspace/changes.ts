import { basename, dirname, join } from 'node:path/posix';
import type { Edit, FileEdits } from '../../github/posting/commit-edits.js';
import { ToolError } from '../../lib/errors.js';
import { compareBytes, isBinary } from '../../lib/text/bytes.js';
import { count, formatInteger, quoteLine } from '../../lib/text/format.js';
import { compileGlob } from '../../lib/text/glob.js';
import {
  createMemoryFilter,
  foldName,
  isSecretPath,
  isWriteProtected,
  parsePath,
} from '../../safety/path-rules.js';
import { redact } from '../../safety/redact.js';
import { escapeHidden } from '../tool.js';

/** What a workflow lets its runs change in the repository. */
export interface ChangeRules {
  /** Patterns of the input `changes-allowed`. */
  readonly allowed: readonly string[];
  /** Folders of the repository in which memory is kept. */
  readonly memoryRoots: readonly string[];
  /** Folders of agents, which have their skills next to them. */
  readonly agentsDirs: readonly string[];
  /** Files that the run has read agents and skills from, asked at each use. */
  readonly instructionFiles: () => readonly string[];
  readonly secrets: readonly string[];
}

/** The most that one run changes. */
const MAX_FILES = 50;
const MAX_BYTES = 1024 * 1024;

/**
 * What the file tools of a run change, and the one place that says whether they may. A path is
 * judged at each edit, so that the model learns of a refusal; the whole is judged again before it
 * is committed, and is then refused whole.
 */
export class Changes {
  /** The edits of each commit, and of what comes after the last one. */
  private readonly parts: Map<string, Edit>[] = [new Map()];
  /** Grows with each edit. */
  revision = 0;

  constructor(private readonly rules: ChangeRules) {}

  /** Every file that is not as it was, in byte order. */
  get edits(): FileEdits {
    return joinEdits(this.parts);
  }

  /** What the run has made of each file that it touched, in order. */
  touched(): readonly (readonly [path: string, after: Uint8Array | undefined])[] {
    return this.parts.flatMap((part) =>
      [...part].map(([path, { after }]) => [path, after] as const),
    );
  }

  /**
   * Throws a ToolError for a file that this workflow lets nobody change, or that a commit through
   * the API would spoil.
   */
  requireAllowed(path: string, isExecutable: boolean): void {
    const kept = isExecutable ? 'it is executable, which a commit here does not keep' : undefined;
    const why = whyNotAllowed(path, this.rules) ?? kept;
    if (why !== undefined) throw new ToolError(`${quoteLine(path)} was not changed: ${why}`);
  }

  note(path: string, { before, after }: Edit): void {
    const part = this.parts.at(-1);
    const first = part?.get(path);
    part?.set(path, { before: first === undefined ? before : first.before, after });
    this.revision += 1;
  }

  /** Ends a commit; its number is that of the one before where nothing was edited since. */
  endCommit(): number {
    if (joinEdits(this.parts.slice(-1)).size > 0) this.parts.push(new Map());
    return this.parts.length - 1;
  }

  /**
   * The edits of commits, each with those since the one before; the last one has all that came
   * after it, too.
   */
  editsOf(commits: readonly number[]): readonly FileEdits[] {
    const ends = [...commits.slice(0, -1), this.parts.length];
    const joined = ends.map((end, at) => joinEdits(this.parts.slice(ends[at - 1] ?? 0, end)));
    // What came after the last commit may have taken it back.
    return joined.filter(({ size }) => size > 0);
  }

  /** Why the edits cannot be committed, in half a sentence; undefined if they can. */
  get problem(): string | undefined {
    const { edits } = this;
    if (edits.size === 0) return 'no file was changed';
    if (edits.size > MAX_FILES)
      return `${count(edits.size, 'file')} were changed, and the limit is ${MAX_FILES}`;
    const bytes = [...edits.values()].reduce((sum, { after }) => sum + (after?.length ?? 0), 0);
    if (bytes > MAX_BYTES)
      return `the changed files have ${formatInteger(bytes)} bytes, and the limit is ${formatInteger(MAX_BYTES)}`;
    for (const [path, edit] of edits) {
      const bad = edit.before === undefined ? whatIsUnfit(path, this.rules.secrets) : undefined;
      // The name is not repeated: it would be hidden there, too, or a secret.
      if (bad !== undefined) return `the name of a new file has ${bad}`;
      const why = whyNotAllowed(path, this.rules) ?? whyNotCarried(edit, this.rules.secrets);
      if (why !== undefined) return `${quoteLine(path)}: ${why}`;
    }
    return undefined;
  }
}

/**
 * Edits that were made one after the other, as one, in byte order; without those that were taken
 * back.
 */
export function joinEdits(parts: readonly FileEdits[]): FileEdits {
  const joined = new Map<string, Edit>();
  for (const part of parts)
    for (const [path, { before, after }] of part)
      joined.set(path, { before: joined.has(path) ? joined.get(path)?.before : before, after });
  const changed = [...joined].filter(([, { before, after }]) => !isSame(before, after));
  return new Map(changed.sort(([a], [b]) => compareBytes(a, b)));
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one === undefined || other === undefined
    ? one === other
    : Buffer.compare(one, other) === 0;
}

const STEERS = 'only people change workflows, actions, agents and skills';

/**
 * What no run changes, whatever `changes-allowed` says. The names of a path are folded: case and
 * Unicode forms count for nothing.
 */
const NEVER: readonly (readonly [why: string, is: (names: readonly string[]) => boolean])[] = [
  ['credentials may be kept there', isSecretPath],
  [STEERS, isWriteProtected],
  [
    'only people change what configures git and GitHub',
    (names) => names.some((name) => name.startsWith('.git')),
  ],
  ['only people change who owns the code', (names) => names.at(-1) === 'codeowners'],
  ['only people change what guides agents', (names) => names.some((name) => GUIDANCE.has(name))],
];

/** Files and folders in which a project tells agents, ours and others, how to work on it. */
const GUIDANCE: ReadonlySet<string> = new Set([
  'agents.md',
  'claude.md',
  'gemini.md',
  'review.md',
  '.claude',
  '.cursor',
  '.cursorrules',
]);

/** Names of files that package managers write; a person who wants one changed names it. */
const LOCK_FILE =
  /(?:^|[.-])(?:lock|lockfile|shrinkwrap)(?:\.(?:json|ya?ml|toml))?$|\.lockb$|^go\.sum$/;

/** Why a path cannot be changed, in half a sentence; undefined if it can. */
export function whyNotAllowed(
  path: string,
  { allowed, memoryRoots, agentsDirs, instructionFiles }: ChangeRules,
): string | undefined {
  const { segments, refusal } = parsePath(path);
  if (refusal !== undefined) return refusal;
  const names = segments.map(foldName);
  const never = NEVER.find(([, is]) => is(names));
  if (never !== undefined) return never[0];
  const folded = names.join('/');
  const isBelow = (places: readonly string[]) => createMemoryFilter(places)(folded);
  if (isBelow(memoryRoots)) return 'memory is kept there';
  const skills = agentsDirs.map((dir) => join(dirname(dir), 'skills'));
  if (isBelow([...agentsDirs, ...skills, ...instructionFiles()])) return STEERS;
  const isNamed = allowed.some((pattern) => basename(pattern) === segments.at(-1));
  if (LOCK_FILE.test(names.at(-1) ?? '') && !isNamed)
    return 'a lock file is changed only if `changes-allowed` names it';
  if (allowed.some((pattern) => compileGlob(pattern).matches(segments.join('/')))) return undefined;
  return `the workflow lets runs change ${allowed.map((pattern) => `\`${pattern}\``).join(', ')} alone`;
}

const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

/** Why a commit cannot carry an edit, or nobody would see what it brings. */
function whyNotCarried({ before, after }: Edit, secrets: readonly string[]): string | undefined {
  if ([before, after].some((bytes) => bytes !== undefined && isBinary(bytes)))
    return 'only text is changed';
  const [old, text] = [decode(before), decode(after)];
  if (old.startsWith(LFS_POINTER) || text.startsWith(LFS_POINTER)) return 'it is kept in Git LFS';
  const known = new Set(old.split('\n'));
  const added = text
    .split('\n')
    .filter((line) => !known.has(line))
    .map((line) => line.replace(/\r$/, ''));
  if (old.startsWith(BOM) && added[0]?.startsWith(BOM)) added[0] = added[0].slice(1);
  const bad = whatIsUnfit(added.join('\n'), secrets);
  return bad && `it would get ${bad}`;
}

/** What a text has that no commit may bring. */
function whatIsUnfit(text: string, secrets: readonly string[]): string | undefined {
  if (escapeHidden(text) !== text) return 'characters that readers cannot see';
  return redact(text, secrets) === text ? undefined : 'what looks like a secret';
}

const BOM = '\uFEFF';

function decode(bytes: Uint8Array | undefined): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
