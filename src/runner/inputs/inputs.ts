import { EFFORTS, type Effort } from '../../agent/choices.js';
import {
  type AdmissionPolicy,
  DEFAULT_ADMISSION_POLICY,
  MIN_PERMISSIONS,
} from '../../event/admission-policy.js';
import {
  ACTION_MAX_TOKENS,
  ACTION_TIMEOUT_MINUTES,
  DEFAULT_FAIL_ON,
  MAX_DIFF_TOKENS,
  MAX_TURNS,
} from '../../lib/defaults.js';
import type { Environment } from '../../lib/environment.js';
import { ConfigError } from '../../lib/errors.js';
import { CONCLUSIONS, type Conclusion } from '../../lib/outcome.js';
import { grouped } from '../../lib/text/number.js';
import type { SpendLimits } from '../../loop/spend.js';
import { createPathFilter, type DiffPolicy } from '../../prompt/context.js';
import { FINDINGS_GATES, type FindingsGate, parseGate } from '../../review/fail-on.js';
import { createSecrets, type Secrets } from '../../safety/secret-names.js';
import { above0, atLeast0, flag, list, type NumberInput, oneOf, pathPatterns } from './input-values.js';
import { MEMORY_INPUT_DEFAULTS, type MemoryInputs, readMemoryInputs } from './memory-inputs.js';
import { PUBLISH_INPUT_DEFAULTS, type PublishInputs, readPublishInputs } from './publish-inputs.js';
import { REVIEW_INPUT_DEFAULTS, type ReviewInputs, readReviewInputs } from './review-inputs.js';

/** The action's inputs, complete and checked. Empty strings mean not given. */
export interface Inputs {
  readonly agent: string;
  readonly mode: (typeof MODES)[number];
  readonly prompt: string;
  readonly model: string;
  /** Undefined for the agent's own. */
  readonly effort: Effort | undefined;
  readonly apiKey: string;
  readonly agentsDir: string;
  /** Another repository whose agents and skills are used. */
  readonly agentsRepo: AgentsRepo | undefined;
  /** For `agents-repo` and `memory-repo`; empty for the `github-token`. */
  readonly repositoriesToken: string;
  readonly githubToken: string;
  readonly admission: AdmissionPolicy;
  readonly diff: DiffPolicy;
  readonly memory: MemoryInputs;
  readonly comment: (typeof COMMENTS)[number];
  readonly review: ReviewInputs;
  readonly publish: PublishInputs;
  readonly timeoutMinutes: number;
  readonly fallbackModels: readonly string[];
  readonly maxTurns: number;
  /** 0 for the agent's own `[budget]`. */
  readonly maxTokens: number;
  /** 0 for no limit. */
  readonly maxCostUsd: number;
  readonly spendLimits: SpendLimits;
  readonly toolsAllowed: readonly string[];
  /** Names of variables of the environment whose values must not leave. */
  readonly redact: readonly string[];
  /** JSON text. */
  readonly outputSchema: string;
  readonly dryRun: boolean;
  /** Inputs that were given and that the mode does not use. */
  readonly unused: readonly string[];
  readonly failOn: FailOn;
}

/** What fails the step. */
export interface FailOn {
  readonly conclusions: readonly Conclusion[];
  /** An entry that was to be saved and was not. */
  readonly memory: boolean;
  readonly findings: readonly FindingsGate[];
}

const MODES = ['run', 'gc', 'validate'] as const;
const COMMENTS = ['auto', 'always', 'never'] as const;

/** Name and default of every input about who may start a run, as `action.yml` has them. */
export const ADMISSION_INPUT_DEFAULTS = {
  'min-permission': DEFAULT_ADMISSION_POLICY.minPermission,
  'allow-users': '',
  'allow-bots': '',
  'trigger-phrase': DEFAULT_ADMISSION_POLICY.triggerPhrase,
} as const;

