import { join } from 'node:path';
import { lastCommit } from '../adapters/host/git.js';
import { withTempDir } from '../adapters/host/temp-dir.js';
import { readTextFile } from '../adapters/host/text-file.js';
import { MAX_TURNS } from '../core/defaults.js';
import type { Dependencies, Models } from '../core/dependencies.js';
import { AxeError, type ExitCode } from '../core/errors.js';
import { DEFAULT_ADMISSION_POLICY } from '../core/event/admission-policy.js';
import type { LanguageModel } from '../core/loop/language-model.js';
import { parseEntries } from '../core/memory/run-log.js';
import { DEFAULT_MEMORY_POLICY } from '../core/plan.js';
import type { LocalChange } from '../core/prompt/context.js';
import { DEFAULT_CONTEXT_POLICY } from '../core/prompt/context-policy.js';
import { parseDiff } from '../core/text/diff.js';
import type { RunReport } from '../run/request.js';
import { runPipeline } from '../run/run.js';
import { expectPositionals, parseFlags } from './flags.js';
import { type CommandHelp, formatCommandHelp } from './help.js';
import { createTerminalDeadline } from './interrupt.js';
import { print, type Terminal } from './terminal.js';
import { createTerminalReporter } from './terminal-reporter.js';
import { createTerminalDependencies } from './terminal-world.js';

/** How `demo` is shown in help. */
export const DEMO_HELP: CommandHelp = {
  usage: 'demo',
  short: 'See it work: no key, no network, nothing written',
  long: [
    'Review the last commit of the repository you stand in, twice, with the built-in reviewer and the offline rules,',
    'and show what was sent, the reviews, and the memory that the second run had of the first.',
    'Memory is kept in a temporary folder and removed again.',
  ].join('\n'),
  flags: [],
};

const AGENT = 'builtin/pr-reviewer';
const MODEL = 'offline/rules';
const MEMORY_FILE = join('axe', 'memory', 'offline', 'pr-reviewer.md');
const TIME_LIMIT_SECONDS = 60;

/** `demo`: two real runs through the same pipeline as any other. Throws an AxeError. */
export async function demoCommand(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const flags = parseFlags(words, DEMO_HELP.flags);
  if (flags.help) {
    print(terminal, formatCommandHelp(DEMO_HELP));
    return 0;
  }
  expectPositionals(flags, 0);
  return await withTempDir(async (folder) => {
    const deadline = createTerminalDeadline(terminal);
    deadline.limit(TIME_LIMIT_SECONDS * 1000);
    const change = await findDemoChange(terminal.cwd, deadline.signal);
    print(terminal, `${AGENT} reviews ${change.origin}`);
    print(
      terminal,
      `Model: ${MODEL}, a set of fixed rules. No key, no network; memory is in a temporary folder.`,
    );

    const first = await review({ number: 1, change, folder, terminal });
    const second = await review({ number: 2, change, folder, terminal });
    const memory = await readTextFile(join(folder, MEMORY_FILE), { what: 'memory file', remedy: REPORT_IT });
    deadline.clear();
    heading(terminal, 'The memory file, as plain as it is');
    print(terminal, memory.trimEnd());
    return conclude({ first, second, memory, terminal });
  });
}

const REPORT_IT = 'Please report this: the demo writes it itself.';

interface Review {
  readonly number: number;
  readonly change: DemoChange;
  /** Stands in for `XDG_DATA_HOME` and `XDG_CONFIG_HOME`. */
  readonly folder: string;
  readonly terminal: Terminal;
}

/** What the model was sent. */
interface Sent {
  readonly system: string;
  readonly user: string;
}

async function review({ number, change, folder, terminal }: Review): Promise<Sent> {
  heading(terminal, `Run ${number}`);
  const deadline = createTerminalDeadline(terminal);
  deadline.limit(TIME_LIMIT_SECONDS * 1000);
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
  const sent: Sent[] = [];
  const report = await runPipeline(
    demoRequest(change),
    listening(deps, (request) => {
      sent.push(request);
      showSent(request, terminal);
    }),
  );
  deadline.clear();
  print(terminal, '');
  return checked(report, sent);
}

function demoRequest({ change }: DemoChange): Parameters<typeof runPipeline>[0] {
  return {
    agent: AGENT,
    model: MODEL,
    skill: '',
    workdir: '',
    prompt: '',
    trigger: { kind: 'local' },
    origin: undefined,
    inWorkflow: false,
    readStdin: async () => '',
    readChange: async () => change,
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
  };
}

