import { resolve } from 'node:path';
import { formatModelRef } from '../agent/config.js';
import { EFFORTS, matchChoice, REVIEW_DEPTHS } from '../agent/keys.js';
import { readTrigger } from '../event/parse-event.js';
import type { Trigger } from '../event/trigger.js';
import { DEFAULT_ADMISSION_POLICY } from '../event/trust.js';
import type { Deadline } from '../lib/clock.js';
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
import { guessedLine } from '../safety/secrets.js';
import { expectPositionals, type ParsedFlags, wrongCount } from './command-line.js';
import { agentsDirOf } from './config.js';
import { createTerminalDependencies } from './dependencies.js';
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

/** `run <agent>`, with axe's flags, output and exit status. Throws an AxeError. */
export async function runCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const { positionals } = flags;
  const { env } = terminal;
  const [agent = ''] = positionals;
  // axe reads its task only from a pipe, so people most often mean a second word as the task.
  if (positionals.length > 1) {
    const remedy = `A task is given as \`axe-action run ${agent} --prompt "…"\`, or piped in.`;
    throw wrongCount(flags, `accepts 1 arg(s), received ${positionals.length}`, remedy);
  }
  expectPositionals(flags, 1);
  const language = languageOf(flags);

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
    // With an event, agents come from a commit, which can have a folder that is not on this disk.
    const agentsDir =
      trigger.kind === 'local' ? await agentsDirOf(flags, terminal) : flags.string('agents-dir');
    const deps = await createTerminalDependencies({
      terminal,
      trigger,
      deadline,
      reporter,
      status,
      agentsDir,
      output: { json: flags.bool('json'), verbose },
      stream: flags.bool('stream'),
      artifactDir: expandPath(flags.string('artifact-dir'), env),
      keepArtifacts: flags.bool('keep-artifacts'),
    });

    const guessed = guessedLine(deps.secrets);
    // Without an event the output is axe's.
    if (verbose && trigger.kind !== 'local' && guessed !== undefined)
      terminal.stderr.write(`${guessed}\n`);

    const request = makeRequest(agent, trigger, { flags, terminal, deadline });
    await requireWorkdir(request.workdir, terminal);
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

/** The language becomes part of the system prompt, so it cannot be any text. Throws an AxeError. */
function languageOf(flags: ParsedFlags): string {
  const language = flags.string('language');
  if (language === '' || isLanguage(language)) return language;
  const quoted = JSON.stringify(language);
  throw new AxeError(`invalid argument ${quoted} for "--language" flag: it is not a language`, {
    remedy: 'Give its name or its code, for example `German`, `Deutsch`, `de` or `pt-BR`.',
  });
}

async function requireWorkdir(workdir: string, { cwd }: Terminal): Promise<void> {
  if (workdir === '' || (await isFolder(resolve(cwd, workdir)))) return;
  throw new AxeError(`the folder ${JSON.stringify(workdir)} of \`--workdir\` is not there`, {
    exitCode: 2,
    remedy: 'Name a folder that exists, or leave the flag out.',
  });
}

interface CommandContext {
  readonly flags: ParsedFlags;
  readonly terminal: Terminal;
  readonly deadline: Deadline;
}

export function makeRequest(
  agent: string,
  trigger: Trigger,
  { flags, terminal, deadline: { signal } }: CommandContext,
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
    // An event has its own context, and waiting for an empty pipe would only cost time.
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

/** Throws an AxeError for an empty range: a review of nothing would only cost money. */
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
      // As in a workflow, the command fails if the review could not be made.
      if (report.decision.reason === 'findings-unread')
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
      const cause = errorOf(outcome);
      if (cause === undefined) return 0;
      const error = cause instanceof InterruptedError ? withSaved(cause, report) : cause;
      writeError(terminal, error);
      return error.exitCode;
    }
    // Garbage collection and validation have commands of their own.
    default:
      return 0;
  }
}

/** The plan as axe's `--dry-run` prints it, and our notes. @internal */
export function formatDryRun(
  plan: Plan,
  memory: Memory | undefined,
  limits = { maxTokens: 0, isStreamed: false },
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
    `Budget:   ${limits.maxTokens || budget.maxTokens} tokens (0 = unlimited)`,
    `Stream:   ${limits.isStreamed || stream ? 'yes' : 'no'}`,
    '',
  ].join('\n');

  const servers = mcpServers.map(
    ({ name, url, command, transport }) => `${name}: ${url || command} (${transport})`,
  );
  const memoryText = restored?.kind === 'failed' ? `(error: ${restored.message})` : orNone(text);
  const parts = [
    section('System Prompt', withMemory(buildSystemPrompt(plan.prompt), text, notes?.prompt)),
    section('Skill', orNone(plan.skill.content)),
    section(`Files (${files.length})`, orNone(files.map(({ path }) => path).join('\n'))),
    section('User Message', task.message === DEFAULT_TASK ? '(default)' : task.message),
    ...(restored === undefined ? [] : [section('Memory', memoryText)]),
    ...(notes === undefined ? [] : [section('Notes', orNone(notes.prompt.block))]),
    section('Tools', orNone(tools.join(', '))),
    section('MCP Servers', orNone(servers.join('\n'))),
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