/** Name and default of every input about other repositories, as `action.yml` has them. */
const REPOSITORY_INPUT_DEFAULTS = { 'agents-repo': '', 'repositories-token': '' } as const;

/** Name and default of every input about how much of a change is sent, as `action.yml` has them. */
export const DIFF_INPUT_DEFAULTS = { 'max-diff-tokens': String(MAX_DIFF_TOKENS), paths: '' } as const;

/** Name and default of every input, as `action.yml` has them; a test holds the two equal (D28). */
export const INPUT_DEFAULTS = {
  agent: '',
  mode: 'run',
  prompt: '',
  model: '',
  effort: '',
  'api-key': '',
  'agents-dir': '',
  ...REPOSITORY_INPUT_DEFAULTS,
  'github-token': '${{ github.token }}',
  ...ADMISSION_INPUT_DEFAULTS,
  ...DIFF_INPUT_DEFAULTS,
  ...MEMORY_INPUT_DEFAULTS,
  comment: 'auto',
  ...REVIEW_INPUT_DEFAULTS,
  ...PUBLISH_INPUT_DEFAULTS,
  'timeout-minutes': String(ACTION_TIMEOUT_MINUTES),
  'max-turns': String(MAX_TURNS),
  'max-tokens': String(ACTION_MAX_TOKENS),
  'max-cost-usd': '0',
  'max-cost-usd-per-pr': '0',
  'max-cost-usd-per-day': '0',
  'tools-allowed': '',
  redact: '',
  'output-schema': '',
  'dry-run': 'false',
  'fail-on': DEFAULT_FAIL_ON.join(', '),
} as const;

type InputName = keyof typeof INPUT_DEFAULTS;
/** What tells an agent what to do and where its answer goes: nothing of it counts where no agent runs. */
const RUN_INPUT_DEFAULTS = {
  prompt: INPUT_DEFAULTS.prompt,
  effort: INPUT_DEFAULTS.effort,
  ...DIFF_INPUT_DEFAULTS,
  comment: INPUT_DEFAULTS.comment,
  ...REVIEW_INPUT_DEFAULTS,
  ...PUBLISH_INPUT_DEFAULTS,
  'max-turns': INPUT_DEFAULTS['max-turns'],
  'max-cost-usd-per-pr': INPUT_DEFAULTS['max-cost-usd-per-pr'],
  'tools-allowed': INPUT_DEFAULTS['tools-allowed'],
  'output-schema': INPUT_DEFAULTS['output-schema'],
} as const;

/**
 * Reads all inputs at once. The runner gives them as `INPUT_<NAME>` (metadata syntax reference); they are read here
 * without the toolkit, which would cost more time to load than everything else before the first request.
 * Throws a ConfigError that names the input.
 */
export function readInputs(env: Environment): Inputs {
  const read = (name: InputName) => readInput(env, name);
  const models = list(read('model'));
  const inputs: Inputs = {
    agent: read('agent'),
    mode: oneOf(MODES, read('mode'), 'mode'),
    prompt: read('prompt'),
    model: models[0] ?? '',
    fallbackModels: models.slice(1),
    effort: read('effort') === '' ? undefined : oneOf(EFFORTS, read('effort'), 'effort'),
    apiKey: read('api-key'),
    agentsDir: read('agents-dir'),
    agentsRepo: readAgentsRepo(read('agents-repo')),
    repositoriesToken: read('repositories-token'),
    githubToken: read('github-token'),
    admission: readAdmissionInputs(read),
    diff: readDiffInputs(read),
    memory: readMemoryInputs(read, env['GITHUB_REPOSITORY'] ?? ''),
    comment: oneOf(COMMENTS, read('comment'), 'comment'),
    review: readReviewInputs(read),
    publish: readPublishInputs(read),
    timeoutMinutes: above0(read('timeout-minutes'), number('timeout-minutes')),
    maxTurns: Math.ceil(above0(read('max-turns'), number('max-turns'))),
    maxTokens: atLeast0(read('max-tokens'), number('max-tokens')),
    maxCostUsd: atLeast0(read('max-cost-usd'), number('max-cost-usd')),
    spendLimits: {
      perPullUsd: atLeast0(read('max-cost-usd-per-pr'), number('max-cost-usd-per-pr')),
      perDayUsd: atLeast0(read('max-cost-usd-per-day'), number('max-cost-usd-per-day')),
    },
    toolsAllowed: list(read('tools-allowed')),
    redact: list(read('redact')),
    outputSchema: read('output-schema'),
    dryRun: flag(read('dry-run'), 'dry-run'),
    unused: unusedInputs(env, read('mode')),
    failOn: readFailOn(env),
  };
  checkTogether(inputs);
  return inputs;
}

