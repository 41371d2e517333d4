import { join } from 'node:path';
import type { RunDeadline } from '../adapters/host/deadline.js';
import { withTempDir } from '../adapters/host/temp-dir.js';
import { readTextFile } from '../adapters/host/text-file.js';
import { MAX_TURNS } from '../core/defaults.js';
import type { Dependencies } from '../core/dependencies.js';
import { AxeError, type ExitCode } from '../core/errors.js';
import { DEFAULT_ADMISSION_POLICY } from '../core/event/admission-policy.js';
import { DEFAULT_MEMORY_POLICY } from '../core/plan.js';
import { DEFAULT_CONTEXT_POLICY } from '../core/prompt/context-policy.js';
import { runPipeline } from '../run/run.js';
import { DEMO_HELP } from './command-help.js';
import { type DemoEvent, DemoPullRequest } from './demo/demo-pull-request.js';
import { DEMO_ANSWER, DEMO_BASE, DEMO_COMMITS, makeDemoRepository } from './demo/demo-repository.js';
import { createDemoPrinter, type DemoPrinter } from './demo/print-demo.js';
import { expectPositionals, type ParsedFlags } from './flags.js';
import { createTerminalDeadline } from './interrupt.js';
import { print, type Terminal } from './terminal.js';
import { createTerminalReporter } from './terminal-reporter.js';
import { createTerminalDependencies } from './terminal-world.js';

const AGENT = 'builtin/pr-reviewer';
const MODEL = 'offline/rules';
const MEMORY = join('axe', 'memory', 'offline');
const TIME_LIMIT_SECONDS = 60;

/** `demo`: the life of two findings, through the same pipeline as any run. Throws an AxeError. */
export async function demoCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  expectPositionals(flags, 0, DEMO_HELP.usage);
  return await withTempDir(async (folder) => {
    const printer = createDemoPrinter((line) => print(terminal, line));
    printer.intro(`${AGENT} with ${MODEL}`);
    const deadline = createTerminalDeadline(terminal);
    deadline.limit(TIME_LIMIT_SECONDS * 1000);
    const seen = await playDemo({ folder, terminal, printer, deadline }).finally(() => deadline.clear());
    printer.memory(
      await readMemory(folder, 'pr-reviewer.md'),
      await readMemory(folder, 'pr-reviewer.state.md'),
    );
    const isWhole = isWholeLife(seen);
    printer.end(isWhole);
    return isWhole ? 0 : 1;
  });
}

interface Stage {
  readonly folder: string;
  readonly terminal: Terminal;
  readonly printer: DemoPrinter;
  readonly deadline: RunDeadline;
}

/** Reviews the commits one after the other; what became of findings in each. */
async function playDemo({
  folder,
  terminal,
  printer,
  deadline,
}: Stage): Promise<readonly (readonly DemoEvent[])[]> {
  const { signal } = deadline;
  const repository = await makeDemoRepository({
    folder: join(folder, 'repository'),
    env: terminal.env,
    signal,
  });
  const base = await repository.commit(DEMO_BASE);
  const pull = new DemoPullRequest(DEMO_ANSWER.by, base);
  const deps = await createTerminalDependencies({
    terminal: { ...terminal, env: { ...terminal.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder } },
    trigger: { kind: 'local' },
    deadline,
    reporter: createTerminalReporter({ write: (line) => terminal.stderr.write(`${line}\n`), verbose: false }),
    agentsDir: '',
    configDir: join(folder, 'axe'),
    fetch: globalThis.fetch,
    output: { json: false, verbose: false },
  });
  const seen: (readonly DemoEvent[])[] = [];
  let last: string | undefined;
  for (const [index, commit] of DEMO_COMMITS.entries()) {
    const head = await repository.commit(commit);
    const fresh = await repository.diff(last ?? base, head);
    pull.push(head, await repository.diff(base, head), last === undefined ? undefined : fresh);
    printer.commit({ ...commit, number: index + 1, of: DEMO_COMMITS.length, head, diff: fresh });
    await review(pull, deps);
    printer.events(pull.events);
    seen.push(pull.events);
    if (index === 0) {
      pull.answer(DEMO_ANSWER.by, DEMO_ANSWER.line, DEMO_ANSWER.text);
      printer.answer(DEMO_ANSWER);
    }
    last = head;
  }
  return seen;
}

async function review(pull: DemoPullRequest, deps: Dependencies): Promise<void> {
  const { github, publisher, trigger } = pull;
  const report = await runPipeline(
    {
      agent: AGENT,
      model: MODEL,
      skill: '',
      workdir: '',
      prompt: '',
      trigger,
      origin: undefined,
      inWorkflow: true,
      readStdin: async () => '',
      readChange: async () => undefined,
      admissionPolicy: DEFAULT_ADMISSION_POLICY,
      readCheckout: async () => undefined,
      memoryPolicy: DEFAULT_MEMORY_POLICY,
      diffPolicy: DEFAULT_CONTEXT_POLICY.diff,
      isMemoryHidden: false,
      wantCount: false,
      maxTurns: MAX_TURNS,
      tokenLimit: (agentMaxTokens) => agentMaxTokens,
      outputSchema: '',
      maxCostUsd: 0,
      spendLimits: { perPullUsd: 0, perDayUsd: 0 },
      fallbackModels: [],
      timeLimit: () => TIME_LIMIT_SECONDS,
      dryRun: false,
    },
    { ...deps, github, publisher },
  );
  if (report.kind === 'ran' && report.outcome.kind === 'completed') return;
  if (report.kind === 'ran' && report.outcome.kind === 'failed') throw report.outcome.error;
  throw new AxeError('the demo run did not complete', { remedy: REPORT_IT });
}

const REPORT_IT = 'Please report this: the demo brings all that it needs.';

async function readMemory(folder: string, name: string): Promise<string> {
  return await readTextFile(join(folder, MEMORY, name), { what: 'memory file', remedy: REPORT_IT });
}

/** Compares, does not claim: what the demo promises is what the runs have made of the findings. */
function isWholeLife(seen: readonly (readonly DemoEvent[])[]): boolean {
  const kinds = seen.map((events) =>
    events
      .map(({ kind }) => kind)
      .toSorted()
      .join(' '),
  );
  return kinds.join(' | ') === 'raised raised | dismissed settled | back held-back';
}
