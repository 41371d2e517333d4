import { type AdmissionPolicy, DEFAULT_ADMISSION_POLICY, MIN_PERMISSIONS } from '../../event/permission.js';
import {
  ACTION_MAX_TOKENS,
  ACTION_TIMEOUT_MINUTES,
  DEFAULT_FAIL_ON,
  MAX_DIFF_TOKENS,
  MAX_TURNS,
} from '../../lib/defaults.js';
import { ConfigError } from '../../lib/errors.js';
import { compileGlob } from '../../lib/text/glob.js';
import { createPathFilter, type DiffPolicy } from '../../prompt/context.js';
import { isLanguage } from '../../prompt/system.js';
import { SEVERITIES, type Severity } from '../../review/finding.js';
import { DEFAULT_PUBLISH_RULES, type PublishRules } from '../../review/publish-rules.js';

/** Who may start a run. Throws a ConfigError that names the input, as all readers of this file do. */
export function readAdmissionInputs(read: ReadInput): AdmissionPolicy {
  return {
    minPermission: oneOf(MIN_PERMISSIONS, read('min-permission'), 'min-permission'),
    allowUsers: list(read('allow-users')).map((name) => login(name, 'allow-users')),
    allowBots: list(read('allow-bots')).map((name) => login(name, 'allow-bots')),
    triggerPhrase: phrase(read('trigger-phrase')),
  };
}

/** GitHub's logins, those of managed users and apps too; a leading `@` is taken off. A pattern is none. */
function login(value: string, input: InputName): string {
  const name = value.replace(/^@/, '');
  if (/^[A-Za-z0-9_-]{1,100}(?:\[bot\])?$/.test(name)) return name;
  throw new ConfigError(`the input \`${input}\` takes logins, not ${JSON.stringify(value)}`, {
    remedy:
      'Write each login as GitHub shows it, for example `octocat` or `dependabot[bot]`; patterns are not supported.',
  });
}