/** The world with a look at what goes to the model. */
function listening(deps: Dependencies, heard: (sent: Sent) => void): Dependencies {
  const models: Models = {
    configure: (ref) => deps.models.configure(ref),
    facts: (ref) => deps.models.facts(ref),
    async open(ref) {
      const model = await deps.models.open(ref);
      const doGenerate: LanguageModel['doGenerate'] = (options) => {
        heard({ system: textOf(options.prompt, 'system'), user: textOf(options.prompt, 'user') });
        return model.doGenerate(options);
      };
      return { ...model, doGenerate };
    },
  };
  return { ...deps, models };
}

function textOf(
  prompt: Parameters<LanguageModel['doGenerate']>[0]['prompt'],
  role: 'system' | 'user',
): string {
  return prompt
    .filter((message) => message.role === role)
    .map(({ content }) =>
      typeof content === 'string'
        ? content
        : content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    )
    .join('');
}

function showSent({ system, user }: Sent, terminal: Terminal): void {
  const hunk = /^@@ .*$/m.exec(user)?.[0] ?? 'no hunk';
  const memory = system.includes(MEMORY_HEADING) ? 'with memory' : 'without memory: there is none yet';
  print(terminal, `Sent: a system prompt of ${system.length} characters, ${memory};`);
  print(terminal, `      a message of ${user.length} characters with the diff, first hunk: ${hunk}`);
  print(terminal, '');
}

const MEMORY_HEADING = '\n## Memory\n';

function checked(report: RunReport, [sent]: readonly Sent[]): Sent {
  if (report.kind === 'ran' && report.outcome.kind === 'completed' && sent !== undefined) return sent;
  if (report.kind === 'ran' && report.outcome.kind === 'failed') throw report.outcome.error;
  throw new AxeError('the demo run did not complete', { remedy: REPORT_IT });
}

interface DemoEnd {
  readonly first: Sent;
  readonly second: Sent;
  readonly memory: string;
  readonly terminal: Terminal;
}

/** Compares, does not claim: the first entry of the file must stand in the second prompt and not in the first. */
function conclude({ first, second, memory, terminal }: DemoEnd): ExitCode {
  const entries = parseEntries(memory).map(({ text }) => text);
  const [firstEntry = ''] = entries;
  const remembered =
    firstEntry !== '' && !first.system.includes(firstEntry) && second.system.includes(firstEntry);
  heading(terminal, remembered ? 'It remembers' : 'It does not remember');
  print(terminal, `Entries in the file: ${entries.length}.`);
  print(
    terminal,
    remembered
      ? 'The second system prompt held the first entry, word for word; the first prompt did not.'
      : `The second system prompt did not hold the first entry. ${REPORT_IT}`,
  );
  return remembered ? 0 : 1;
}

function heading(terminal: Terminal, text: string): void {
  print(terminal, `\n── ${text} ${'─'.repeat(Math.max(3, 74 - text.length))}`);
}

/** The change the demo reviews, and where it is from. */
interface DemoChange {
  readonly change: LocalChange;
  readonly origin: string;
}

/** The last commit of the repository we stand in; where that shows no line of text, a small change of our own. */
export async function findDemoChange(cwd: string, signal: AbortSignal): Promise<DemoChange> {
  const commit = await lastCommit(cwd, signal);
  const change = commit && { range: `${commit.sha} ${commit.subject}`, diff: commit.diff };
  if (change !== undefined && hasLines(change.diff)) {
    return { change, origin: `the last commit of ${cwd}: ${change.range}` };
  }
  const why =
    change === undefined ? 'there is no git history here' : 'the last commit changes no line of text';
  return {
    change: { range: 'of the demo', diff: BUNDLED_DIFF },
    origin: `a small change that comes with the demo, because ${why}`,
  };
}

/** A change of binary files alone gives the rules nothing to show. */
function hasLines(diff: string): boolean {
  return parseDiff(diff).some(({ hunks }) => hunks.length > 0);
}

const BUNDLED_DIFF = `diff --git a/src/greeting.ts b/src/greeting.ts
index 3b18e51..9c6f2ad 100644
--- a/src/greeting.ts
+++ b/src/greeting.ts
@@ -1,3 +1,8 @@
 export function greeting(name: string): string {
-  return 'Hello, ' + name;
+  // TODO: translate
+  console.log('greeting', name);
+  if (name === '') {
+    return 'Hello';
+  }
+  return \`Hello, \${name}\`;
 }
`;
