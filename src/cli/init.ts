import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createDiskSource } from '../adapters/host/agents/agent-source.js';
import { createMissingFiles, readConfigFile } from '../adapters/host/config-file.js';
import { findRepositoryRoot, readHead, readOrigin } from '../adapters/host/repository-root.js';
import { findProvider, KEY_PROVIDERS } from '../adapters/models/catalog.js';
import { modelProblem } from '../adapters/models/model-problem.js';
import {
  composeAgent,
  composeWorkflow,
  type InitChoice,
  type InitMemoryPlace,
  MEMORY_PLACES,
  type ModelAccess,
} from '../commands/init/compose.js';
import { findJob, JOB_IDS, JOBS, type Job } from '../commands/init/jobs.js';
import { formatNextSteps } from '../commands/init/next-steps.js';
import { formatValidation } from '../commands/validate/format-validation.js';
import { validateAgents } from '../commands/validate/validate-agents.js';
import { allFaults, isValid } from '../commands/validate/validation.js';
import { AGENTS_DIRS } from '../composition/agents.js';
import { inspectSchemaOnDemand } from '../composition/schema-compiler.js';
import { ACTION_ADDRESS, parseActionAddress } from '../core/action-address.js';
import { chosen } from '../core/agent/choices.js';
import { inspectAgent } from '../core/agent/inspect.js';
import { parseModelRef } from '../core/agent/model-ref.js';
import { DEFAULT_MODEL } from '../core/defaults.js';
import { AxeError, type ExitCode, formatError } from '../core/errors.js';
import { INIT_HELP } from './command-help.js';
import { expectPositionals, type ParsedFlags } from './flags.js';
import { print, type Terminal } from './terminal.js';

/** Models that are offered, one for each way to reach one; the first is the default. */
const MODELS = [
  { value: DEFAULT_MODEL, about: 'Anthropic; needs the secret ANTHROPIC_API_KEY' },
  { value: 'openai/gpt-6.1-sol', about: 'OpenAI; needs the secret OPENAI_API_KEY' },
  { value: 'google/gemini-3.1-pro', about: 'Google; needs the secret GEMINI_API_KEY' },
  { value: 'offline/rules', about: 'Fixed rules instead of a model; no key, no cost, to try it' },
] as const;

const MEMORY = [
  { value: 'branch', about: 'On the branch `axe-memory` of this repository; lasts' },
  { value: 'cache', about: 'In the Actions cache; GitHub deletes what is not used for 7 days' },
] as const satisfies readonly { readonly value: InitMemoryPlace; readonly about: string }[];

const NO_REPOSITORY =
  'This folder is not in a git repository. GitHub reads the files below only at the top of one.\n';

/** `init`: writes a workflow, its agent and its skill into the repository. Throws an AxeError. */
export async function initCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  expectPositionals(flags, 0, INIT_HELP.usage);
  const uses = flags.string('uses') || (await ownAddress(terminal));
  if (uses !== undefined) checkUses(uses);
  const answers = await answersOf(flags, { terminal, uses });
  const repository = await findRepositoryRoot(terminal.cwd);
  if (repository === undefined) print(terminal, NO_REPOSITORY);
  const root = repository ?? terminal.cwd;
  const { job, model } = answers;
  const existing = await findAgentModel(root, job);
  const choice: InitChoice = {
    ...answers,
    access: accessOf(model),
    namesModel: existing !== undefined && existing !== model,
  };
  return await write({ choice, root, hasAgent: existing !== undefined }, terminal);
}

/** The commit of the clone that this program lies in, as a workflow names it; undefined where it is not in a clone. */
async function ownAddress({ env, programFolder }: Terminal): Promise<string | undefined> {
  const root = join(programFolder, '../..');
  const origin = await readOrigin(root, env['GITHUB_SERVER_URL'] || 'https://github.com');
  const head = await readHead(root);
  return origin === undefined || head === undefined ? undefined : `${origin.owner}/${origin.name}@${head}`;
}

interface Answers {
  readonly uses: string;
  readonly job: Job;
  readonly model: string;
  readonly memory: InitMemoryPlace;
}

