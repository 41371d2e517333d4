import { setSecret } from '@actions/core';
import { readTrigger } from '../event/parse-event.js';
import { hasFindings, type Trigger } from '../event/trigger.js';
import { createDeadline } from '../lib/clock.js';
import { CANCELLED_MS, CLOSING_TIME, DEFAULT_FAIL_ON } from '../lib/defaults.js';
import { CancelledError, ConfigError, messageOf, type Warning } from '../lib/errors.js';
import { readCheckedOut } from '../lib/git.js';
import { unenforceableLimits } from '../loop/budget.js';
import type { FinishedRun } from '../report/conclusion.js';
import { recordRun } from '../report/record-run.js';
import { reportRun } from '../report/report.js';
import { missingAnswerLine } from '../report/views/missing-answer.js';
import type { Dependencies } from '../run/dependencies.js';
import { runOrigin } from '../run/memory.js';
import { answerForm } from '../run/plan.js';
import type { RunRequest } from '../run/records.js';
import { runPipeline } from '../run/run.js';
import { createActionReporter, createTranscript } from '../runner/action-reporter.js';
import {
  type FailOn,
  type InputMistake,
  type Inputs,
  inspectInputs,
  readSecrets,
} from '../runner/inputs.js';
import { createJournal } from '../runner/journal.js';
import type { Runner } from '../runner/runner.js';
import { sanitize } from '../safety/sanitize.js';
import { guessedLine, type Secrets } from '../safety/secrets.js';
import { safePrograms } from '../tools/process/programs.js';
import {
  type ActionContext,
  agentNameOf,
  createActionDependencies,
  memoryRoots,
} from './dependencies.js';
import { runGcMode, runValidateMode } from './modes.js';
import { withOtherMistakes } from './setup.js';

const TIME_REMEDY = "Raise `timeout-minutes`, or the agent's `timeout`.";

/**
 * The action's main step. Never throws for trouble that a person can fix: it is reported, and the
 * step fails.
 */
export async function main(runner: Runner): Promise<void> {
  const deadline = createDeadline(TIME_REMEDY, (limitMs) =>
    Math.min(CLOSING_TIME.maxMs, limitMs * CLOSING_TIME.share),
  );
  const secrets = readSecrets(runner.env);
  const transcript = createTranscript(secrets.values);
  const journal = createJournal(runner.temp);
  const reporter = journal.followEvents(
    transcript.recordEvents(createActionReporter(runner.log, secrets.values)),
  );
  let failOn: FailOn = { conclusions: DEFAULT_FAIL_ON, memory: false, findings: [] };
  let deps: Dependencies | undefined;
  let context: ActionContext | undefined;
  let mistakes: readonly InputMistake[] = [];

  /** The record of the run up to now: its last words can still cause a warning. */
  const recordOf = (report: FinishedRun, isHidden: boolean, requests?: number) => {
    const { warnings, noteWrites } = reporter;
    const trigger = context?.trigger;
    return recordRun(report, { trigger, failOn, isHidden, warnings, noteWrites, requests });
  };
  const step = { runner, secrets: secrets.values, onShown: () => journal.end() };

  await journal.begin();
  try {
    const inspected = inspectInputs(runner.env);
    const { inputs } = inspected;
    ({ failOn, mistakes } = inspected);
    const isHidden = inputs.memory.isElsewhere;
    for (const secret of [inputs.apiKey, inputs.repositoriesToken])
      if (secret !== '') setSecret(secret);
    for (const warning of inputWarnings(inputs, runner.env, secrets)) reporter.warn(warning);
    const guessed = guessedLine(secrets);
    if (guessed !== undefined) runner.log(sanitize(guessed, 'log', secrets.values));
    if (isHidden) {
      reporter.hideMemory();
      transcript.hideMemory();
    }

    deadline.limit(inputs.timeoutMinutes * 60_000);
    runner.onCancel((signal) => deadline.cancel(new CancelledError(), CANCELLED_MS[signal]));
    const { mode, outputSchema } = inputs;
    const trigger = await triggerOf(runner);
    // On Windows the variable can be called `Path`, and only `process.env` finds it as `PATH`.
    const env = { ...runner.env, PATH: runner.env['PATH'] };
    const surroundings = { runner: { ...runner, env }, secrets, deadline, transcript };
    context = { inputs, trigger, reporter, journal, ...surroundings };
    if (mode === 'validate') {
      const report = await runValidateMode(context, mistakes);
      return await reportRun({ ...step, record: recordOf(report, isHidden) });
    }

    const [mistake] = mistakes;
    if (mistake !== undefined) throw mistake.error;
    // An unusable schema fails before anything runs.
    await answerForm({ responseFormat: undefined }, outputSchema, { deadline });
    for (const warning of idleGates(failOn, trigger)) reporter.warn(warning);
    if (inputs.toolsAllowed.length > 0) useSafePath(runner);
    const { dependencies, client, requests } = await createActionDependencies(context);
    deps = dependencies;
    const request = makeRequest(context);
    const report =
      mode === 'gc'
        ? await runGcMode(request, context, client, deps)
        : await runPipeline(request, deps);

    reporter.endTurn();
    await deps.acknowledgement?.end(missingAnswerLine(recordOf(report, isHidden)));
    const record = recordOf(report, isHidden, requests());
    await reportRun({ ...step, record, transcript });
  } catch (thrown) {
    reporter.endTurn();
    const cause: unknown = deadline.signal.aborted
      ? deadline.signal.reason
      : await withOtherMistakes(thrown, mistakes, context);
    const report = { kind: 'failed', thrown: cause } as const;
    await deps?.acknowledgement?.end(missingAnswerLine(recordOf(report, false)));
    const checkEnd = cause instanceof CancelledError ? 'cancelled' : 'failed';
    await deps?.progress?.end(messageOf(cause), checkEnd);
    await reportRun({ ...step, record: recordOf(report, false), transcript });
  } finally {
    deadline.clear();
  }
}