function phrase(value: string): string {
  if (value.length <= MAX_PHRASE && !/[\n\r`>]/.test(value)) return value;
  throw new ConfigError(`the input \`trigger-phrase\` cannot be ${JSON.stringify(value)}`, {
    remedy: `Give one line of at most ${MAX_PHRASE} characters without code or quotation marks, for example \`@axe\`.`,
  });
}

const MAX_PHRASE = 100;

/**
 * Another repository whose agents and skills are used, at a branch, tag or commit; undefined for the workflow's own. The ref
 * must be said: a repository whose default branch is renamed would otherwise change what runs.
 */
export function readAgentsRepo(value: string) {
  if (value === '') return undefined;
  const [, place = '', ref = ''] = /^([^@]*)@(.{1,200})$/.exec(value) ?? [];
  const repository = ownerAndName(place);
  if (repository !== undefined && ref !== '' && !NO_REF.test(ref)) return { ...repository, ref };
  throw new ConfigError(
    `the input \`agents-repo\` must be \`owner/name@ref\`, not ${JSON.stringify(value)}`,
    {
      remedy: 'Add a tag, a branch or a commit after the name, for example `octocat/agents@v1`.',
    },
  );
}

function ownerAndName(value: string) {
  const [, owner, name] = /^([A-Za-z0-9][A-Za-z0-9_-]*)\/([A-Za-z0-9._-]+)$/.exec(value) ?? [];
  return owner === undefined || name === undefined || /^\.\.?$/.test(name) ? undefined : { owner, name };
}

export function readDiffInputs(read: ReadInput): DiffPolicy {
  const patterns = filePatterns(read('paths'));
  const diff = {
    maxTokens: atLeast0(read, 'max-diff-tokens'),
    paths: patterns.filter((pattern) => !pattern.startsWith('!')),
    pathsIgnore: patterns.flatMap((pattern) => (pattern.startsWith('!') ? [pattern.slice(1)] : [])),
  };
  createPathFilter(diff);
  return diff;
}

/** Patterns of files that a run may change; `true` is all but those that none ever changes. */
export function readChangesAllowed(read: ReadInput): readonly string[] {
  const patterns = list(read('changes-allowed')).flatMap((one) =>
    one === 'true' ? ['**'] : filePatterns(one),
  );
  const excluding = patterns.find((pattern) => pattern.startsWith('!'));
  if (excluding !== undefined) {
    throw new ConfigError(`the input \`changes-allowed\` cannot have ${JSON.stringify(excluding)}`, {
      remedy: 'Write the patterns of the files that may be changed.',
    });
  }
  for (const pattern of patterns) compileGlob(pattern);
  return patterns.filter((pattern) => pattern !== 'false');
}

/** Patterns of files. `docs/` is all that is in the folder; `./` or `/` at the beginning says nothing. */
function filePatterns(value: string): readonly string[] {
  return list(value).map((pattern) => pattern.replace(/\/$/, '/**').replace(/^(!?)\.?\/+/, '$1'));
}

export interface MemoryInputs {
  readonly store: (typeof STORES)[number];
  readonly branch: string;
  /** Folder in the store, empty for the top; undefined for the store's own default. */
  readonly path: string | undefined;
  /** Another repository than the run's. */
  readonly repository: { readonly owner: string; readonly name: string } | undefined;
  /** That is where what memory says has to stay (D14). */
  readonly isElsewhere: boolean;
  /** Entries are loaded, and none is added. */
  readonly isReadOnly: boolean;
}

const STORES = ['branch', 'cache', 'file', 'none'] as const;

/** Where memory is kept; `here` is the run's own repository. */
export function readMemoryInputs(read: ReadInput, here: string): MemoryInputs {
  const repository = memoryRepository(read('memory-repo'));
  const place = repository === undefined ? here : `${repository.owner}/${repository.name}`;
  const store = oneOf(STORES, read('memory-store'), 'memory-store');
  if (repository !== undefined && store !== 'branch') {
    throw new ConfigError(`\`memory-repo\` cannot be used with \`memory-store: ${store}\``, {
      remedy: 'Leave `memory-store` out, or write `memory-store: branch`.',
    });
  }
  return {
    store,
    branch: branchName(read('memory-branch')),
    path: folder(read('memory-path')),
    repository,
    isElsewhere: place.toLowerCase() !== here.toLowerCase(),
    isReadOnly: flag(read, 'memory-readonly'),
  };
}

/** As git allows names of branches, but for names that are read as something else: a whole ref, a commit. */
function branchName(value: string): string {
  const isOther = /^(?:refs\/.*|HEAD|[0-9a-f]{40})$/i.test(value);
  if (value.length <= MAX_BRANCH_CHARACTERS && !NO_REF.test(value) && !isOther) return value;
  throw new ConfigError(`the input \`memory-branch\` is not a branch name: ${JSON.stringify(value)}`, {
    remedy: 'Write the short name, for example `axe-memory`.',
  });
}

const MAX_BRANCH_CHARACTERS = 200;

function memoryRepository(value: string): MemoryInputs['repository'] {
  const repository = ownerAndName(value);
  if (value === '' || repository !== undefined) return repository;
  throw new ConfigError(`the input \`memory-repo\` must be \`owner/name\`, not ${JSON.stringify(value)}`, {
    remedy: 'Write, for example, `octocat/memory`.',
  });
}

/** Stays inside the workspace or the branch: memory is written there. */
function folder(value: string): string | undefined {
  if (value === '') return undefined;
  const parts = value.split(/[\\/]/);
  const isInside = !/^(?:[\\/]|[A-Za-z]:)|\p{Cc}/u.test(value);
  if (isInside && !parts.some((part) => part === '..' || part.toLowerCase() === '.git')) {
    return parts.filter((part) => part !== '' && part !== '.').join('/');
  }
  throw new ConfigError(
    `the input \`memory-path\` must be a folder inside the repository, not ${JSON.stringify(value)}`,
    { remedy: 'Write it relative to the repository, for example `.axe/memory`.' },
  );
}

/** The language becomes a part of the system prompt, so it is a name and nothing like a sentence. */
export function readLanguage(language: string): string {
  if (language === '' || isLanguage(language)) return language;
  throw new ConfigError(`the input \`language\` is not a language: ${JSON.stringify(language)}`, {
    remedy: 'Write its name or its code, for example `German`, `Deutsch`, `de` or `pt-BR`.',
  });
}

export function readPublishRules(read: ReadInput): PublishRules {
  return {
    ...DEFAULT_PUBLISH_RULES,
    maxComments: wholeFrom0(read, 'max-comments'),
    blockOn: readSeverity(read, 'block-on'),
    labels: list(read('labels-allowed')),
  };
}

export function readSeverity(read: ReadInput, name: InputName): Severity | undefined {
  return read(name) === '' ? undefined : oneOf(SEVERITIES, read(name), name);
}

/** Name and default of every input, as `action.yml` has them; a test holds the two equal (D28). */
export const INPUT_DEFAULTS = {
  agent: '',
  mode: 'run',
  prompt: '',
  model: '',
  effort: '',
  'api-key': '',
  'agents-dir': '',
  'agents-repo': '',
  'repositories-token': '',
  'github-token': '${{ github.token }}',
  'min-permission': DEFAULT_ADMISSION_POLICY.minPermission,
  'allow-users': '',
  'allow-bots': '',
  'trigger-phrase': DEFAULT_ADMISSION_POLICY.triggerPhrase,
  'max-diff-tokens': String(MAX_DIFF_TOKENS),
  paths: '',
  'memory-store': 'branch',
  'memory-branch': 'axe-memory',
  'memory-path': '',
  'memory-repo': '',
  'memory-readonly': 'false',
  comment: 'auto',
  'min-severity': '',
  'block-on': '',
  'max-comments': String(DEFAULT_PUBLISH_RULES.maxComments),
  'labels-allowed': '',
  'report-to': '',
  'check-run': 'false',
  language: '',
  'timeout-minutes': String(ACTION_TIMEOUT_MINUTES),
  'max-turns': String(MAX_TURNS),
  'max-tokens': String(ACTION_MAX_TOKENS),
  'max-cost-usd': '0',
  'max-cost-usd-per-pr': '0',
  'max-cost-usd-per-day': '0',
  'tools-allowed': '',
  'changes-allowed': '',
  redact: '',
  'output-schema': '',
  'dry-run': 'false',
  'fail-on': DEFAULT_FAIL_ON.join(', '),
} as const;

export type InputName = keyof typeof INPUT_DEFAULTS;

export type ReadInput = (name: InputName) => string;

/** One of some words. Throws a ConfigError that lists them. */
export function oneOf<T extends string>(values: readonly T[], value: string, name: InputName): T {
  const found = values.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new ConfigError(`the input \`${name}\` cannot be ${JSON.stringify(value)}`, {
    remedy: `Choose one of ${values.map((candidate) => `\`${candidate}\``).join(', ')}.`,
  });
}

/** YAML 1.2's spellings of true and false, as the toolkit takes them. Throws a ConfigError. */
export function flag(read: ReadInput, name: InputName): boolean {
  const value = read(name);
  if (['true', 'True', 'TRUE'].includes(value)) return true;
  if (['false', 'False', 'FALSE'].includes(value)) return false;
  throw new ConfigError(`the input \`${name}\` must be true or false, not ${JSON.stringify(value)}`, {
    remedy: `Write \`${name}: true\` or leave it out.`,
  });
}