/** By flags; what is left open is asked where somebody can answer, and is the default elsewhere. Throws an AxeError. */
async function answersOf(
  flags: ParsedFlags,
  { terminal, uses }: { readonly terminal: Terminal; readonly uses: string | undefined },
): Promise<Answers> {
  const given = {
    job: pick(flags, 'job', JOB_IDS),
    model: flags.string('model'),
    memory: pick(flags, 'memory', MEMORY_PLACES),
  };
  if (given.model !== '') accessOf(given.model);
  if (flags.bool('yes') || !canAsk(terminal)) {
    return {
      uses: uses ?? ACTION_ADDRESS,
      job: findJob(given.job ?? 'review'),
      model: given.model || MODELS[0].value,
      memory: given.memory ?? 'branch',
    };
  }
  const interview = startInterview(terminal);
  try {
    const offered = JOBS.map(({ id, about }) => ({ value: id, about }));
    const job =
      given.job ?? chosen(JOB_IDS, await interview.ask({ text: 'What should it do?', answers: offered }));
    const model =
      given.model ||
      (await interview.ask({
        text: 'Which model should it ask?',
        answers: MODELS,
        other: { hint: 'or type another one, as provider/model', check: accessOf },
      }));
    const memory =
      given.memory ??
      chosen(MEMORY_PLACES, await interview.ask({ text: 'Where should it remember?', answers: MEMORY }));
    const address =
      uses ??
      (await interview.ask({
        text: 'Which repository is the action in?',
        answers: [{ value: ACTION_ADDRESS, about: 'A placeholder, to be replaced in the workflow' }],
        other: { hint: 'or type its address, as owner/name@ref', check: checkUses },
      }));
    print(terminal, '');
    return { uses: address, job: findJob(job ?? 'review'), model, memory: memory ?? 'branch' };
  } finally {
    interview.close();
  }
}

function pick<const T extends string>(
  flags: ParsedFlags,
  name: string,
  choices: readonly T[],
): T | undefined {
  const word = flags.string(name);
  if (word === '') return undefined;
  const choice = chosen(choices, word);
  if (choice !== undefined) return choice;
  throw new AxeError(`invalid argument ${JSON.stringify(word)} for "--${name}" flag`, {
    remedy: `Give one of ${choices.map((one) => `\`${one}\``).join(', ')}.`,
  });
}

function checkUses(uses: string): void {
  if (parseActionAddress(uses) !== undefined) return;
  throw new AxeError(`${JSON.stringify(uses)} is not the address of an action`, {
    remedy: 'Write it as in a workflow, `owner/name@ref`.',
  });
}

/** Throws an AxeError for a model that takes more than one key: a workflow for it cannot be written without asking more. */
function accessOf(model: string): ModelAccess {
  const ref = parseModelRef(model);
  const { access, needsKey, keyVariable, id } = findProvider(ref);
  if (access === 'offline') return { kind: access };
  if (access === 'direct' && needsKey) return { kind: 'key', variable: keyVariable };
  const known = [...KEY_PROVIDERS.map((provider) => provider.id), 'offline'];
  throw new AxeError(
    `init cannot write a workflow for models of \`${id}\`, which need more settings than a key`,
    {
      remedy: `It can for ${known.map((one) => `\`${one}\``).join(', ')}. Choose one of these, then change the workflow; \`examples/workflows/keyless.yml\` shows Bedrock, Vertex AI and Azure.`,
    },
  );
}

/** The model of the job's agent where there already is such a file; empty where it cannot be read. */
async function findAgentModel(root: string, { agent }: Job): Promise<string | undefined> {
  for (const dir of AGENTS_DIRS) {
    const file = join(root, dir, `${agent}.toml`);
    const text = await readConfigFile(file);
    if (text !== undefined) return inspectAgent(text, { name: agent, file }).raw?.model ?? '';
  }
  return undefined;
}

