import { resolve } from 'node:path';
import { formatModelRef } from '../agent/config.js';
import { EFFORTS, matchChoice, REVIEW_DEPTHS } from '../agent/keys.js';
import { readTrigger } from '../event/parse-event.js';
import type { Trigger } from '../event/trigger.js';
import { DEFAULT_ADMISSION_POLICY } from '../event/trust.js';
import { CLI_TIMEOUT_SECONDS, DEFAULT_TASK, MAX_TURNS } from '../lib/defaults.js';
import { expandPath } from '../lib/environment.js';
import { AxeError, type ExitCode, warningText } from '../lib/errors.js';
import { diffOfRange, filesAtBase } from '../lib/git.js';
import { errorOf } from '../lib/outcome.js';
import { isFolder, readStdin } from '../lib/user-files.js';
import { DEFAULT_DIFF_POLICY, type LocalChange } from '../prompt/diff-policy.js';
import { buildSystemPrompt, isLanguage, withMemory } from '../prompt/prompt.js';
import { runOrigin } from '../run/memory.js';
import type { Memory, Plan, RunReport, RunRequest } from '../run/records.js';
import { runPipeline } from '../run/run.js';
import { expectPositionals, type ParsedFlags, wrongCount } from './command-line.js';
import { agentsDirOf } from './config.js';
import { formatErrorJson, formatParams } from './format-json.js';
import {
  createTerminalDeadline,
  InterruptedError,
  print,
  type Terminal,
  withSaved,
  writeError,
} from './terminal.js';
import { createStatusLine, createTerminalReporter, type StatusLine } from './terminal-reporter.js';
import { createTerminalDependencies } from './terminal-world.js';

/**
 * `run <agent>`, with axe's flags, output and exit status (axe-behaviour §4). Throws an AxeError.
 */
export async function runCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const { positionals } = flags;
  const { env } = terminal;
  const [agent = ''] = positionals;
  // axe takes its task from a pipe alone, so a second word is most often meant as the task.
  if (positionals.length > 1) {
    const remedy = `A task is given as \`axe-action run ${agent} --prompt "…"\`, or piped in.`;
    throw wrongCount(flags, `accepts 1 arg(s), received ${positionals.length}`, remedy);
  }
  expectPositionals(flags, 1);
  const language = flags.string('language');
  // It becomes a part of the system prompt, as the action's input does.
  if (language !== '' && !isLanguage(language)) {
    const remedy = 'Give its name or its code, for example `German`, `Deutsch`, `de` or `pt-BR`.';
    const shown = JSON.stringify(language);
    throw new AxeError(`invalid argument ${shown} for "--language" flag: it is not a language`, {
      remedy,
    });
  }
  const deadline = createTerminalDeadline(
    terminal,
    undefined,
    "Raise `--timeout`, or the agent's `timeout`.",
  );
  deadline.limit((flags.int('timeout') ?? CLI_TIMEOUT_SECONDS) * 1000);
  let status: StatusLine | undefined;
  try {
    const file = flags.string('event');
    const name = env['GITHUB_EVENT_NAME'] ?? '';
    const trigger: Trigger =
      file === '' ? { kind: 'local' } : await readTrigger({ file, name, env });
    const verbose = flags.bool('verbose');
    if (!flags.bool('dry-run')) status = createStatusLine(terminal);
    const reporter = createTerminalReporter(terminal, verbose, status);
    const deps = await createTerminalDependencies({
      terminal,
      trigger,
      deadline,
      reporter,
      status,
      // With an event agents come from a commit, which may have the folder though it is not here.
      agentsDir:
        trigger.kind === 'local' ? await agentsDirOf(flags, terminal) : flags.string('agents-dir'),
      output: { json: flags.bool('json'), verbose },
      artifactDir: expandPath(flags.string('artifact-dir'), env),
      keepArtifacts: flags.bool('keep-artifacts'),
    });
    const request = makeRequest(agent, trigger, flags, terminal, deadline.signal);
    if (request.workdir !== '' && !(await isFolder(resolve(terminal.cwd, request.workdir))))
      throw new AxeError(
        `the folder ${JSON.stringify(request.workdir)} of \`--workdir\` is not there`,
        {
          exitCode: 2,
          remedy: 'Name a folder that exists, or leave the flag out.',
        },
      );
    const report = await runPipeline({ ...request, language }, deps);
    status?.clear();
    return finish(report, flags, terminal);
  } catch (thrown) {
    status?.clear();
    if (flags.bool('json') && thrown instanceof AxeError) print(terminal, formatErrorJson(thrown));
    throw thrown;
  } finally {
    deadline.clear();
    terminal.stdin.destroy();
  }
}

