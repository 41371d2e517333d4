import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { type ChildResult, type RunningChild, startChild } from './child.js';
import { COMPILED_CODE } from './compiled-code.js';
import { GITHUB_TOKEN } from './github-server.js';
import { type Annotation, parseFileCommand, parseWorkflowCommands } from './runner-files.js';
import { tempDir } from './temp.js';
import { type Payload, withWorld } from './webhooks.js';

/** A step that uses the action. */
export interface StepOptions {
  /** The `with:` block. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** The `env:` block and what leads to the peers; wins over the runner's own variables. */
  readonly env?: Readonly<Record<string, string>>;
  readonly event: { readonly name: string; readonly payload: Payload };
  readonly repository?: string;
  /** Default: what the payload says, else `refs/heads/main`. */
  readonly ref?: string;
  readonly runId?: string;
  readonly runAttempt?: string;
  readonly job?: string;
  /** The checkout; a new empty folder if it is not given. */
  readonly workspace?: string;
  /** Folder of an action: the one with `action.yml`. Default: this repository. */
  readonly actionPath?: string;
  /** State of `main`, for a run of `post`. */
  readonly state?: Readonly<Record<string, string>>;
}

/** What a step did. */
export interface StepResult extends ChildResult {
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  /** The job summary, markdown. */
  readonly summary: string;
  readonly annotations: readonly Annotation[];
  readonly masks: readonly string[];
  /** Names of all workflow commands it printed, but for `debug`. */
  readonly commands: readonly string[];
  /** What it printed for debug logging. */
  readonly debug: readonly string[];
  /** The log as people see it. */
  readonly log: string;
  readonly workspace: string;
  /** The folder for temporary files of the job. */
  readonly temp: string;
  /** What it set for later steps, by `GITHUB_ENV` and `GITHUB_PATH`. */
  readonly exported: string;
}

/** A step that runs. */
export interface RunningStep {
  readonly finished: Promise<StepResult>;
  kill: RunningChild['kill'];
}

