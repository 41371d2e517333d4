import { basename, dirname, join } from 'node:path/posix';
import type { Edit, FileEdits } from '../../github/posting/commit-edits.js';
import { ToolError } from '../../lib/errors.js';
import { compareBytes, isBinary } from '../../lib/text/bytes.js';
import { count, formatInteger, quoteLine } from '../../lib/text/format.js';
import { compileGlob, compileShellGlob } from '../../lib/text/glob.js';
import { hiddenIn } from '../../safety/hidden.js';
import {
  createMemoryFilter,
  foldName,
  isSecretPath,
  isWriteProtected,
  parsePath,
} from '../../safety/path-rules.js';
import { hideValues, MASK } from '../../safety/redact.js';
import { findTokens, isHardToGuess } from '../../safety/secrets.js';

/** The rules of a workflow for changes in the repository. @internal */
export interface ChangeRules {
  /** Patterns of the input `changes-allowed`. */
  readonly allowed: readonly string[];
  /** Folders of the repository in which memory is kept. */
  readonly memoryRoots: readonly string[];
  /** Folders of agents; skills are in folders next to them. */
  readonly agentsDirs: readonly string[];
  /** Files that the run has read agents and skills from; called at each use. */
  readonly instructionFiles: () => readonly string[];
  readonly secrets: readonly string[];
}

/** Limits for one run. */
const MAX_FILES = 50;
const MAX_BYTES = 1024 * 1024;

/**
 * The edits of a run's file tools, and the one place that checks them against the rules. Each edit
 * is checked when it is made, so that the model sees the refusal. All edits are checked again
 * before they are committed; then one that is refused stops them all.
 */
export class Changes {
  /** The edits of each commit, then those after the last commit. */
  private readonly parts: Map<string, Edit>[] = [new Map()];
  /** Grows with each edit. */
  revision = 0;

  constructor(private readonly rules: ChangeRules) {}

  /** Every file that differs from its first state, in byte order. */
  get edits(): FileEdits {
    return joinEdits(this.parts);
  }

  /** Every file that the run has edited, with its state after each edit, in order. */
  touched(): readonly (readonly [path: string, after: Uint8Array | undefined])[] {
    return this.parts.flatMap((part) =>
      [...part].map(([path, { after }]) => [path, after] as const),
    );
  }

  /**
   * Throws a ToolError for a file that the workflow does not let runs change, or whose mode a commit
   * through the API would lose.
   */
  requireAllowed(path: string, isExecutable: boolean): void {
    const lostMode = isExecutable
      ? 'it is executable, which a commit here does not keep'
      : undefined;
    const reason = whyNotAllowed(path, this.rules) ?? lostMode;
    if (reason !== undefined) throw new ToolError(`${quoteLine(path)} was not changed: ${reason}`);
  }

  note(path: string, { before, after }: Edit): void {
    const part = this.parts.at(-1);
    const first = part?.get(path);
    part?.set(path, { before: first === undefined ? before : first.before, after });
    this.revision += 1;
  }

  /** Ends a commit and returns its number; without an edit since the last one, the same number. */
  endCommit(): number {
    if (joinEdits(this.parts.slice(-1)).size > 0) this.parts.push(new Map());
    return this.parts.length - 1;
  }

  /**
   * The edits of each commit since the one before it. The last commit also has all later edits.
   */
  editsOf(commits: readonly number[]): readonly FileEdits[] {
    const ends = [...commits.slice(0, -1), this.parts.length];
    const joined = ends.map((end, index) => joinEdits(this.parts.slice(ends[index - 1] ?? 0, end)));
    // Later edits can have undone the last commit.
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

    const { secrets } = this.rules;
    for (const [path, edit] of edits) {
      const badName = edit.before === undefined ? badNameIn(path, secrets) : undefined;
      // The message leaves out the name, which has hidden characters or a secret.
      if (badName !== undefined) return `the name of a new file has ${badName}`;
      const reason = whyNotAllowed(path, this.rules) ?? whyNotCarried(edit, secrets);
      if (reason !== undefined) return `${quoteLine(path)}: ${reason}`;
    }
    return undefined;
  }
}

/** Joins edits that were made one after the other, in byte order, without those that were undone. */
export function joinEdits(parts: readonly FileEdits[]): FileEdits {
  const joined = new Map<string, Edit>();
  for (const part of parts)
    for (const [path, { before, after }] of part)
      joined.set(path, { before: joined.has(path) ? joined.get(path)?.before : before, after });
  const changed = [...joined].filter(([, { before, after }]) => !isSame(before, after));
  return new Map(changed.sort(([a], [b]) => compareBytes(a, b)));
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return Buffer.compare(a, b) === 0;
}

const STEERS = 'only people change workflows, actions, agents and skills';

/**
 * Paths that no run changes, whatever `changes-allowed` says. The names of a path are folded, so
 * that case and Unicode forms make no difference.
 */
