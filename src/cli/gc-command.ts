import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { createFetch } from '../adapters/host/net/http.js';
import { configDir } from '../adapters/host/xdg.js';
import { collect, type GcOutcome } from '../commands/gc/gc.js';
import { type GcStep, hasRemoved, type Trim } from '../commands/gc/gc-result.js';
import { localAgents } from '../composition/agents.js';
import type { LoadedAgent } from '../core/agent/agent-source.js';
import { type ModelRef, parseModelRef } from '../core/agent/model-ref.js';
import { GC } from '../core/defaults.js';
import type { Dependencies } from '../core/dependencies.js';
import { AxeError, type ExitCode, formatError } from '../core/errors.js';
import { runsChart, statsLines } from '../core/gc/chart.js';
import type { LogStats } from '../core/gc/stats.js';
import type { MemoryStore } from '../core/memory/store.js';
import type { RunStats } from '../core/outcome.js';
import { runLogPath } from '../core/plan.js';
import { grouped, usd } from '../core/text/number.js';
import { agentsDirOf } from './agents-dir.js';
import { openWholeFileMemory } from './file-memory.js';
import type { ParsedFlags } from './flags.js';
import { createTerminalDeadline, isInterrupt } from './interrupt.js';
import { warnLeftOut } from './memory-place.js';
import { print, type Terminal } from './terminal.js';
import { createTerminalReporter } from './terminal-reporter.js';
import { createTerminalDependencies } from './terminal-world.js';

const USAGE = 'Usage: `axe-action gc <agent>` for one agent, `axe-action gc --all` for all that have memory.';

/**
 * Keeps V8's young generation as small as it is. V8 doubles it with what survives its collections, up to 128 MB while a
 * log of 266 MB is read and sent, although less than 20 MB are in use. V8 looks at the flag whenever it could double it.
 */
const KEEP_YOUNG_GENERATION = '--semi-space-growth-factor=1';

/** V8 compiles anew what it loads under another flag than before, which a smaller log is not worth. */
const LARGE_LOG_BYTES = 16 * 1024 * 1024;

/** `gc <agent>` and `gc --all`, with axe's flags, output and exit status (axe-behaviour §19). Throws an AxeError. */
export async function gcCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const { positionals } = flags;
  if (positionals.length > 1) {
    throw new AxeError(`accepts at most 1 arg(s), received ${positionals.length}`, { remedy: USAGE });
  }
  const [name] = positionals;
  if (flags.bool('all') && name !== undefined) {
    throw new AxeError('cannot specify both --all and an agent name', { remedy: USAGE });
  }
  try {
    if (flags.bool('all')) return await collectAll(flags, terminal);
    if (name === undefined) throw new AxeError('agent name is required (or use --all)', { remedy: USAGE });
    await collectOne(name, flags, terminal);
    return 0;
  } finally {
    terminal.stdin.destroy();
  }
}

/**
 * One agent after the other; one that fails does not keep the others from their turn. They are known by their files, as
 * `run` and memory know them. axe heads each with its name field and looks it up by that, so that it does not find an
 * agent whose file is called otherwise (axe-behaviour §19).
 */
async function collectAll(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const names = await agentsWithMemory(flags, terminal);
  if (names.length === 0) print(terminal, 'No agents with memory enabled.');
  let failed = 0;
  for (const name of names) {
    print(terminal, `=== GC: ${name} ===`);
    try {
      await collectOne(name, flags, terminal);
    } catch (thrown) {
      if (!(thrown instanceof AxeError) || isInterrupt(thrown)) throw thrown;
      failed += 1;
      terminal.stderr.write(`Error: gc failed for agent "${name}": ${formatError(thrown)}\n`);
    }
  }
  if (failed === 0) return 0;
  throw new AxeError(`gc completed with errors: ${failed} of ${names.length} agents failed`, {
    remedy: 'The errors are above, each below the heading of its agent. The other agents are done.',
  });
}