/** What must never leave: what the environment holds of secrets, and of the variables that the input `redact` names. */
export function readSecrets(env: Environment): Secrets {
  return createSecrets(env, list(readInput(env, 'redact')));
}

/** What fails the step; read before all other inputs, whose mistakes it decides about too. */
export function readFailOn(env: Environment): FailOn {
  const words = list(readInput(env, 'fail-on')).map((word) =>
    oneOf([...CONCLUSIONS, ...FINDINGS_GATES, 'memory'], word, 'fail-on'),
  );
  return {
    conclusions: words.flatMap((word) => CONCLUSIONS.filter((conclusion) => conclusion === word)),
    memory: words.includes('memory'),
    findings: words.map(parseGate).filter((gate) => gate !== undefined),
  };
}

/** An input that is empty falls back to its default, so that `${{ vars.X }}` may be unset. */
function readInput(env: Environment, name: InputName): string {
  const value = givenInput(env, name);
  if (value !== '' || name === 'github-token' || name === 'fail-on') return value;
  return INPUT_DEFAULTS[name];
}

function givenInput(env: Environment, name: string): string {
  return env[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
}

function unusedInputs(env: Environment, mode: string): readonly string[] {
  if (mode !== 'gc') return [];
  return Object.entries(RUN_INPUT_DEFAULTS).flatMap(([name, unset]) => {
    const value = givenInput(env, name);
    const isUsed = name === 'report-to';
    return value === '' || value === unset || isUsed ? [] : [name];
  });
}

function checkTogether(inputs: Inputs): void {
  const { agent, mode, memory, prompt, model } = inputs;
  const { publish, agentsRepo, repositoriesToken } = inputs;
  if (mode !== 'gc' && publish.reportTo === 'pull-request') {
    throw new ConfigError('`report-to: pull-request` is for `mode: gc` only', {
      remedy: 'Write `report-to: issue` for the answer of a run.',
    });
  }
  if (repositoriesToken !== '' && agentsRepo === undefined && memory.repository === undefined) {
    throw new ConfigError('the input `repositories-token` is for `agents-repo` and `memory-repo` only', {
      remedy: 'Write `agents-repo: owner/name@ref` or `memory-repo: owner/name` as well.',
    });
  }
  if (mode === 'gc' && memory.store === 'none') {
    throw new ConfigError('`mode: gc` cannot be used with `memory-store: none`, which keeps nothing', {
      remedy: "Write the `memory-store` of the agent's runs, or leave it out.",
    });
  }
  if (mode === 'validate') return;
  if (agent === '' && (mode !== 'run' || model === '' || prompt === '')) {
    throw new ConfigError('the input `agent` is missing', {
      remedy:
        'Give `agent: builtin/pr-reviewer` or the name of an agent of yours, or both `prompt` and `model` to ask without one.',
    });
  }
}

function number(name: InputName): NumberInput {
  const unit = UNITS[name];
  return { name, fallback: unit === undefined ? undefined : `${INPUT_DEFAULTS[name]} ${unit}` };
}

const UNITS: Partial<Record<InputName, string>> = {
  'timeout-minutes': 'minutes',
  'max-turns': 'turns',
  'max-tokens': 'tokens',
};

/** Reads who may start a run. Throws a ConfigError that names the input. */
export function readAdmissionInputs(
  read: (name: keyof typeof ADMISSION_INPUT_DEFAULTS) => string,
): AdmissionPolicy {
  return {
    minPermission: oneOf(MIN_PERMISSIONS, read('min-permission'), 'min-permission'),
    allowUsers: list(read('allow-users')).map((name) => login(name, 'allow-users')),
    allowBots: list(read('allow-bots')).map((name) => login(name, 'allow-bots')),
    triggerPhrase: phrase(read('trigger-phrase')),
  };
}

/** GitHub's logins, those of managed users and apps too; a leading `@` is taken off. A pattern is none. */
function login(value: string, input: string): string {
  const name = value.replace(/^@/, '');
  if (/^[A-Za-z0-9_-]{1,100}(?:\[bot\])?$/.test(name)) return name;
  throw new ConfigError(`the input \`${input}\` takes logins, not ${JSON.stringify(value)}`, {
    remedy:
      'Write each login as GitHub shows it, for example `octocat` or `dependabot[bot]`; there are no patterns.',
  });
}

function phrase(value: string): string {
  if (value.length <= MAX_PHRASE && !/[\n\r`>]/.test(value)) return value;
  throw new ConfigError(`the input \`trigger-phrase\` cannot be ${JSON.stringify(value)}`, {
    remedy: `Give one line of at most ${MAX_PHRASE} characters without code or quotation marks, for example \`@axe\`.`,
  });
}

const MAX_PHRASE = 100;

/** Another repository whose agents and skills are used, at a branch, tag or commit. */
interface AgentsRepo {
  readonly owner: string;
  readonly name: string;
  readonly ref: string;
}

/**
 * The repository whose agents are used; undefined for the workflow's own. The ref must be said: a repository whose default
 * branch is renamed would otherwise change what runs. Throws a ConfigError.
 */
export function readAgentsRepo(value: string): AgentsRepo | undefined {
  if (value === '') return undefined;
  const [, owner, name, ref] =
    /^([A-Za-z0-9][A-Za-z0-9_-]*)\/([A-Za-z0-9._-]+)@(.{1,200})$/.exec(value) ?? [];
  if (owner !== undefined && name !== undefined && ref !== undefined) {
    if (!/^\.\.?$/.test(name) && !NO_REF.test(ref)) return { owner, name, ref };
  }
  throw new ConfigError(
    `the input \`agents-repo\` must be \`owner/name@ref\`, not ${JSON.stringify(value)}`,
    {
      remedy: 'Write a tag, a branch or a commit behind the name, for example `octocat/agents@v1`.',
    },
  );
}

/** What no name of a branch, tag or commit holds (git-check-ref-format), nor what cannot be seen. */
const NO_REF = /[\p{C}\p{Z}~^:?*[\\]|\.\.|@\{|^-|^@$|\.$|\.lock(?:\/|$)|(?:^|\/)(?:\.|\/|$)/u;

/** The inputs about how much of a change is sent, checked. Throws a ConfigError that names the input. */
export function readDiffInputs(read: (name: keyof typeof DIFF_INPUT_DEFAULTS) => string): DiffPolicy {
  const patterns = pathPatterns(read('paths'), 'paths');
  const diff = {
    maxTokens: atLeast0(read('max-diff-tokens'), {
      name: 'max-diff-tokens',
      fallback: `${grouped(MAX_DIFF_TOKENS)} tokens`,
    }),
    paths: patterns.filter((pattern) => !pattern.startsWith('!')),
    pathsIgnore: patterns.flatMap((pattern) => (pattern.startsWith('!') ? [pattern.slice(1)] : [])),
  };
  createPathFilter(diff);
  return diff;
}
