import { EFFORTS, type Effort } from '../../agent/choices.js';
import type { AdmissionPolicy } from '../../event/permission.js';
import type { Environment } from '../../lib/environment.js';
import { ConfigError } from '../../lib/errors.js';
import { CONCLUSIONS, type Conclusion } from '../../lib/outcome.js';
import type { SpendLimits } from '../../loop/spend.js';
import type { DiffPolicy } from '../../prompt/context.js';
import type { Severity } from '../../review/finding.js';
import type { PublishRules } from '../../review/publish-rules.js';
import { FINDINGS_GATES } from '../../review/record.js';
import { createSecrets, type Secrets } from '../../safety/secret-names.js';
import {
  above0,
  atLeast0,
  flag,
  INPUT_DEFAULTS,
  type InputName,
  list,
  type MemoryInputs,
  oneOf,
  type ReadInput,
  readAdmissionInputs,
  readAgentsRepo,
  readChangesAllowed,
  readDiffInputs,
  readLanguage,
  readMemoryInputs,
  readPublishRules,
  readSeverity,
} from './input-groups.js';

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
  readonly agentsRepo: ReturnType<typeof readAgentsRepo>;
  /** For `agents-repo` and `memory-repo`; empty for the `github-token`. */
  readonly repositoriesToken: string;
  readonly githubToken: string;
  readonly admission: AdmissionPolicy;
  readonly diff: DiffPolicy;
  readonly memory: MemoryInputs;
  readonly comment: (typeof COMMENTS)[number];
  readonly rules: PublishRules;
  /** What the agent's own `[review]` gives way to. */
  readonly minSeverity: Severity | undefined;
  /**
   * Where the answer goes of a run that is about no issue and no pull request, and what `mode: gc` suggests; empty for the
   * summary alone. A pull request can only hold suggestions.
   */
  readonly reportTo: '' | 'issue' | 'pull-request';
  /** Whether findings become a check of the commit. */
  readonly checkRun: boolean;
  /** A name or a code of a language; empty leaves it to the agent. */
  readonly language: string;
  readonly timeoutMinutes: number;
  readonly fallbackModels: readonly string[];
  readonly maxTurns: number;
  /** 0 for the agent's own `[budget]`. */
  readonly maxTokens: number;
  /** 0 for no limit. */
  readonly maxCostUsd: number;
  readonly spendLimits: SpendLimits;
  readonly toolsAllowed: readonly string[];
  /** Patterns of files that a run may change for a pull request; none: it changes nothing. */
  readonly changesAllowed: readonly string[];
  /** Names of variables of the environment whose values must not leave. */
  readonly redact: readonly string[];
  readonly outputSchema: string;
  readonly dryRun: boolean;
  readonly failOn: FailOn;
}

export interface FailOn {
  readonly conclusions: readonly Conclusion[];
  /** An entry that was to be saved and was not. */
  readonly memory: boolean;
  readonly findings: readonly string[];
}

const MODES = ['run', 'gc', 'validate'] as const;
const COMMENTS = ['auto', 'always', 'never'] as const;

/**
 * Reads all inputs at once. The runner gives them as `INPUT_<NAME>` (metadata syntax reference); they are read here
 * without the toolkit, which would cost more time to load than everything else before the first request.
 * Throws a ConfigError that names the input.
 */
export function readInputs(env: Environment): Inputs {
  const read: ReadInput = (name) => readInput(env, name);
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
    rules: readPublishRules(read),
    minSeverity: readSeverity(read, 'min-severity'),
    reportTo:
      read('report-to') === '' ? '' : oneOf(['issue', 'pull-request'], read('report-to'), 'report-to'),
    checkRun: flag(read, 'check-run'),
    language: readLanguage(read('language')),
    timeoutMinutes: above0(read, 'timeout-minutes'),
    maxTurns: Math.ceil(above0(read, 'max-turns')),
    maxTokens: atLeast0(read, 'max-tokens'),
    maxCostUsd: atLeast0(read, 'max-cost-usd'),
    spendLimits: {
      perPullUsd: atLeast0(read, 'max-cost-usd-per-pr'),
      perDayUsd: atLeast0(read, 'max-cost-usd-per-day'),
    },
    toolsAllowed: list(read('tools-allowed')),
    changesAllowed: readChangesAllowed(read),
    redact: list(read('redact')),
    outputSchema: read('output-schema'),
    dryRun: flag(read, 'dry-run'),
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
    findings: words.filter((word) => FINDINGS_GATES.includes(word)),
  };
}

/** An input that is empty falls back to its default, so that `${{ vars.X }}` may be unset. */
function readInput(env: Environment, name: InputName): string {
  const value = env[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
  if (value !== '' || name === 'github-token' || name === 'fail-on') return value;
  return INPUT_DEFAULTS[name];
}

function checkTogether(inputs: Inputs): void {
  const { agent, mode, memory, prompt, model } = inputs;
  const { reportTo, agentsRepo, repositoriesToken } = inputs;
  if (mode !== 'gc' && reportTo === 'pull-request') {
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
        'Give `agent: builtin/pr-reviewer` or the name of your own agent, or both `prompt` and `model` to ask without one.',
    });
  }
}