function inputWarnings(inputs: Inputs, env: Runner['env'], secrets: Secrets): readonly Warning[] {
  const unkept =
    inputs.memory.store === 'none' ? unenforceableLimits(inputs.spendLimits, KEEPS_NOTHING) : [];
  return [
    ...unknownNames(inputs.redact, env),
    ...guessedInRedact(inputs.redact, secrets),
    ...unkept,
  ];
}

const KEEPS_NOTHING =
  '`memory-store: none` keeps no record of what runs cost. Choose another `memory-store`, or limit each run with `max-cost-usd`.';

/** A gate that the event can never meet would look as if it held something. */
function idleGates({ findings }: FailOn, trigger: Trigger): readonly Warning[] {
  const idle = findings.filter((word) => word.startsWith('findings:'));
  // A workflow that hears comments hears those on issues and on pull requests alike.
  if (idle.length === 0 || hasFindings(trigger) || trigger.kind === 'comment') return [];
  const words = idle.map((word) => `\`${word}\``).join(' and ');
  const event = trigger.kind === 'local' ? '' : ` on \`${trigger.event}\``;
  const message = `${words} in \`fail-on\` can never fail a run${event}: only a pull request has findings. Run the job on \`pull_request\`, or remove the word.`;
  return [{ code: 'input-invalid', message }];
}

/** A name that the environment does not have is probably misspelled, so its value would leak. */
function unknownNames(names: readonly string[], env: Runner['env']): readonly Warning[] {
  const known = new Set(Object.keys(env).map((name) => name.toUpperCase()));
  return names
    .filter((name) => !known.has(name.toUpperCase()))
    .map((name) => ({
      code: 'input-invalid',
      message: `the input \`redact\` names \`${name}\`, which the step's environment does not have. Check its spelling, or leave it out.`,
    }));
}

function guessedInRedact(names: readonly string[], { guessedNames }: Secrets): readonly Warning[] {
  const guessed = new Set(guessedNames.map((name) => name.toUpperCase()));
  return names
    .filter((name) => guessed.has(name.toUpperCase()))
    .map((name) => ({
      code: 'input-invalid',
      message: `"${name}" in \`redact\` is easily guessed, so it isn't masked: a mask would confirm it to everybody who guesses it.`,
    }));
}

/** Reads the event that the runner names. Throws a ConfigError outside of a workflow. */
export async function triggerOf({ env }: Runner): Promise<Trigger> {
  const file = env['GITHUB_EVENT_PATH'] ?? '';
  if (file === '') {
    throw new ConfigError('there is no event: `GITHUB_EVENT_PATH` is not set', {
      remedy:
        'The runner of a workflow starts this program. Anywhere else, use the command line: `axe-action run`.',
    });
  }
  return await readTrigger({ file, name: env['GITHUB_EVENT_NAME'] ?? '', env });
}

function makeRequest({ inputs, trigger, runner }: ActionContext): RunRequest {
  return {
    agent: agentNameOf(inputs),
    model: inputs.model,
    effort: inputs.effort,
    skill: '',
    workdir: '',
    prompt: inputs.prompt,
    trigger,
    origin: runOrigin(runner.env),
    inWorkflow: true,
    readStdin: async () => '',
    readChange: async () => undefined,
    review: { minSeverity: inputs.minSeverity },
    admissionPolicy: inputs.admission,
    language: inputs.language,
    readCheckout: () => readCheckedOut(runner.workspace),
    isMemoryReadOnly: inputs.memory.isReadOnly,
    diffPolicy: { ...inputs.diff, memoryRoots: memoryRoots(inputs.memory) },
    isMemoryHidden: inputs.memory.isElsewhere,
    maxTurns: inputs.maxTurns,
    tokenLimit: (agentMaxTokens) => smallerLimit(inputs.maxTokens, agentMaxTokens),
    outputSchema: inputs.outputSchema,
    maxCostUsd: inputs.maxCostUsd,
    price: inputs.price,
    spendLimits: inputs.spendLimits,
    fallbackModels: inputs.fallbackModels,
    timeLimit: (agentSeconds) => {
      const limit = inputs.timeoutMinutes * 60;
      return agentSeconds > 0 ? Math.min(agentSeconds, limit) : limit;
    },
    dryRun: inputs.dryRun,
  };
}

/** The smaller of two limits, where 0 means no limit. */
function smallerLimit(first: number, second: number): number {
  return first > 0 && second > 0 ? Math.min(first, second) : first || second;
}

/** Libraries start `tar` and `zstd` by `PATH`, so it keeps only folders that no tool can write. */
export function useSafePath({ env, workspace }: Runner): void {
  process.env['PATH'] = safePrograms(env['PATH'], [workspace]).path;
}
