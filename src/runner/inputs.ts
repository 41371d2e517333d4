import { EFFORTS } from '../agent/keys.js';
import type { Price } from '../agent/model-keys.js';
import { closestWord } from '../agent/suggest.js';
import { type AdmissionPolicy, DEFAULT_ADMISSION_POLICY, MIN_PERMISSIONS } from '../event/trust.js';
import { DEFAULT_PUBLISH_RULES, type PublishRules } from '../findings/buffered-publications.js';
import { SEVERITIES } from '../findings/finding.js';
import { FINDINGS_GATES } from '../findings/post/record.js';
import {
  ACTION_MAX_TOKENS,
  ACTION_TIMEOUT_MINUTES,
  DEFAULT_FAIL_ON,
  MAX_DIFF_TOKENS,
  MAX_TURNS,
} from '../lib/defaults.js';
import type { Environment } from '../lib/environment.js';
import { type AxeError, ConfigError, sourcePosition, warningText } from '../lib/errors.js';
import { CONCLUSIONS, type Conclusion } from '../lib/outcome.js';
import { count, oneLine } from '../lib/text/format.js';
import { compileGlob, hasHalfBrace, listedPattern } from '../lib/text/glob.js';
import { createPathFilter, type DiffPolicy } from '../prompt/diff-policy.js';
import { isLanguage } from '../prompt/prompt.js';
import { createSecrets, type Secrets } from '../safety/secrets.js';

/** Name and default of every input, as in `action.yml`; a test compares the two. @internal */
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
  price: '',
  'tools-allowed': '',
  'changes-allowed': '',
  redact: '',
  'output-schema': '',
  'dry-run': 'false',
  'fail-on': DEFAULT_FAIL_ON.join(', '),
} as const;

export type InputName = keyof typeof INPUT_DEFAULTS;

/** The action's inputs, complete and checked. An empty string means that the input is not set. */
export type Inputs = InspectedInputs['inputs'];

export type MemoryInputs = Inputs['memory'];

/** A value that cannot be used, or that another one excludes. */
export interface InputMistake {
  readonly input: InputName;
  readonly error: ConfigError;
}

type InspectedInputs = ReturnType<typeof inspectInputs>;

/** Reads all inputs, as {@link inspectInputs} does. Throws a ConfigError that names each mistake. */
export function readInputs(env: Environment): Inputs {
  const { inputs, mistakes } = inspectInputs(env);
  if (mistakes.length > 0) throw joinMistakes(mistakes.map(({ error }) => error));
  return inputs;
}

/**
 * Reads all inputs at once, and collects all mistakes; an input with a mistake has its default. The
 * runner passes inputs as `INPUT_<NAME>` (metadata syntax reference). They are read without the
 * toolkit: loading it would take longer than everything else before the first request. `unknown` are
 * inputs whose values are not known yet.
 */
export function inspectInputs(env: Environment, unknown: readonly string[] = []) {
  const mistakes: InputMistake[] = unknownInputs(env);
  const parse = <T>(name: InputName, parser: Parser<T>): T => {
    try {
      return parser(name, readInput(env, name));
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      mistakes.push({ input: name, error: thrown });
      return parser(name, name === 'github-token' ? '' : INPUT_DEFAULTS[name]);
    }
  };
  const failOn = parse('fail-on', failOnWords);
  const inputs = parseInputs(env, parse, failOn);
  mistakes.push(...excludedInputs(inputs, [...unknown, ...mistakes.map(({ input }) => input)]));
  return { inputs, failOn, mistakes };
}