interface ActionFile {
  readonly inputs?: Readonly<Record<string, { readonly default?: unknown }>>;
  readonly runs: { readonly main: string; readonly post?: string };
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Makes what the runner gives a step, in a folder of its own: its environment, the files it writes
 * to and its checkout.
 */
export function prepareStep(options: StepOptions, temp = tempDir('runner')) {
  const workspace = options.workspace ?? join(temp, 'workspace');
  mkdirSync(workspace, { recursive: true });
  const files = makeRunnerFiles(temp, options.event.payload);
  const state = Object.entries(options.state ?? {});
  const env: Readonly<Record<string, string>> = {
    PATH: process.env['PATH'] ?? '',
    ...runnerEnv(options, temp, workspace),
    ...files,
    ...inputEnv(actionFile(options), options.inputs ?? {}),
    ...Object.fromEntries(state.map(([name, value]) => [`STATE_${name}`, value])),
    ...options.env,
  };
  return { env, files, workspace };
}

const actionFiles = new Map<string, ActionFile>();

/** Read once: a test starts many steps of one action. */
function actionFile({ actionPath = ROOT }: StepOptions): ActionFile {
  const known =
    actionFiles.get(actionPath) ??
    (parse(readFileSync(join(actionPath, 'action.yml'), 'utf8')) as ActionFile);
  actionFiles.set(actionPath, known);
  return known;
}

/**
 * Starts the `main` or `post` of the action in a process of its own, with the environment a runner
 * gives it.
 */
export function startStep(phase: 'main' | 'post', options: StepOptions): RunningStep {
  const script = actionFile(options).runs[phase];
  if (script === undefined) throw new Error(`action.yml has no runs.${phase}`);
  const step = prepareStep(options);
  const child = startChild({
    command: process.execPath,
    args: [join(options.actionPath ?? ROOT, script)],
    cwd: step.workspace,
    env: { ...COMPILED_CODE, ...step.env },
  });
  return { kill: child.kill, finished: child.finished.then((result) => stepResult(result, step)) };
}

/** Runs `main` to its end. */
export function runMain(options: StepOptions): Promise<StepResult> {
  return startStep('main', options).finished;
}

/** Runs `post` to its end, in the workspace and with the state that `main` left. */
export function runPost(options: StepOptions, main: StepResult): Promise<StepResult> {
  return startStep('post', { ...options, workspace: main.workspace, state: main.state }).finished;
}

/**
 * The variables of the inputs: the defaults of action.yml, then what the step gives. Throws for
 * unknown inputs.
 */
function inputEnv(
  action: ActionFile,
  inputs: Readonly<Record<string, string>>,
): Record<string, string> {
  const known = action.inputs ?? {};
  for (const name of Object.keys(inputs)) {
    if (!(name in known)) throw new Error(`action.yml has no input ${name}`);
  }
  return Object.fromEntries(
    Object.entries(known).map(([name, { default: fallback }]) => [
      `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
      inputs[name] ?? evaluate(fallback === undefined || fallback === null ? '' : String(fallback)),
    ]),
  );
}

/** The one expression a default may hold. */
function evaluate(text: string): string {
  return text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    if (expression !== 'github.token')
      throw new Error(`the default ${text} is not known to the tests`);
    return GITHUB_TOKEN;
  });
}

function runnerEnv(options: StepOptions, temp: string, workspace: string): Record<string, string> {
  const payload = withWorld(options.event.payload) as PayloadParts;
  const repository = options.repository ?? payload.repository?.full_name ?? 'octocat/Hello-World';
  const home = join(temp, 'home');
  const runnerTemp = join(temp, 'temp');
  for (const folder of [home, runnerTemp]) mkdirSync(folder, { recursive: true });
  const actor = payload.sender?.login ?? 'octocat';
  return {
    CI: 'true',
    HOME: home,
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTOR: actor,
    GITHUB_TRIGGERING_ACTOR: actor,
    GITHUB_API_URL: 'http://127.0.0.1:2',
    GITHUB_GRAPHQL_URL: 'http://127.0.0.1:2/graphql',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_EVENT_NAME: options.event.name,
    GITHUB_JOB: options.job ?? 'review',
    GITHUB_REF: options.ref ?? refOf(options.event.name, payload),
    GITHUB_REPOSITORY: repository,
    GITHUB_REPOSITORY_OWNER: repository.split('/')[0] ?? '',
    GITHUB_RUN_ATTEMPT: options.runAttempt ?? '1',
    GITHUB_RUN_ID: options.runId ?? '1658821493',
    GITHUB_RUN_NUMBER: '7',
    GITHUB_SHA: payload.pull_request?.merge_commit_sha ?? payload.after ?? '0'.repeat(40),
    GITHUB_WORKFLOW: 'Review',
    GITHUB_WORKSPACE: workspace,
    RUNNER_ARCH: 'X64',
    RUNNER_ENVIRONMENT: 'github-hosted',
    RUNNER_NAME: 'runner',
    RUNNER_OS: 'Linux',
    RUNNER_TEMP: runnerTemp,
    RUNNER_TOOL_CACHE: join(temp, 'tools'),
  };
}

interface PayloadParts {
  readonly repository?: { readonly full_name: string; readonly default_branch: string };
  readonly sender?: { readonly login: string };
  readonly pull_request?: { readonly number: number; readonly merge_commit_sha: string | null };
  readonly ref?: unknown;
  readonly after?: string;
}

/** As GitHub documents GITHUB_REF for each event. */
function refOf(event: string, payload: PayloadParts): string {
  if (event === 'pull_request' && payload.pull_request !== undefined) {
    return `refs/pull/${payload.pull_request.number}/merge`;
  }
  if (typeof payload.ref === 'string' && payload.ref.startsWith('refs/')) return payload.ref;
  return `refs/heads/${payload.repository?.default_branch ?? 'main'}`;
}

function makeRunnerFiles(temp: string, payload: Payload) {
  const folder = join(temp, 'file-commands');
  mkdirSync(folder, { recursive: true });
  const file = (name: string, content = '') => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  return {
    GITHUB_EVENT_PATH: file('event.json', JSON.stringify(payload)),
    GITHUB_OUTPUT: file('output'),
    GITHUB_STATE: file('state'),
    GITHUB_STEP_SUMMARY: file('summary'),
    GITHUB_ENV: file('env'),
    GITHUB_PATH: file('path'),
  };
}

/** What the runner has of a step when it is over. */
export function stepResult(
  result: ChildResult,
  { env, files, workspace }: ReturnType<typeof prepareStep>,
): StepResult {
  const read = (file: string) => readFileSync(file, 'utf8');
  const { annotations, masks, names, debug, log } = parseWorkflowCommands(result.stdout);
  return {
    ...result,
    outputs: parseFileCommand(read(files.GITHUB_OUTPUT)),
    state: parseFileCommand(read(files.GITHUB_STATE)),
    summary: read(files.GITHUB_STEP_SUMMARY),
    annotations,
    masks,
    commands: names,
    debug,
    log,
    workspace,
    temp: env['RUNNER_TEMP'] ?? '',
    exported: read(files.GITHUB_ENV) + read(files.GITHUB_PATH),
  };
}
