import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findBuiltInAgent } from '../agent/built-in.js';
import { parseModelRef } from '../agent/config.js';
import { inspectAgent } from '../agent/inspect.js';
import { closestWord } from '../agent/suggest.js';
import { DEFAULT_MODEL } from '../lib/defaults.js';
import { AxeError, type ExitCode } from '../lib/errors.js';
import { findRepositoryRoot, readCheckedOut, readOrigin } from '../lib/git.js';
import { ACTION_ADDRESS, agentSchemaUrl, parseActionAddress } from '../lib/product.js';
import { createMissingFiles, listFolder, type NewFile, readConfigFile } from '../lib/user-files.js';
import { findProvider, KEY_PROVIDERS } from '../model/catalog.js';
import { modelProblem } from '../model/model-access.js';
import { AGENTS_DIRS, localAgents } from '../run/agents.js';
import { allFaults, formatValidation, isValid, validateAgents } from '../run/validate.js';
import { expectPositionals, type ParsedFlags } from './command-line.js';
import { print, type Terminal } from './terminal.js';

/**
 * `init`: writes a workflow with its agents and skills into the repository. On a terminal it asks
 * for everything that no flag sets, and whether to check the result. Throws an AxeError.
 */
export async function initCommand(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  expectPositionals(flags, 0);
  const { ask, close } = openQuestions(terminal);
  try {
    const status = await writeFiles(flags, terminal, ask);
    const question = `\nCheck it now with \`${terminal.program} doctor\`? (y/n)`;
    if (status !== 0 || !/^y/i.test(await ask(question, 'n', 'y'))) return status;
  } finally {
    close();
  }
  const { doctorCommand } = await import('./doctor.js');
  const cwd = (await findRepositoryRoot(terminal.cwd)) ?? terminal.cwd;
  return await doctorCommand(flags, { ...terminal, cwd });
}

/**
 * Asks a question. An empty line means `usual`; without a terminal the answer is `otherwise`, which
 * is also the default of `usual`.
 */
type Ask = (question: string, otherwise: string, usual?: string) => Promise<string>;

function openQuestions({ stdin, stdout }: Terminal): { readonly ask: Ask; close(): void } {
  if (stdin.isTTY !== true || stdout.isTTY !== true)
    return { ask: async (_, otherwise) => otherwise, close: () => {} };
  // The terminal itself edits the line, and Ctrl-C ends the program as usual.
  const lines = createInterface({ input: stdin, terminal: false });
  const answers = lines[Symbol.asyncIterator]();
  return {
    async ask(question, otherwise, usual = otherwise) {
      stdout.write(`${question} [${usual}] `);
      const { value, done } = await answers.next();
      return done === true ? otherwise : value.trim() || usual;
    },
    close: () => lines.close(),
  };
}

async function writeFiles(flags: ParsedFlags, terminal: Terminal, ask: Ask): Promise<ExitCode> {
  const repository = await findRepositoryRoot(terminal.cwd);
  const root = repository ?? terminal.cwd;
  const workflowServer =
    terminal.env['GITHUB_SERVER_URL'] ||
    `https://${(await readOrigin(root))?.host ?? 'github.com'}`;
  const uses =
    flags.string('uses') ||
    (await ownAddress(workflowServer, terminal)) ||
    (await ask('The action, as workflows name it (owner/name@ref)', ACTION_ADDRESS));
  if (parseActionAddress(uses) === undefined) {
    throw new AxeError(`${JSON.stringify(uses)} is not the address of an action`, {
      remedy: 'Write it as in a workflow, `owner/name@ref`.',
    });
  }

  const examples = join(terminal.programFolder, '../../examples');
  const example = flags.string('example');
  const model = flags.string('model');
  if (example !== '' && model !== '') {
    throw new AxeError('`--example` and `--model` cannot be used together', {
      remedy: 'Change `model` in the copied agent or workflow.',
    });
  }
  const schemaUrl = agentSchemaUrl(uses, workflowServer);
  const parts =
    example === ''
      ? await reviewParts({ model, schemaUrl, root, examples, ask })
      : await exampleParts(example, examples);

  if (repository === undefined) {
    const hint = 'GitHub reads the files below only at the top of one';
    print(terminal, `This folder is not in a git repository. ${hint}.\n`);
  }
  if (root !== terminal.cwd) print(terminal, `In the repository ${root}:`);
  const content = parts.workflow.content.replaceAll(ACTION_ADDRESS, uses);
  const workflow = { ...parts.workflow, content };
  const files = [workflow, ...parts.files];
  const created = await createMissingFiles(root, files);
  const isNew = (path: string) => created.includes(join(root, path));
  for (const { path } of files)
    print(terminal, isNew(path) ? `wrote  ${path}` : `kept   ${path}, which already exists`);
  if (parts.agents.length > 0 && !(await areAgentsValid(parts.agents, root, terminal))) return 2;

  const steps = isNew(workflow.path)
    ? nextSteps(workflow.content, uses, terminal.program)
    : [`Check that the step with the action in ${workflow.path} names its agent.`];
  print(terminal, `\n${steps.join('\n')}`);
  return 0;
}