function parseInputs(
  env: Environment,
  parse: <T>(name: InputName, parser: Parser<T>) => T,
  failOn: FailOn,
) {
  const [model = '', ...fallbackModels] = parse('model', list);
  const repository = parse('memory-repo', repositoryOf);
  const repositoryName = `${repository?.owner}/${repository?.name}`.toLowerCase();
  const ownName = env['GITHUB_REPOSITORY']?.toLowerCase();
  return {
    agent: parse('agent', text),
    mode: parse('mode', oneOf('run', 'gc', 'validate')),
    prompt: parse('prompt', text),
    model,
    fallbackModels,
    /** Undefined: the agent's own. */
    effort: parse('effort', oneOfOrNone(...EFFORTS)),
    apiKey: parse('api-key', credential),
    agentsDir: parse('agents-dir', text),
    /** Another repository whose agents and skills are used. */
    agentsRepo: parse('agents-repo', repositoryAtRef),
    /** For `agents-repo` and `memory-repo`; empty for the `github-token`. */
    repositoriesToken: parse('repositories-token', credential),
    githubToken: parse('github-token', credential),
    admission: {
      minPermission: parse('min-permission', oneOf(...MIN_PERMISSIONS)),
      allowUsers: parse('allow-users', logins),
      allowBots: parse('allow-bots', logins),
      triggerPhrase: parse('trigger-phrase', phrase),
    } satisfies AdmissionPolicy,
    diff: { ...parse('paths', pathPatterns), maxTokens: parse('max-diff-tokens', atLeast0) },
    memory: {
      store: parse('memory-store', oneOf('branch', 'cache', 'file', 'none')),
      branch: parse('memory-branch', branchName),
      /** Folder in the store, empty for the top; undefined: the store's default. */
      path: parse('memory-path', folder),
      /** A repository for memory; undefined: the run's own. */
      repository,
      /** Memory is in another repository and its text has to stay there. */
      isElsewhere: repository !== undefined && repositoryName !== ownName,
      /** Entries are loaded, but none are added. */
      isReadOnly: parse('memory-readonly', flag),
    },
    comment: parse('comment', oneOf('auto', 'always', 'never')),
    rules: {
      ...DEFAULT_PUBLISH_RULES,
      maxComments: parse('max-comments', wholeFrom0),
      blockOn: parse('block-on', oneOfOrNone(...SEVERITIES)),
      failOn: SEVERITIES.findLast((severity) => failOn.findings.includes(`findings:${severity}`)),
      labels: parse('labels-allowed', list),
    } satisfies PublishRules,
    /** Overrides the agent's own `[review]`. */
    minSeverity: parse('min-severity', oneOfOrNone(...SEVERITIES)),
    /**
     * Publishes the answer if the event has no issue or pull request, and the suggestions of `mode:
     * gc`; empty: only in the summary. `pull-request` is for suggestions only.
     */
    reportTo: parse('report-to', oneOfOrNone('issue', 'pull-request')) ?? '',
    /** Findings become a check of the commit. */
    checkRun: parse('check-run', flag),
    /** Name or code of a language; empty: the agent decides. */
    language: parse('language', languageName),
    timeoutMinutes: parse('timeout-minutes', above0),
    maxTurns: Math.ceil(parse('max-turns', above0)),
    /** 0: the agent's own `[budget]`. */
    maxTokens: parse('max-tokens', atLeast0),
    /** 0: no limit. */
    maxCostUsd: parse('max-cost-usd', atLeast0),
    spendLimits: {
      perPullUsd: parse('max-cost-usd-per-pr', atLeast0),
      perDayUsd: parse('max-cost-usd-per-day', atLeast0),
    },
    /** For the model of this run, if we do not know its price. */
    price: parse('price', priceOf),
    toolsAllowed: parse('tools-allowed', list),
    /** Patterns of files that a run can change for a pull request; empty: no files. */
    changesAllowed: parse('changes-allowed', changePatterns),
    /** Names of environment variables whose values must never be published. */
    redact: parse('redact', list),
    outputSchema: parse('output-schema', text),
    dryRun: parse('dry-run', flag),
  };
}

/**
 * Inputs that another one excludes, and a missing agent. Nothing is said about `unknown` inputs: they
 * have a mistake of their own, or no value yet.
 */
function excludedInputs(
  { agent, mode, prompt, model, reportTo, memory }: ReturnType<typeof parseInputs>,
  unknown: readonly string[],
): readonly InputMistake[] {
  const isKnown = (...names: readonly InputName[]) => !names.some((name) => unknown.includes(name));
  const excluded: InputMistake[] = [];
  const exclude = (input: InputName, message: string, remedy: string) =>
    excluded.push({ input, error: new ConfigError(message, { remedy }) });

  if (isKnown('mode') && mode !== 'gc' && reportTo === 'pull-request')
    exclude(
      'report-to',
      '`report-to: pull-request` is for `mode: gc` only',
      'Write `report-to: issue` for the answer of a run.',
    );
  if (memory.repository !== undefined && memory.store !== 'branch')
    exclude(
      'memory-repo',
      `\`memory-repo\` cannot be used with \`memory-store: ${memory.store}\``,
      'Leave `memory-store` out, or write `memory-store: branch`.',
    );

  const asksWithoutAgent = mode === 'run' && model !== '' && prompt !== '';
  const isAgentKnown = isKnown('agent', 'mode', 'model', 'prompt');
  if (isAgentKnown && agent === '' && mode !== 'validate' && !asksWithoutAgent)
    exclude(
      'agent',
      'the input `agent` is missing',
      'Give `agent: builtin/pr-reviewer` or the name of your own agent, or both `prompt` and `model` to ask without one.',
    );
  return excluded;
}