/** Those that can be loaded, in the order of their files; a broken one is told where agents are listed. */
async function agentsWithMemory(flags: ParsedFlags, terminal: Terminal): Promise<readonly string[]> {
  const library = await agentsOf(flags, terminal);
  const names: string[] = [];
  for (const agent of await library.listAgents()) {
    if (agent.error !== undefined) warnLeftOut(agent, terminal);
    else if ((await library.loadAgent(agent.id)).config.memory.enabled) names.push(agent.id);
  }
  return names;
}

async function collectOne(name: string, flags: ParsedFlags, terminal: Terminal): Promise<void> {
  const agents = await agentsOf(flags, terminal);
  const agent = await agents.loadAgent(name);
  const reporter = createTerminalReporter({
    write: (line) => terminal.stderr.write(`${line}\n`),
    verbose: false,
  });
  for (const warning of agent.warnings) reporter.warn(warning);
  if (!agent.config.memory.enabled) {
    const message = `agent "${agent.name}" does not have memory enabled. Skipping.`;
    reporter.warn({ code: 'memory-store-notice', message });
    return;
  }
  const place = placeOf(agent, flags, terminal);
  const deadline = createTerminalDeadline(terminal, 'Nothing was trimmed.');
  let usage: (() => RunStats) | undefined;
  let deps: Dependencies | undefined;
  try {
    deps = await createTerminalDependencies({
      terminal,
      trigger: { kind: 'local' },
      deadline,
      reporter,
      agentsDir: flags.string('agents-dir'),
      configDir: configDir(terminal.env),
      fetch: createFetch(terminal.env),
      output: { json: false, verbose: false },
    });
    const collected = await collect(
      {
        agent,
        model: flags.string('model'),
        fallbackModels: [],
        ...place,
        limits: () => ({ maxTokens: 0, maxCostUsd: 0 }),
        onAsking: (stats) => {
          usage = stats;
        },
        dryRun: flags.bool('dry-run') ? 'analysis' : false,
        timeLimitMs: (parts) => parts * 2 * GC.questionSeconds * 1000,
        onStep: (step) => formatStep(step, { agent: agent.name, stats: flags.bool('stats'), terminal }),
      },
      deps,
    );
    if (collected.kind === 'counted' && !flags.bool('stats')) formatStatsOf(collected.stats, terminal);
    for (const line of endLines(collected, agent.name)) print(terminal, line);
    if (flags.bool('stats') && usage !== undefined) terminal.stderr.write(`${usageLine(usage())}\n`);
  } catch (thrown) {
    throw thrown instanceof AxeError ? withUsage(thrown, usage?.()) : thrown;
  } finally {
    deadline.clear();
  }
}

async function agentsOf(flags: ParsedFlags, terminal: Terminal): Promise<ReturnType<typeof localAgents>> {
  const { cwd, env } = terminal;
  return localAgents({ cwd, agentsDir: await agentsDirOf(flags, terminal), configDir: configDir(env) });
}

/** The memory that the agent's runs on this machine have; the offline rules keep theirs apart (D32). */
function placeOf({ name, config }: LoadedAgent, flags: ParsedFlags, { cwd, env }: Terminal) {
  const custom = config.memory.path === '' ? '' : resolve(cwd, config.memory.path);
  const dir = config.memory.dir === '' ? '' : resolve(cwd, config.memory.dir);
  const path = runLogPath({ name, config, source: '', warnings: [] }, modelOf(config.model, flags), false);
  const all = config.memory.notes && config.memory.scope === 'shared' && config.memory.retentionDays > 0;
  const identity = resolve(cwd, config.workdir);
  const memory = { custom, path, dir, scope: '', env };
  return { path, identity, store: withLittleMemory(openWholeFileMemory(memory, { all })) };
}

