import { join } from 'node:path';
import { BUILT_IN_AGENTS } from '../agent/built-in.js';
import { type ModelRef, parseModelRef } from '../agent/config.js';
import { GC } from '../lib/defaults.js';
import { dataDir } from '../lib/environment.js';
import { AxeError, type ExitCode, formatError } from '../lib/errors.js';
import type { RunStats } from '../lib/outcome.js';
import { cleanLine, count, formatInteger, formatUsd } from '../lib/text/format.js';
import { listFolder } from '../lib/user-files.js';
import { figuresOf, formatGcEnd, formatUnread } from '../report/views/gc.js';
import { collectGarbage } from '../run/gc/gc.js';
import { runLogPath } from '../run/memory.js';
import { type ParsedFlags, wrongCount } from './command-line.js';
import { agentsOf } from './config.js';
import { createTerminalDependencies } from './dependencies.js';
import { openFileMemory, projectFolder } from './file-memory.js';
import { loadByMemoryName, warnLeftOut } from './memory-place.js';
import { createTerminalDeadline, print, type Terminal } from './terminal.js';
import { createTerminalReporter } from './terminal-reporter.js';

const USAGE =
  'Usage: `axe-action gc <agent>` for one agent, `axe-action gc --all` for all that have memory.';

/** `gc <agent>` and `gc --all`, with axe's flags, output and exit status. Throws an AxeError. */
export async function gcCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const { positionals } = flags;
  if (positionals.length > 1)
    throw wrongCount(flags, `accepts at most 1 arg(s), received ${positionals.length}`, USAGE);
  const [name] = positionals;
  if (flags.bool('all') && name !== undefined) {
    throw new AxeError('cannot specify both --all and an agent name', { remedy: USAGE });
  }
  if (flags.bool('all')) return await collectAll(flags, terminal);
  if (name === undefined)
    throw new AxeError('agent name is required (or use --all)', { remedy: USAGE });
  await collectOne(name, flags, terminal);
  return 0;
}

/**
 * Collects one agent after the other, and goes on after one that fails. Agents are named by their
 * files, as in `run` and in memory. axe uses the `name` field instead, so it does not find an agent
 * whose file has a different name.
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
      // Only a signal has an exit code above 128.
      if (!(thrown instanceof AxeError) || thrown.exitCode > 128) throw thrown;
      failed += 1;
      terminal.stderr.write(`Error: gc failed for agent "${name}": ${formatError(thrown)}\n`);
    }
  }

  if (failed === 0) return 0;
  throw new AxeError(`gc completed with errors: ${failed} of ${names.length} agents failed`, {
    remedy: "The errors are above, under each agent's heading. The other agents are done.",
  });
}

/**
 * Agents with memory that can be loaded, in the order of their files, then the built-in agents that
 * have run here. A broken agent file gets a warning.
 */
async function agentsWithMemory(
  flags: ParsedFlags,
  terminal: Terminal,
): Promise<readonly string[]> {
  const library = await agentsOf(flags, terminal);
  const names: string[] = [];
  for (const agent of await library.listAgents()) {
    if (agent.error !== undefined) warnLeftOut(agent, terminal);
    else if ((await library.loadAgent(agent.id)).config.memory.enabled) names.push(agent.id);
  }

  const project = await projectFolder(terminal.cwd);
  const logs = await listFolder(join(dataDir(terminal.env), 'memory', project));
  const builtIn = BUILT_IN_AGENTS.filter(
    ({ shortName }) => !names.includes(shortName) && logs.includes(`${shortName}.md`),
  );
  return [...names, ...builtIn.map(({ name }) => name)];
}

async function collectOne(name: string, flags: ParsedFlags, terminal: Terminal): Promise<void> {
  const agent = await loadByMemoryName(name, await agentsOf(flags, terminal));
  const reporter = createTerminalReporter(terminal);
  for (const warning of agent.warnings) reporter.warn(warning);
  if (!agent.config.memory.enabled) {
    const message = `agent "${agent.name}" does not have memory enabled. Skipping.`;
    reporter.warn({ code: 'memory-store-notice', message });
    return;
  }

  // Runs of the offline rules have a run log of their own.
  const path = runLogPath(agent, modelOf(flags.string('model') || agent.config.model), false);
  const deadline = createTerminalDeadline(terminal, 'Nothing was trimmed.');
  deadline.limit(2 * GC.questionSeconds * 1000);
  const project = await projectFolder(terminal.cwd);
  const printer = createGcPrinter(agent.name, flags.bool('stats'), terminal);
  try {
    const deps = await createTerminalDependencies({
      terminal,
      trigger: { kind: 'local' },
      deadline,
      reporter,
      agentsDir: flags.string('agents-dir'),
      output: { json: false, verbose: false },
    });

    const { end } = await collectGarbage(
      {
        agent,
        path,
        store: openFileMemory({ agent, path, project }, terminal),
        trigger: { kind: 'local' },
        model: flags.string('model'),
        fallbackModels: [],
        limits: () => ({ maxTokens: 0, maxCostUsd: 0 }),
        dryRun: flags.bool('dry-run') && 'analysis',
        tell: printer.tell,
      },
      deps,
    );
    printer.printEnd(end);
  } finally {
    deadline.clear();
    printer.printUsage();
  }
}

type GcRequest = Parameters<typeof collectGarbage>[0];
type GcEnd = Awaited<ReturnType<typeof collectGarbage>>['end'];

/** Prints the progress of one agent's garbage collection, with `--stats` more of it. */
function createGcPrinter(name: string, hasStats: boolean, terminal: Terminal) {
  let usage: RunStats | undefined;
  let figures: readonly string[] = [];
  const tell: GcRequest['tell'] = ({
    counted,
    worth = '',
    analysis,
    gone = [],
    usage: newUsage = usage,
  }) => {
    usage = newUsage;
    if (hasStats && worth !== '') print(terminal, `${worth}\n`);
    for (const { note, line, text } of gone)
      print(terminal, `No longer true: ${note}, line ${line}: ${cleanLine(text, 300)}`);
    if (counted !== undefined) {
      figures = figuresOf(counted);
      print(terminal, `Agent: ${name}\nEntries: ${counted.entries}`);
      if (hasStats) for (const line of figures) print(terminal, line);
    }
    if (analysis === undefined) return;
    print(terminal, `--- Analysis ---\n${analysis.text}`);
    if (analysis.unread > 0) terminal.stderr.write(`${formatUnread(analysis.unread)}\n`);
  };

  return {
    tell,
    printEnd(end: GcEnd): void {
      if (end.kind === 'not-analysed' && !hasStats)
        for (const line of figures) print(terminal, line);
      print(terminal, formatGcEnd(end, name));
    },
    /** `--stats` also shows what a failed analysis cost. */
    printUsage(): void {
      if (!hasStats || usage === undefined) return;
      const { turns, inputTokens, outputTokens, costUsd } = usage;
      const tokens = `${formatInteger(inputTokens)} input and ${formatInteger(outputTokens)} output tokens`;
      const cost = costUsd === undefined ? '' : `, ${formatUsd(costUsd)}`;
      terminal.stderr.write(`Used: ${count(turns, 'question')}, ${tokens}${cost}.\n`);
    },
  };
}

/** As in axe, an invalid model is an error only when the model is asked. */
function modelOf(model: string): ModelRef {
  try {
    return parseModelRef(model);
  } catch {
    return { provider: '', model };
  }
}