export function makeRequest(
  agent: string,
  trigger: Trigger,
  flags: ParsedFlags,
  terminal: Terminal,
  signal: AbortSignal,
): RunRequest {
  const isEvent = trigger.kind !== 'local';
  const range = flags.string('git');
  return {
    agent,
    model: flags.string('model'),
    effort: matchChoice(EFFORTS, flags.string('effort')),
    reviewScope: flags.string('review-scope') === 'full' ? 'full' : 'auto',
    review: { depth: matchChoice(REVIEW_DEPTHS, flags.string('review-depth')) },
    skill: expandPath(flags.string('skill'), terminal.env),
    workdir: expandPath(flags.string('workdir'), terminal.env),
    prompt: flags.string('prompt'),
    trigger,
    origin: isEvent ? runOrigin(terminal.env) : undefined,
    inWorkflow: isEvent,
    // An event brings its own context; waiting for a pipe that nobody fills would only cost time.
    readStdin: async () => (isEvent ? '' : await readStdin(terminal.stdin, signal)),
    readChange: async () => (range === '' ? undefined : await readChange(range, terminal, signal)),
    admissionPolicy: DEFAULT_ADMISSION_POLICY,
    readCheckout: async () => undefined,
    isMemoryReadOnly: false,
    diffPolicy: DEFAULT_DIFF_POLICY,
    isMemoryHidden: false,
    maxTurns: MAX_TURNS,
    tokenLimit: (agentMaxTokens) => (flags.int('max-tokens') ?? 0) || agentMaxTokens,
    outputSchema: '',
    maxCostUsd: 0,
    spendLimits: { perPullUsd: 0, perDayUsd: 0 },
    fallbackModels: [],
    timeLimit: (agentSeconds) =>
      flags.int('timeout') ?? (agentSeconds > 0 ? agentSeconds : CLI_TIMEOUT_SECONDS),
    dryRun: flags.bool('dry-run'),
  };
}

/**
 * Throws an AxeError for a range that changes nothing: to have nothing reviewed would only cost
 * money.
 */
async function readChange(
  range: string,
  { cwd, env }: Terminal,
  signal: AbortSignal,
): Promise<LocalChange> {
  const options = { cwd, env, signal };
  const diff = await diffOfRange(range, options);
  if (diff.trim() !== '')
    return { range, diff, readBase: (paths) => filesAtBase(range, paths, options) };
  throw new AxeError(`the change "${range}" is empty`, {
    exitCode: 1,
    remedy: `See \`git diff ${range}\`; new files only appear once you add them.`,
  });
}

function finish(report: RunReport, flags: ParsedFlags, terminal: Terminal): ExitCode {
  switch (report.kind) {
    case 'skipped':
      // As in a workflow, a review that could not be made fails.
      if (report.isIncomplete === true)
        throw new AxeError(report.decision.message, { remedy: report.decision.remedy });
      terminal.stderr.write(`skipped: ${warningText(report.decision)}\n`);
      return 0;
    case 'planned': {
      const limits = { maxTokens: flags.int('max-tokens') ?? 0, isStreamed: flags.bool('stream') };
      terminal.stdout.write(formatDryRun(report.plan, report.memory, limits));
      return 0;
    }
    case 'memory-command': {
      const { result } = report;
      if (result.kind === 'done') return 0;
      throw new AxeError(result.message, { remedy: result.remedy });
    }
    case 'ran': {
      const { outcome } = report;
      const ended = errorOf(outcome);
      if (ended === undefined) return 0;
      const error = ended instanceof InterruptedError ? withSaved(ended, report) : ended;
      writeError(terminal, error);
      return error.exitCode;
    }
    // Garbage collection and validation have commands of their own.
    default:
      return 0;
  }
}

/** The plan as axe's `--dry-run` prints it (axe-behaviour §15), and our notes. */
export function formatDryRun(
  plan: Plan,
  memory: Memory | undefined,
  given = { maxTokens: 0, isStreamed: false },
): string {
  const { agent, files, task } = plan;
  const { restored, text = '', notes } = memory ?? {};
  const { budget, params, stream, tools, mcpServers } = agent.config;
  const head = [
    '=== Dry Run ===',
    '',
    `Model:    ${formatModelRef(plan.model)}`,
    `Workdir:  ${plan.workdir}`,
    `Timeout:  ${plan.timeoutSeconds}s`,
    `Params:   ${formatParams(params)}`,
    `Budget:   ${given.maxTokens || budget.maxTokens} tokens (0 = unlimited)`,
    `Stream:   ${given.isStreamed || stream ? 'yes' : 'no'}`,
    '',
  ].join('\n');
  const parts = [
    section('System Prompt', withMemory(buildSystemPrompt(plan.prompt), text, notes?.prompt)),
    section('Skill', orNone(plan.skill.content)),
    section(`Files (${files.length})`, orNone(files.map(({ path }) => path).join('\n'))),
    section('User Message', task.message === DEFAULT_TASK ? '(default)' : task.message),
    ...(restored === undefined
      ? []
      : [
          section(
            'Memory',
            restored.kind === 'failed' ? `(error: ${restored.message})` : orNone(text),
          ),
        ]),
    ...(notes === undefined ? [] : [section('Notes', orNone(notes.prompt.block))]),
    section('Tools', orNone(tools.join(', '))),
    section(
      'MCP Servers',
      orNone(
        mcpServers
          .map((one) => `${one.name}: ${one.url || one.command} (${one.transport})`)
          .join('\n'),
      ),
    ),
    section('Sub-Agents', subAgents(plan)),
  ];
  return [head, ...parts].join('\n');
}

function section(title: string, body: string): string {
  return `--- ${title} ---\n${body}\n`;
}

function orNone(text: string): string {
  return text === '' ? '(none)' : text;
}

function subAgents({ agent }: Plan): string {
  const { subAgents: names, subAgentsConfig } = agent.config;
  if (names.length === 0) return '(none)';
  return [
    names.join(', '),
    `Max Depth: ${subAgentsConfig.maxDepth === 0 ? 3 : subAgentsConfig.maxDepth}`,
    `Parallel:  ${subAgentsConfig.parallel === false ? 'no' : 'yes'}`,
    `Timeout:   ${subAgentsConfig.timeoutSeconds}s`,
  ].join('\n');
}