async function write(
  {
    choice,
    root,
    hasAgent,
  }: { readonly choice: InitChoice; readonly root: string; readonly hasAgent: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  const { job } = choice;
  const workflow = { path: `.github/workflows/${job.file}.yml`, content: composeWorkflow(choice) };
  const agent = { path: `axe/agents/${job.agent}.toml`, content: composeAgent(choice) };
  const skill = { path: `axe/skills/${job.skill}/SKILL.md`, content: job.skillText };
  // An agent that is there already may have another skill.
  const files = hasAgent ? [workflow] : [workflow, agent, skill];
  if (root !== terminal.cwd) print(terminal, `In the repository ${root}:`);
  const created = await createMissingFiles(root, files);
  const wrote = (path: string) => created.includes(join(root, path));
  for (const { path } of [workflow, agent, ...(hasAgent ? [] : [skill])])
    print(terminal, wrote(path) ? `wrote  ${path}` : `kept   ${path}, which exists already`);
  const validation = await validateAgents(
    { names: [job.agent], outputSchema: '', isFolderNamed: false },
    {
      source: createDiskSource({
        where: 'this repository',
        dirs: AGENTS_DIRS,
        cwd: root,
        followsLinks: true,
      }),
      modelProblem: (ref) => modelProblem(ref, { env: terminal.env, config: {} }),
      checkSchema: inspectSchemaOnDemand,
    },
  );
  if (allFaults(validation).length > 0) {
    print(terminal, `\n${formatValidation(validation).join('\n')}`);
    if (!isValid(validation)) return 2;
  }
  const steps = formatNextSteps(choice, {
    workflow: workflow.path,
    isNewWorkflow: wrote(workflow.path),
    newSkill: wrote(skill.path) ? skill.path : undefined,
  });
  for (const line of steps) print(terminal, line);
  return 0;
}

/** A question with numbered answers; the first is taken for an empty line. */
interface Question {
  readonly text: string;
  readonly answers: readonly { readonly value: string; readonly about: string }[];
  /** What may be typed instead of a number; undefined if nothing may. The check throws an AxeError, which is shown. */
  readonly other?: { readonly hint: string; check(value: string): unknown };
}

/** Asks in a terminal, one question after the other. */
interface Interview {
  /** The value of the chosen answer, or what was typed. Throws an AxeError where the input ends. */
  ask(question: Question): Promise<string>;
  close(): void;
}

/** Whether somebody sits at the terminal who can answer. */
export function canAsk({ stdin, stdout }: Terminal): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

/**
 * The terminal stays in its usual mode, so that it edits the line, and Ctrl-C ends the program: nothing is written before
 * the last answer.
 */
export function startInterview(terminal: Terminal): Interview {
  const lines = createInterface({ input: terminal.stdin, terminal: false });
  const read = lines[Symbol.asyncIterator]();
  return {
    async ask(question) {
      show(question, terminal);
      for (;;) {
        terminal.stdout.write('> ');
        const line = await read.next();
        if (line.done === true) {
          print(terminal, '');
          throw new AxeError('the question was not answered', { remedy: 'Nothing was written.' });
        }
        const answer = answerOf(line.value.trim(), question);
        if ('value' in answer) return answer.value;
        print(terminal, answer.refusal);
      }
    },
    close: () => lines.close(),
  };
}

function show({ text, answers, other }: Question, terminal: Terminal): void {
  const width = Math.max(...answers.map(({ value }) => value.length));
  print(terminal, `\n${text}`);
  for (const [index, { value, about }] of answers.entries()) {
    const usual = index === 0 ? ' (default)' : '';
    print(terminal, `  ${index + 1}  ${value.padEnd(width)}  ${about}${usual}`);
  }
  if (other !== undefined) print(terminal, `     ${other.hint}`);
}

function answerOf(
  line: string,
  { answers, other }: Question,
): { readonly value: string } | { readonly refusal: string } {
  const chosen = answers[line === '' ? 0 : Number(line) - 1] ?? answers.find(({ value }) => value === line);
  if (chosen !== undefined) return { value: chosen.value };
  if (other === undefined || /^\d+$/.test(line))
    return { refusal: `Type a number from 1 to ${answers.length}.` };
  try {
    other.check(line);
    return { value: line };
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    return { refusal: formatError(thrown) };
  }
}