/**
 * Inputs whose names are close to a known one, such as `max-cost-us`: the runner passes them on with
 * a warning, and a run would do without the limit. Other names can be variables of the job.
 */
function unknownInputs(env: Environment): InputMistake[] {
  const names = Object.keys(INPUT_DEFAULTS) as InputName[];
  return Object.keys(env).flatMap((variable) => {
    const [, name = ''] = /^INPUT_(.+)$/.exec(variable) ?? [];
    const written = name.toLowerCase();
    if (written === '' || names.some((known) => known === written)) return [];
    const nearest = closestWord(written, names);
    const input = names.find((known) => known === nearest);
    if (input === undefined) return [];
    const error = new ConfigError(`there is no input ${JSON.stringify(written)}`, {
      remedy: `Did you mean \`${input}\`?`,
    });
    return [{ input, error }];
  });
}

/** One error for all mistakes of a set-up, with a line for each; a single one stays as it is. */
export function joinMistakes(errors: readonly AxeError[]): AxeError {
  const unique = errors.filter(
    ({ message }, index) => errors.findIndex((error) => error.message === message) === index,
  );
  const [first, ...others] = unique;
  if (first !== undefined && others.length === 0) return first;
  const lines = unique.map(({ message, remedy, at }) => {
    const place = at === undefined ? '' : `${sourcePosition(at)}: `;
    return `- ${oneLine(place + warningText({ message, remedy }))}`;
  });
  return new ConfigError(
    [`${count(unique.length, 'mistake')} in the set-up:`, ...lines].join('\n'),
  );
}

/** The environment's secrets, and the values of the variables that the input `redact` names. */
export function readSecrets(env: Environment): Secrets {
  return createSecrets(env, splitList(readInput(env, 'redact')));
}

export interface FailOn {
  readonly conclusions: readonly Conclusion[];
  /** Fail if an entry could not be saved. */
  readonly memory: boolean;
  readonly findings: readonly string[];
}

function failOnWords(name: InputName, value: string): FailOn {
  const known = [...CONCLUSIONS, ...FINDINGS_GATES, 'memory'];
  const words =
    value === 'none' ? [] : list(name, value).map((word) => oneOf(...known, 'none')(name, word));
  if (words.includes('none'))
    throw refused(name, value, 'Write `none` alone, or leave it out of the list.');
  return {
    conclusions: words.flatMap((word) => CONCLUSIONS.filter((conclusion) => conclusion === word)),
    memory: words.includes('memory'),
    findings: words.filter((word) => FINDINGS_GATES.includes(word)),
  };
}