/** Checks agents as a workflow has them: without the configuration folder of this machine. */
async function areAgentsValid(
  names: readonly string[],
  root: string,
  terminal: Terminal,
): Promise<boolean> {
  const request = { names, outputSchema: '', isFolderNamed: false };
  const validation = await validateAgents(request, {
    agents: localAgents({ cwd: root, agentsDir: '', configDir: undefined }),
    where: 'this repository',
    modelProblem: (ref) => modelProblem(ref, { env: terminal.env, config: {} }),
  });
  if (allFaults(validation).length > 0)
    print(terminal, `\n${formatValidation(validation).join('\n')}`);
  return isValid(validation);
}

interface Parts {
  readonly workflow: NewFile;
  /** Agents and skills. */
  readonly files: readonly NewFile[];
  /** Names of the agents that the workflow runs, without built-in ones. */
  readonly agents: readonly string[];
}

interface ReviewOptions {
  /** The flag `--model`; empty without it. */
  readonly model: string;
  readonly schemaUrl: string;
  readonly root: string;
  /** Folder of the examples. */
  readonly examples: string;
  readonly ask: Ask;
}

async function reviewParts(options: ReviewOptions): Promise<Parts> {
  const { schemaUrl, root, examples, ask } = options;
  const existing = await findReviewer(root);
  const question = 'The model that reviews (`offline/rules` needs no key)';
  const model = options.model || existing?.model || (await ask(question, DEFAULT_MODEL));
  const key = keyOf(model);
  const envBlock = key === '' ? '' : `        env:\n          ${key}: \${{ secrets.${key} }}\n`;
  const overridesModel = existing !== undefined && options.model !== '';
  const modelLine = overridesModel ? `          model: ${model}\n` : '';
  const content = (await readExample(examples, 'workflows/review.yml'))
    .replace(/^ {8}env:\n(?: {10}.*\n)*/m, envBlock)
    .replace(/^ {10}model: .*\n/m, '')
    .replace(/^( {10}agent: ).*\n/m, `$1reviewer\n${modelLine}`);
  const workflow = { path: '.github/workflows/axe-review.yml', content };
  // An existing agent is not changed, and it can have another skill.
  if (existing !== undefined) return { workflow, files: [existing.file], agents: ['reviewer'] };

  const agent = (findBuiltInAgent('builtin/pr-reviewer')?.toml ?? '')
    .replace(/^name = .*$/m, 'name = "reviewer"')
    .replace(/^model = .*$/m, () => `model = ${JSON.stringify(model)}`)
    .replace(/^tools = .*$/m, '$&\nskill = "review"');
  const files = [
    { path: 'axe/agents/reviewer.toml', content: `#:schema ${schemaUrl}\n${agent}` },
    {
      path: 'axe/skills/review/SKILL.md',
      content: await readExample(examples, 'skills/review/SKILL.md'),
    },
  ];
  return { workflow, files, agents: ['reviewer'] };
}