const NEVER: readonly (readonly [reason: string, is: (names: readonly string[]) => boolean])[] = [
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

/**
 * Files that no wildcard opens, by their folded names: reviewers read past them, or agents and
 * services act on them before anybody does. A name that begins with a dot needs no entry here.
 */
const NAMED_ONLY: readonly (readonly [kind: string, names: RegExp])[] = [
  [
    'a lock file',
    /(?:^|[.-])(?:lock|lockfile|shrinkwrap)(?:\.(?:json|ya?ml|toml|hcl))?$|\.lockb$|^go(?:\.work)?\.sum$|^package\.resolved$|^verification-metadata\.xml$|^project\.assets\.json$/,
  ],
  [
    'a file that guides other agents',
    /^(?:agent|qwen|copilot|crush|warp|skill|conventions|(?:agents|claude|gemini)\.(?:local|override))\.md$|^(?:mcp|opencode)\.jsonc?$/,
  ],
  [
    'a file that configures a CI service or a bot',
    /^(?:.+\.)?jenkinsfile(?:[.-]\w+)?$|^dangerfile(?:\.\w+)?$|^(?:azure-pipelines|bitbucket-pipelines|cloudbuild|appveyor|codemagic|wercker|buildspec|screwdriver|lefthook|renovate|dependabot)(?:[.-][\w.-]+)?\.(?:ya?ml|json[c5]?|toml)$/,
  ],
];

/** Why a path cannot be changed, in half a sentence; undefined if it can. @internal */
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
  return whyNotMatched(segments, allowed);
}

/** Why the patterns of `changes-allowed` do not open a path; undefined if one does. */
function whyNotMatched(
  segments: readonly string[],
  allowed: readonly string[],
): string | undefined {
  const path = segments.join('/');
  const matching = allowed.filter((pattern) => compileShellGlob(pattern, isDotName).matches(path));

  const name = segments.at(-1) ?? '';
  const isNamed = matching.some((pattern) => basename(pattern) === name);
  const [kind] = NAMED_ONLY.find(([, names]) => names.test(foldName(name))) ?? [];
  if (kind !== undefined && !isNamed) return changedOnlyByName(kind);

  if (matching.length > 0) return undefined;
  if (allowed.some((pattern) => compileGlob(pattern).matches(path)))
    return changedOnlyByName('a name that begins with a dot');
  return `the workflow lets runs change ${allowed.map((pattern) => `\`${pattern}\``).join(', ')} alone`;
}

function changedOnlyByName(kind: string): string {
  return `${kind} is changed only if \`changes-allowed\` names it`;
}

function isDotName(name: string): boolean {
  return foldName(name).startsWith('.');
}

const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

/** Why a commit cannot carry an edit, or why reviewers would not see all of it. */
function whyNotCarried({ before, after }: Edit, secrets: readonly string[]): string | undefined {
  if ([before, after].some((bytes) => bytes !== undefined && isBinary(bytes)))
    return 'only text is changed';

  const old = decode(before);
  const text = decode(after);
  if (old.startsWith(LFS_POINTER) || text.startsWith(LFS_POINTER)) return 'it is kept in Git LFS';

  if (hideValues(old, secrets) !== old && countMasks(text) > countMasks(old))
    return `it holds a secret of this job, which \`${MASK}\` would replace. Change only its other lines, with \`edit_file\``;

  const lines = addedLines(old, text);
  for (const [index, line] of lines.entries()) {
    const badContent = badContentIn(line, secrets);
    if (badContent !== undefined) return `line ${index + 1} would get ${badContent}`;
  }

  const token = findNewToken(lines.join('\n'), old);
  if (token === undefined) return undefined;
  const { name, line, character } = token;
  return `line ${line} would get ${name} from character ${character} on. Where it is made up, put it together from two parts`;
}

/** The lines of a text, with those left empty that the old text has too. */
function addedLines(old: string, text: string): readonly string[] {
  const known = new Set(old.split('\n'));
  return text.split('\n').map((line) => (known.has(line) ? '' : line.replace(/\r$/, '')));
}

/** Names the part of a line that no commit can have; undefined if it has none. */
function badContentIn(line: string, secrets: readonly string[]): string | undefined {
  const hidden = hiddenIn(line);
  if (hidden !== undefined) return hidden;
  return hideValues(line, secrets) === line ? undefined : 'a secret of this job';
}

function badNameIn(path: string, secrets: readonly string[]): string | undefined {
  return badContentIn(path, secrets) ?? findNewToken(path, '')?.name;
}

/** The first token of a well-known shape that is hard to guess and that the old text does not have. */
function findNewToken(text: string, old: string) {
  const isRefused = (token: string) => !old.includes(token) && isHardToGuess(withoutWords(token));
  const [first] = findTokens(text)
    .filter(({ start, end }) => isRefused(text.slice(start, end)))
    .sort((a, b) => a.start - b.start);
  if (first === undefined) return undefined;

  const linesBefore = text.slice(0, first.start).split('\n');
  return {
    name: first.name,
    line: linesBefore.length,
    character: (linesBefore.at(-1) ?? '').length + 1,
  };
}

/**
 * The part of a token that only its owner knows. Everybody knows its words: issuers begin each token
 * with the same ones (`sk-ant-api03`, `BEGIN PRIVATE KEY`), and people write the others as a
 * placeholder (`your-key-here`).
 */
function withoutWords(token: string): string {
  const isWord = (part: string) => /^(?:[A-Z]?[a-z]+|[A-Z]+)\d{0,2}$/.test(part);
  const parts = token.split(/[^A-Za-z\d+=]+/);
  return parts.filter((part) => !isWord(part)).join('');
}

function countMasks(text: string): number {
  return text.split(MASK).length - 1;
}

function decode(bytes: Uint8Array | undefined): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