/** The store, for whose large logs the process takes no more memory than it needs. */
function withLittleMemory(store: MemoryStore): MemoryStore {
  const { openLogs } = store;
  if (openLogs === undefined) return store;
  return {
    ...store,
    async openLogs(logs, signal, under) {
      const found = await openLogs(logs, signal, under);
      const isLarge =
        found.kind === 'logs' && [...found.logs.values()].some(({ bytes }) => bytes > LARGE_LOG_BYTES);
      if (isLarge) setFlagsFromString(KEEP_YOUNG_GENERATION);
      return found;
    },
  };
}

/** A model that cannot be read is told when it is asked, as axe does it. */
function modelOf(model: string, flags: ParsedFlags): ModelRef {
  try {
    return parseModelRef(flags.string('model') || model);
  } catch {
    return { provider: '', model };
  }
}

/** What was paid for is told, too, where nothing came of it. */
function withUsage(error: AxeError, usage: RunStats | undefined): AxeError {
  if (usage === undefined || usage.turns === 0) return error;
  const { message, exitCode, at, remedy } = error;
  const nextSteps = [remedy ?? [], usageLine(usage)].flat().join('\n  ');
  return new AxeError(message, { exitCode, remedy: nextSteps, cause: error, ...(at && { at }) });
}

function formatStatsOf(stats: LogStats, terminal: Terminal): void {
  const lines = statsLines(stats);
  if (lines.length > 0) print(terminal, `${lines.join('\n')}\n\n${runsChart(stats)}`);
}

function formatStep(
  step: GcStep,
  {
    agent,
    stats,
    terminal,
  }: { readonly agent: string; readonly stats: boolean; readonly terminal: Terminal },
): void {
  switch (step.kind) {
    case 'read':
      print(terminal, `Agent: ${agent}\nEntries: ${step.entries}`);
      if (stats) formatStatsOf(step.stats, terminal);
      return;
    case 'analysed':
      print(terminal, `--- Analysis ---\n${step.text}`);
      return;
  }
}

/** What became of an agent's memory, in axe's words where it has some (axe-behaviour §19). */
function endLines(collected: GcOutcome, agent: string): readonly string[] {
  const { days, untrusted } = collected.removed;
  const rest = hasRemoved(collected.removed) ? '' : ' Nothing to do.';
  const end =
    collected.kind === 'empty' ? `No memory entries for agent "${agent}".${rest}` : trimLine(collected.trim);
  return [
    end,
    ...(days === 0
      ? []
      : [`Removed: ${days} daily ${days === 1 ? 'log' : 'logs'} older than retention_days.`]),
    ...(untrusted === 0
      ? []
      : [
          `Removed: ${untrusted} ${untrusted === 1 ? 'entry' : 'entries'} of the untrusted lane older than max_age_days.`,
        ]),
  ];
}

function trimLine(trim: Trim): string {
  switch (trim.kind) {
    case 'dry-run':
    case 'not-asked':
      return 'Dry run: no entries trimmed.';
    case 'not-analysed':
      return 'No entries trimmed: `offline/rules` makes no analysis. Name a model with --model.';
    case 'indivisible':
      return `No trimming possible: the newest entry counts as ${trim.entries}, by its lines that start with "## ", and the limit is ${trim.target}. An entry is never split.`;
    case 'no-target':
      return 'No trim target configured (last_n and max_entries are both 0). Skipping trim.';
    case 'within':
      if (trim.target === 0) return 'No trimming needed: no entry is older than max_age_days.';
      return `No trimming needed: ${trim.entries} entries within limit (${trim.target}).`;
    case 'trimmed':
      return `Trimmed: ${trim.removed} entries removed, ${trim.kept} entries kept.`;
  }
}

/** What the questions took. */
function usageLine({ turns, inputTokens, outputTokens, costUsd }: RunStats): string {
  const questions = `${turns} ${turns === 1 ? 'question' : 'questions'}`;
  const cost = costUsd === undefined ? '' : `, ${usd(costUsd)}`;
  return `Used: ${questions}, ${grouped(inputTokens)} input and ${grouped(outputTokens)} output tokens${cost}.`;
}