/** An example as it is, with its agents and their skills. */
async function exampleParts(name: string, examples: string): Promise<Parts> {
  const names = (await listFolder(join(examples, 'workflows'))).map((file) =>
    file.replace(/\.yml$/, ''),
  );
  if (!names.includes(name)) {
    const suggestion = closestWord(name, names);
    const remedy =
      suggestion === undefined
        ? `There are ${names.join(', ')}.`
        : `Did you mean \`${suggestion}\`?`;
    throw new AxeError(`there is no example ${JSON.stringify(name)}`, { remedy });
  }

  const content = await readExample(examples, `workflows/${name}.yml`);
  // A workflow that calls a shared workflow gets the agents from there.
  const isCaller = /^ +uses: \S+\/\.github\/workflows\//m.test(content);
  const named = isCaller ? [] : [...content.matchAll(/^ +(?:agent|default): ([a-z][\w-]*)$/gm)];
  const agents = [...new Set(named.map(([, agent = '']) => agent))];
  const files: NewFile[] = [];
  for (const agent of agents) {
    const toml = await readExample(examples, `agents/${agent}.toml`);
    files.push({ path: `axe/agents/${agent}.toml`, content: toml });
    const skill = inspectAgent(toml, { name: agent, file: agent }).config?.skill ?? '';
    if (skill !== '')
      files.push({ path: `axe/${skill}`, content: await readExample(examples, skill) });
  }
  return { workflow: { path: `.github/workflows/${name}.yml`, content }, files, agents };
}

async function readExample(examples: string, file: string): Promise<string> {
  const text = await readConfigFile(join(examples, file));
  if (text !== undefined) return text;
  throw new AxeError(`the example ${file} is not next to this program`, {
    remedy: 'Run `axe-action` from a clone of the action, or from its package.',
  });
}

/**
 * The address of the clone that this program is in, with its commit, as a workflow names it;
 * undefined outside of a clone from this server.
 */
async function ownAddress(
  server: string,
  { programFolder }: Terminal,
): Promise<string | undefined> {
  const root = join(programFolder, '../..');
  const origin = await readOrigin(root, server);
  const head = await readCheckedOut(root);
  return origin === undefined || head === undefined
    ? undefined
    : `${origin.owner}/${origin.name}@${head}`;
}

/**
 * The variable of a model's key; empty if it needs no key. Throws an AxeError for a model that needs
 * more settings than a key, which `init` does not ask for.
 */
function keyOf(model: string): string {
  const { access, needsKey, keyVariable, id } = findProvider(parseModelRef(model));
  if (access === 'offline') return '';
  if (access === 'direct' && needsKey) return keyVariable;
  const supported = [...KEY_PROVIDERS.map((provider) => provider.id), 'offline'];
  const names = supported.map((name) => `\`${name}\``).join(', ');
  throw new AxeError(
    `init cannot write a workflow for models of \`${id}\`, which need more settings than a key`,
    {
      remedy: `It can for ${names}. Choose one of these, then change the workflow; \`examples/workflows/keyless.yml\` shows Bedrock, Vertex AI and Azure.`,
    },
  );
}

/** The agent, if the repository already has it; its model is empty if it cannot be read. */
async function findReviewer(root: string) {
  for (const dir of AGENTS_DIRS) {
    const path = `${dir}/reviewer.toml`;
    const content = await readConfigFile(join(root, path));
    if (content === undefined) continue;
    const { config } = inspectAgent(content, { name: 'reviewer', file: path });
    return { file: { path, content }, model: config?.model ?? '' };
  }
  return undefined;
}

function nextSteps(
  workflow: string,
  uses: string,
  program: Terminal['program'],
): readonly string[] {
  const canWriteContents = /^ +contents: write/m.test(workflow);
  const needsNoBranch = /^ +memory-(?:repo|store: (?:none|cache|file))/m.test(workflow);
  const settings = [...workflow.matchAll(/\b(secret|var)s\.(\w+)/g)];
  const createSettings = settings.map(([, context, name = '']) => {
    const kind = context === 'secret' ? 'secret' : 'variable';
    return `Create the ${kind} ${name}, for example with \`gh ${kind} set ${name}\`.`;
  });
  const steps = [
    ...new Set(createSettings),
    'Read the files, and adapt them to your repository.',
    'Commit the files and push them to the default branch: agents are loaded from there.',
  ];
  if (uses.startsWith('YOUR_ORG/')) {
    const address = 'with the address of the action that you use (or write it with `--uses`)';
    steps.unshift(`Replace \`${uses}\` in the workflow ${address}.`);
  }

  const memory = canWriteContents
    ? 'The token of the workflow has `contents: write`, which memory on a branch needs.'
    : 'The token of the workflow has no `contents: write`, so it keeps no memory on a branch.';
  return [
    ...(needsNoBranch ? [] : [memory, '']),
    'Next steps:',
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
    '',
    `\`${program} doctor\` checks agents and keys, \`${program} doctor --online\` also the token and the repository.`,
  ];
}