/** An empty input gets its default, so that a workflow can pass an unset `${{ vars.X }}`. */
function readInput(env: Environment, name: InputName): string {
  const value = env[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
  if (value !== '' || name === 'github-token') return value;
  return INPUT_DEFAULTS[name];
}

/** Returns the value of an input, or throws a ConfigError that says what to write instead. */
type Parser<T> = (name: InputName, value: string) => T;

function refused(name: InputName, value: string, remedy: string): ConfigError {
  return new ConfigError(`the input \`${name}\` cannot be ${JSON.stringify(value)}`, { remedy });
}

function oneOf<const T extends string>(...values: readonly T[]): Parser<T> {
  return (name, value) => {
    const choice = values.find((candidate) => candidate === value);
    if (choice !== undefined) return choice;
    const choices = values.map((candidate) => `\`${candidate}\``).join(', ');
    throw refused(name, value, `Choose one of ${choices}.`);
  };
}

function oneOfOrNone<const T extends string>(...values: readonly T[]): Parser<T | undefined> {
  return (name, value) => (value === '' ? undefined : oneOf(...values)(name, value));
}

/** `true` or `false` in any case, as `getBooleanInput` of the toolkit accepts them. */
function flag(name: InputName, value: string): boolean {
  return oneOf('true', 'false')(name, value.toLowerCase()) === 'true';
}

/** The error names the range. */
function numberIn(range: string, isIn: (number: number) => boolean): Parser<number> {
  return (name, value) => {
    const number = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
    if (Number.isFinite(number) && isIn(number)) return number;
    throw new ConfigError(
      `the input \`${name}\` must be a number ${range}, not ${JSON.stringify(value)}`,
      {
        remedy: 'Write digits alone, with a point for a fraction, or leave it out.',
      },
    );
  };
}

const above0 = numberIn('above 0', (number) => number > 0);
const atLeast0 = numberIn('from 0, which means no limit', (number) => number >= 0);
const wholeFrom0 = numberIn(
  'from 0, without a fraction',
  (number) => number >= 0 && number < 1e6 && Number.isInteger(number),
);

/** Two or four prices, separated by spaces; a comma could also be a decimal point. */
function priceOf(name: InputName, value: string): Price | undefined {
  if (value === '') return undefined;
  const words = value.split(/\s+/);
  const isPrice = words.every((word) => /^\d{1,9}(?:\.\d{1,9})?$/.test(word));
  const [input = 0, output = 0, cacheRead = input, cacheWrite = input] = words.map(Number);
  if (isPrice && (words.length === 2 || words.length === 4))
    return { input, output, cacheRead, cacheWrite };
  const remedy =
    'Write US dollars per million tokens of input and output with a space in between, for example `2 10`; or four: also of input read from the cache and written to it, `2 10 0.1 2.5`.';
  throw refused(name, value, remedy);
}

function text(_name: InputName, value: string): string {
  return value;
}

/** A key or a token. */
function credential(name: InputName, value: string): string {
  const error = unsendable(`the input \`${name}\``, value);
  if (error !== undefined) throw error;
  return value;
}

/**
 * The error for a key or a token that no request can carry; undefined if one can. It does not show
 * the value, as the error of a request would.
 */
export function unsendable(place: string, value: string): ConfigError | undefined {
  if (/^[\x20-\x7e]*$/.test(value)) return undefined;
  return new ConfigError(
    `${place} holds a line break or another character that a header cannot carry`,
    { remedy: 'Save the secret once more, alone and on one line.' },
  );
}

/**
 * Splits at commas and line breaks. An input is a text, so the dash of a YAML list and quotes within
 * a block would be part of a word, which then names nothing.
 */
function list(name: InputName, value: string): readonly string[] {
  const words = splitList(value);
  const listed = words.find((word) => /^-\s/.test(word));
  if (listed !== undefined)
    throw refused(name, listed, 'Write each on a line of its own, without `- ` before it.');
  const quoted = words.find((word) => /^["']/.test(word));
  if (quoted !== undefined) throw refused(name, quoted, 'Leave out the quotes within the list.');
  return words;
}

function splitList(value: string): readonly string[] {
  return value.split(/[,\n]/).flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
}

/** GitHub logins, with a leading `@` or without; managed users have `_` in theirs, apps `[bot]`. */
function logins(name: InputName, value: string): readonly string[] {
  return list(name, value).map((word) => {
    const login = word.replace(/^@/, '');
    if (/^[A-Za-z0-9_-]{1,100}(?:\[bot\])?$/.test(login)) return login;
    const examples = 'for example `octocat` or `dependabot[bot]`; patterns are not supported';
    throw refused(name, word, `Write each login as GitHub shows it, ${examples}.`);
  });
}

function phrase(name: InputName, value: string): string {
  if (/^[^\n\r`>]{0,100}$/.test(value)) return value;
  throw refused(
    name,
    value,
    'Give one line of at most 100 characters without code or quotation marks, for example `/axe`.',
  );
}

/** The language becomes part of the system prompt, so it has to be a name and not a sentence. */
function languageName(name: InputName, value: string): string {
  if (value === '' || isLanguage(value)) return value;
  throw refused(
    name,
    value,
    'Write its name or its code, for example `German`, `Deutsch`, `de` or `pt-BR`.',
  );
}

/**
 * A repository at a branch, tag or commit. The ref is required: without one, somebody who changes
 * the default branch of that repository would change what runs here.
 */
function repositoryAtRef(name: InputName, value: string) {
  if (value === '') return undefined;
  const [, slug = '', ref = ''] = /^([^@]*)@(.*)$/.exec(value) ?? [];
  const repository = ownerAndName(slug);
  if (repository !== undefined && isRefName(ref)) return { ...repository, ref };
  const example = 'with a tag, a branch or a commit, for example `octocat/agents@v1`';
  throw refused(name, value, `Write it as \`owner/name@ref\`, ${example}.`);
}

function repositoryOf(name: InputName, value: string) {
  const repository = ownerAndName(value);
  if (value === '' || repository !== undefined) return repository;
  throw refused(name, value, 'Write it as `owner/name`, for example `octocat/memory`.');
}

function ownerAndName(value: string) {
  const [, owner, name] = /^([A-Za-z0-9][A-Za-z0-9_-]*)\/([A-Za-z0-9._-]+)$/.exec(value) ?? [];
  return owner === undefined || name === undefined || /^\.\.?$/.test(name)
    ? undefined
    : { owner, name };
}

/** Git's rules for branch names, without names that git would read as a full ref or a commit. */
function branchName(name: InputName, value: string): string {
  const isFullRefOrCommit = /^(?:refs\/.*|HEAD|[0-9a-f]{40})$/i.test(value);
  if (isRefName(value) && !isFullRefOrCommit) return value;
  throw refused(name, value, 'Write the short name of a branch, for example `axe-memory`.');
}

function isRefName(value: string): boolean {
  return value !== '' && value.length <= 200 && !NO_REF.test(value);
}

/** Forbidden in a ref by git (git-check-ref-format, rules 1 to 10), and invisible characters. */
const NO_REF = /[\p{C}\p{Z}~^:?*[\\]|\.\.|@\{|^-|^@$|\.$|\.lock(?:\/|$)|(?:^|\/)(?:\.|\/|$)/u;

/** A folder inside the workspace or the branch, because memory is written there. */
function folder(name: InputName, value: string): string | undefined {
  if (value === '') return undefined;
  const parts = value.split(/[\\/]/);
  const isInside = !/^(?:[\\/]|[A-Za-z]:)|\p{Cc}/u.test(value);
  if (isInside && !parts.some((part) => part === '..' || part.toLowerCase() === '.git'))
    return parts.filter((part) => part !== '' && part !== '.').join('/');
  throw refused(name, value, 'Write a folder inside the repository, for example `.axe/memory`.');
}

function pathPatterns(name: InputName, value: string): Omit<DiffPolicy, 'maxTokens'> {
  const patterns = filePatterns(name, value);
  const diff = {
    paths: patterns.filter((pattern) => !pattern.startsWith('!')),
    pathsIgnore: patterns.flatMap((pattern) => (pattern.startsWith('!') ? [pattern.slice(1)] : [])),
  };
  createPathFilter(diff);
  return diff;
}

/** Patterns of files that a run can change; `true` is every file that is not protected. */
function changePatterns(name: InputName, value: string): readonly string[] {
  const words = list(name, value);
  const misspelt = words.find((word) => /^(?:true|false)$/i.test(word) && !/^[a-z]+$/.test(word));
  if (misspelt !== undefined)
    throw refused(name, misspelt, `Write \`${misspelt.toLowerCase()}\` in small letters.`);
  const patterns = words
    .map((word) => (word === 'true' ? '**' : word))
    .flatMap((word) => filePatterns(name, word))
    .filter((pattern) => pattern !== 'false');
  const excluding = patterns.find((pattern) => pattern.startsWith('!'));
  if (excluding !== undefined)
    throw refused(name, excluding, 'Write the patterns of files that may be changed.');
  for (const pattern of patterns) compileGlob(pattern);
  return patterns;
}

/** Patterns of files, as {@link listedPattern} reads them. */
function filePatterns(name: InputName, value: string): readonly string[] {
  return list(name, value).map((pattern) => {
    if (hasHalfBrace(pattern))
      throw refused(
        name,
        pattern,
        'Write a pattern for each, for example `**/*.ts, **/*.tsx`: `{ts,tsx}` is not supported.',
      );
    return listedPattern(pattern);
  });
}