/** Throws a ConfigError for anything but a number above 0. */
export function above0(read: ReadInput, name: InputName): number {
  const parsed = Number(read(name));
  if (Number.isFinite(parsed) && parsed > 0) return parsed;
  throw notANumber(read, name, 'above 0');
}

/** Throws a ConfigError for anything but a number from 0. */
export function atLeast0(read: ReadInput, name: InputName): number {
  const parsed = Number(read(name));
  if (Number.isFinite(parsed) && parsed >= 0) return parsed;
  throw notANumber(read, name, 'from 0, which means no limit');
}

/** Throws a ConfigError for anything but a whole number from 0. */
function wholeFrom0(read: ReadInput, name: InputName): number {
  const value = read(name);
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw notANumber(read, name, 'from 0, without a fraction');
}

function notANumber(read: ReadInput, name: InputName, range: string): ConfigError {
  const what = `the input \`${name}\` must be a number ${range}, not ${JSON.stringify(read(name))}`;
  return new ConfigError(what, {
    remedy: 'Write digits alone, with a point for a fraction, or leave it out.',
  });
}

/** Words between commas and line breaks (D28). */
export function list(value: string): readonly string[] {
  return value.split(/[,\n]/).flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
}

/** What no name of a branch, tag or commit holds (git-check-ref-format, rules 1 to 10), nor what cannot be seen. */
const NO_REF = /[\p{C}\p{Z}~^:?*[\\]|\.\.|@\{|^-|^@$|\.$|\.lock(?:\/|$)|(?:^|\/)(?:\.|\/|$)/u;
