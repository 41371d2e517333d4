import { join } from 'node:path';
import type { RunDeadline } from '../lib/clock.js';
import { AxeError, type ExitCode, messageOf } from '../lib/errors.js';
import { createFiles, withTempDir } from '../lib/files.js';
import { diffOfRange, runGit } from '../lib/git.js';
import { readTextFile } from '../lib/user-files.js';
import { severityMark } from '../review/comment-text.js';
import { lessonsOf } from '../review/same.js';
import { marksOf, parseReviewFacts } from '../review/state-facts.js';
import { runPipeline } from '../run/run.js';
import { createDemoPullRequest, type DemoEvent } from './demo-pull-request.js';
import { expectPositionals, type ParsedFlags, parseFlags } from './flags.js';
import { makeRequest } from './run.js';
import { createTerminalDeadline, print, type Terminal } from './terminal.js';
import { createTerminalReporter } from './terminal-reporter.js';
import { createTerminalDependencies } from './terminal-world.js';

const LOG = "  console.log('charging', cart.id);\n";
const checkout = (body: string) =>
  `export async function checkout(cart: Cart): Promise<void> {\n${body}  await sendReceipt(cart);\n}\n`;

/** The base, then the commits of the pull request: of what `offline/rules` can see, which understand no code. */
const BASE = checkout('  await payments.charge(cart);\n');
const COMMITS = [
  ['Note each payment', checkout(`${LOG}  payments.charge(cart);\n`)],
  ['Wait for the payment', checkout(`${LOG}  await payments.charge(cart);\n`)],
  [
    'Note the total as well',
    checkout("  console.log('charging', cart.id, cart.total);\n  payments.charge(cart);\n"),
  ],
] as const;
const ANSWER = 'By design: this line is our record of payments.';
const STATE = 'pr-reviewer.state.md: what became of findings. It contains none of your words.';
const LIFE = `Raised once, dismissed by an answer, fixed by a push, back in its own conversation.
Next: \`npm link\` here, then \`axe-action init\` in your repository writes this as a workflow.
docs/getting-started.md explains each step.`;
const REPORT_IT = { remedy: 'Please report this: the demo comes with all that it needs.' };

/** `demo`: the life of two findings, through the same pipeline as any run. Throws an AxeError. */
export async function demoCommand(words: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  expectPositionals(words, 0);
  const deadline = createTerminalDeadline(terminal);
  deadline.limit(60_000);
  return await withTempDir((folder) => play(folder, terminal, deadline)).finally(() => deadline.clear());
}

async function play(folder: string, terminal: Terminal, deadline: RunDeadline): Promise<ExitCode> {
  const { signal } = deadline;
  const write = (line: string) => print(terminal, line);
  const heading = (text: string) => write(`\n── ${text} ${'─'.repeat(Math.max(3, 72 - text.length))}`);
  write('One pull request, three commits, and what becomes of two findings.');
  write('Reviewer: builtin/pr-reviewer with offline/rules, a set of fixed rules. No key, no network.');
  const { commit, diff } = await makeRepository(join(folder, 'repository'), terminal, signal);
  const base = await commit('Charge, then send the receipt', BASE);
  const pull = createDemoPullRequest();
  const deps = await createTerminalDependencies({
    terminal: { ...terminal, env: { ...terminal.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder } },
    trigger: { kind: 'local' },
    deadline,
    reporter: createTerminalReporter(terminal),
    agentsDir: '',
    output: { json: false, verbose: false },
  });
  const flags = parseFlags([], {}, 'run <agent>');
  const seen: string[] = [];
  let before = base;
  for (const [index, [subject, text]] of COMMITS.entries()) {
    const head = await commit(subject, text);
    const fresh = await diff(before, head);
    pull.push({ base, head, diff: await diff(base, head), fresh: index === 0 ? undefined : fresh });
    before = head;
    heading(`Commit ${index + 1} of ${COMMITS.length} · ${head.slice(0, 7)} · ${subject}`);
    for (const [, sign, line] of fresh.matchAll(/^([+-])(?![+-]{2} )(.*)$/gm)) write(`   ${sign} ${line}`);
    write('');
    const request = makeRequest('builtin/pr-reviewer', pull.trigger(), flags, terminal, signal);
    const report = await runPipeline(
      { ...request, model: 'offline/rules', origin: undefined },
      { ...deps, ...pull },
    );
    if (report.kind !== 'ran' || report.outcome.kind !== 'completed')
      throw new AxeError('the demo run did not complete', REPORT_IT);
    for (const event of pull.events()) write(describe(event));
    const kinds = pull.events().map(({ kind }) => kind);
    if (!kinds.includes('raised')) write('   No new comment.');
    seen.push(kinds.join(' '));
    if (index > 0) continue;
    pull.answer('console.log', ANSWER);
    write(`\n   @you answers the comment on console.log: “${ANSWER}”`);
  }
  heading('What it remembers, in two markdown files');
  const read = async (name: string) =>
    await readTextFile(join(folder, 'axe/memory/offline', name), { what: 'memory file', ...REPORT_IT });
  write('pr-reviewer.md: one entry per review. The next review gets them.');
  const log = await read('pr-reviewer.md');
  for (const [, line = ''] of log.matchAll(/^\*\*Result:\*\* (.*)$/gm)) write(`   - ${line}`);
  write(STATE);
  const lessons = lessonsOf(marksOf(parseReviewFacts(await read('pr-reviewer.state.md'))));
  for (const { path, category, login, title } of lessons)
    write(`   - dismissed by @${login}: ${category}, ${path}: ${title}`);
  const isWhole = seen.join(' | ') === 'raised raised | settled dismissed | back held-back';
  heading(isWhole ? 'That was the whole life of a finding' : 'This is not what the demo promises');
  write(isWhole ? LIFE : 'Please report this.');
  return isWhole ? 0 : 1;
}

/** Nobody's own settings count, and the same commits have the same names in every run. */
const SETTINGS = [
  'user.name=demo',
  'user.email=demo@localhost',
  'commit.gpgsign=false',
  'core.autocrlf=false',
];
const DATES = { GIT_AUTHOR_DATE: '2026-01-05T12:00:00Z', GIT_COMMITTER_DATE: '2026-01-05T12:00:00Z' };

async function makeRepository(cwd: string, terminal: Terminal, signal: AbortSignal) {
  const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
  const git = async (...args: readonly string[]) => {
    try {
      const env = { ...terminal.env, ...DATES };
      return (await runGit([...settings, ...args], { cwd, env, signal })).trim();
    } catch (thrown) {
      signal.throwIfAborted();
      const message = `the demo could not make its temporary repository: ${messageOf(thrown)}`;
      throw new AxeError(message, { remedy: 'The demo needs `git` on the PATH.' });
    }
  };
  const files = createFiles();
  const file = join(cwd, 'src/checkout.ts');
  await files.append(file, '', { followLinks: false });
  await git('init', '--quiet');
  return {
    async commit(subject: string, text: string) {
      await files.replace(file, text);
      await git('add', '--all');
      await git('commit', '--quiet', `--message=${subject}`);
      return await git('rev-parse', 'HEAD');
    },
    diff: (from: string, to: string) => diffOfRange(`${from}..${to}`, { cwd, env: terminal.env, signal }),
  };
}

function describe({ kind, severity = 'minor', title, path, line }: DemoEvent): string {
  const [mark, fate] = {
    raised: [severityMark(severity), `raised as ${severity}: a comment on the line`],
    settled: ['✅', 'settled: the rule no longer finds it, and the conversation is resolved'],
    dismissed: ['🗑️ ', 'dismissed by the answer, and remembered for every pull request'],
    back: ['↩️ ', 'back: its old conversation is reopened, so there is no new comment'],
    'held-back': ['🔇', 'found again, and not raised: it was dismissed'],
  }[kind];
  return `${mark} ${title} · ${line === undefined ? path : `${path}:${line}`}\n   ${fate}`;
}
